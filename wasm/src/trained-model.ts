import { checkSeed } from './calls/tensor.js';
import type { Context } from './context.js';
import { Learner } from './learner.js';
import { checkKeys, integerOption, numberOption, stringOption } from './names.js';
import { nested } from './nested.js';
import type { RawTrainer } from './raw.js';
import type {
  GenerateOptions,
  ModelFiles,
  SampleOptions,
  TrainerSettings,
  TrainerTrace,
} from './trainer-types.js';
import { rowsOf } from './trainer-values.js';
import { flattenIntegers, type NestedNumbers } from './values.js';

const none = new Int32Array();
const sampling = ['prompt', 'tokens', 'temperature', 'topK', 'seed'];

/** What a `Trainer` has of its model: what it says, and what it is made of. */
export abstract class TrainedModel extends Learner<RawTrainer, TrainerSettings> {
  /** @internal Trainers are made by `tril.trainer`. */
  constructor(context: Context, raw: RawTrainer) {
    super(context, raw, ['Trainer', 'trainers are made by tril.trainer']);
  }

  /**
   * How the model goes on from a text: what follows `prompt`, or, without one, the beginning of what
   * is not trained on.
   *
   * @throws TrilError where the trainer has learned numbers, not text, or an option is wrong
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trainer = tril.trainer({ model, data: 'abcdefgh'.repeat(30), learningRate: 0.02, steps: 100 });
   * trainer.steps(100);
   * trainer.sample({ prompt: 'abcd', tokens: 6, temperature: 0 }); // 'efghab'
   * ```
   */
  sample(options: SampleOptions = {}): string {
    const call = 'sample';
    checkKeys(call, 'options', 'option', options, sampling);
    const prompt = stringOption(call, 'prompt', options.prompt, '');
    const first = prompt === '' ? none : this.#encoded(call, prompt);
    return this.#decoded(call, this.#generated(call, first, options));
  }

  /**
   * The tokens that follow `prompt`, one after another, each by what the model says after all before
   * it.
   *
   * @throws TrilError where there is no prompt and no data to take one from, or an option is wrong
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 4, vocabulary: 5 };
   * const trainer = tril.trainer({ model, data: Int32Array.from({ length: 60 }, (_, i) => i % 5) });
   * trainer.generate({ prompt: [0, 1], tokens: 3, seed: 1 }).length; // 3
   * ```
   */
  generate(options: GenerateOptions = {}): Int32Array {
    const call = 'generate';
    checkKeys(call, 'options', 'option', options, sampling);
    const { prompt } = options;
    const first = prompt === undefined ? none : flattenIntegers(call, 'prompt', prompt).values;
    return this.#generated(call, first, options);
  }

  /**
   * The tokens of a text, by the tokenizer of the data.
   *
   * @throws TrilError where the trainer has learned numbers, not text
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 1, width: 8, context: 4 };
   * const trainer = tril.trainer({ model, data: 'abcd'.repeat(9), tokenizer: 'bytes' });
   * trainer.encode('abc'); // Int32Array.of(97, 98, 99)
   * ```
   */
  encode(text: string): Int32Array {
    return this.#encoded('encode', stringOption('encode', 'text', text, ''));
  }

  /**
   * The text of tokens; bytes that are no UTF-8 become the character for what cannot be shown.
   *
   * @throws TrilError where the trainer has learned numbers, not text, or one is no token
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 1, width: 8, context: 4 };
   * const trainer = tril.trainer({ model, data: 'abcd'.repeat(9), tokenizer: 'bytes' });
   * trainer.decode([97, 98, 99]); // 'abc'
   * ```
   */
  decode(tokens: NestedNumbers | Int32Array): string {
    return this.#decoded('decode', flattenIntegers('decode', 'tokens', tokens).values);
  }

  /**
   * What the model makes of tokens, `[T]` or `[B, T]`: its logits, and the attention weights of every
   * head of every layer.
   *
   * @throws TrilError where there are more than the context has, or one is no token
   *
   * @example
   * ```ts
   * const model = { layers: 2, heads: 4, width: 16, context: 8 };
   * const trainer = tril.trainer({ model, data: 'the cat sat on the mat. '.repeat(20) });
   * const { logits, layers } = trainer.trace(trainer.encode('the cat'));
   * logits.shape; // [7, 256]
   * layers.map(({ weights }) => weights.shape); // [[4, 7, 7], [4, 7, 7]]
   * ```
   */
  trace(tokens: NestedNumbers | Int32Array): TrainerTrace {
    const { values, shape, rows } = rowsOf('trace', 'tokens', tokens);
    return this.run('trace', (raw) => {
      const found = raw.trace(values, shape.length > 1 ? rows : 0);
      return nested(this.context.adoptAll(found)) as unknown as TrainerTrace;
    });
  }

  /**
   * The model as files that other libraries open: `model.safetensors`, `config.json` and, where it
   * has learned text, `tokenizer.json`.
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8, vocabulary: 30 };
   * const files = tril.trainer({ model }).export();
   * JSON.parse(new TextDecoder().decode(files['config.json'])).n_embd; // 16
   * const [first] = await tril.readArrays(files['model.safetensors'], 'model.safetensors');
   * first?.name; // 'wte.weight'
   * ```
   */
  export(): ModelFiles {
    return this.run('export', (raw) => {
      const [weights, config] = ['model.safetensors', 'config.json'] as const;
      const tokenizer = 'tokenizer.json';
      const files = { [weights]: raw.file(weights), [config]: raw.file(config) };
      return { ...files, ...(raw.hasTokenizer() && { [tokenizer]: raw.file(tokenizer) }) };
    }) as ModelFiles;
  }

  /** `Trainer gpt2, 4 layers of 4 heads, width 128, 812672 parameters`. */
  override toString(): string {
    const { family, layers, heads, width } = this.settings.model;
    const shape = `${layers} layers of ${heads} heads, width ${width}`;
    return `Trainer ${family}, ${shape}, ${this.parameterCount} parameters`;
  }

  #encoded(call: string, text: string): Int32Array {
    return this.run(call, (raw) => raw.encode(new TextEncoder().encode(text)));
  }

  #decoded(call: string, tokens: Int32Array): string {
    const bytes = this.run(call, (raw) => raw.decode(tokens));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  #generated(
    call: string,
    prompt: Int32Array,
    options: Omit<GenerateOptions, 'prompt'>,
  ): Int32Array {
    const count = integerOption(call, 'tokens', options.tokens, 100, 0);
    const temperature = numberOption(call, 'temperature', options.temperature, 0.8);
    const topK = integerOption(call, 'topK', options.topK, 200, 0);
    const seed = options.seed === undefined ? -1 : checkSeed(call, options.seed);
    return this.run(call, (raw) => raw.generate(prompt, count, temperature, topK, seed));
  }
}
