import type { Context } from './context.js';
import { TrilError } from './error.js';
import {
  GeneratedTexts,
  drawOptions,
  drawingOf,
  sequenceOf,
  withPauses,
} from './generated-text.js';
import type { DrawOptions, GeneratedPart } from './generation-types.js';
import { Learner } from './learner.js';
import { checkKeys, integerOption, stringOption } from './names.js';
import { nest } from './named-tensors.js';
import { nameGiven } from './old-names.js';
import type { RawTrainer } from './raw.js';
import type {
  AdapterFiles,
  GenerateOptions,
  ModelFiles,
  SampleOptions,
  TokenBatch,
  TrainerSettings,
  TrainerTextOptions,
  TrainerTrace,
} from './trainer-types.js';
import { adapterOf, filesOf, rowsOf } from './trainer-values.js';
import { flattenIntegers, type NestedNumbers } from './values.js';

const none = new Int32Array();
const sampling = [...drawOptions, 'prompt', 'tokens'];

/** The options with `maxTokens` instead of `tokens`, its old name. */
function withMaxTokens(
  call: string,
  given: DrawOptions & { readonly tokens?: number },
): DrawOptions {
  const { tokens, ...options } = given;
  if (nameGiven(call, given, 'maxTokens', 'tokens') === 'maxTokens') return options;
  return { ...options, maxTokens: integerOption(call, 'tokens', tokens, 0, 0) };
}

/** Whether the first argument of `generate` is a prompt, not options. */
export const isPrompt = (value: unknown): value is string | NestedNumbers | Int32Array =>
  typeof value === 'string' || Array.isArray(value) || ArrayBuffer.isView(value);

/** The part of a `Trainer` that works on its model: generation, logits and files. */
export abstract class TrainedModel extends Learner<RawTrainer, TrainerSettings, TokenBatch> {
  readonly #texts = new GeneratedTexts();

  /** @internal Trainers are made by `tril.trainer`. */
  constructor(context: Context, raw: RawTrainer, batches?: Iterable<TokenBatch>) {
    super(context, raw, ['Trainer', 'trainers are made by tril.trainer'], batches);
  }

  /**
   * A continuation of a text by the model: the text after `prompt` or, without one, after the beginning
   * of the data kept for `evaluate`.
   *
   * @throws TrilError where the trainer has learned numbers, not text, or an option is wrong
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trainer = tril.trainer({ model, data: 'abcdefgh'.repeat(30), learningRate: 0.02, steps: 100 });
   * trainer.steps(100);
   * trainer.sample({ prompt: 'abcd', maxTokens: 6, temperature: 0 }); // 'efghab'
   * ```
   */
  sample(options: SampleOptions = {}): string {
    const call = 'sample';
    checkKeys(call, 'options', 'option', options, sampling);
    const prompt = stringOption(call, 'prompt', options.prompt, '');
    const first = prompt === '' ? none : this.#encoded(call, prompt);
    const parts = [...this.#drawn(call, first, withMaxTokens(call, options))];
    this.#decoded(call, none); // throws where there are only numbers
    return parts.map(({ text }) => text).join('');
  }

  /**
   * Continues a text, token by token, as `Model.generate` does, with the same options and the same parts. Nothing is
   * cached: each token is drawn with the current parameters, given the last tokens that fit into the context. Steps
   * may therefore be taken in between, and the prompt may be longer than the context.
   *
   * @throws TrilError where the prompt is empty or an option is wrong; and the reason of `signal` where that aborts
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trainer = tril.trainer({ model, data: 'abcdefgh'.repeat(30), learningRate: 0.02, steps: 100 });
   * trainer.steps(100);
   * let text = '';
   * for await (const part of trainer.generate('abcd', { maxTokens: 6, temperature: 0 })) text += part.text;
   * text; // 'efghab'
   * trainer.generate({ prompt: trainer.encode('abcd'), maxTokens: 3 }).length; // 3
   * ```
   */
  generate(
    prompt: string | NestedNumbers | Int32Array,
    options?: TrainerTextOptions,
  ): AsyncGenerator<GeneratedPart, void, undefined>;
  /**
   * The tokens that follow `options.prompt`, all at once.
   *
   * @throws TrilError where there is no prompt and no data to take one from, or an option is wrong
   */
  generate(options?: GenerateOptions): Int32Array;
  generate(
    given: string | NestedNumbers | Int32Array | GenerateOptions = {},
    options: TrainerTextOptions = {},
  ): AsyncGenerator<GeneratedPart, void, undefined> | Int32Array {
    if (isPrompt(given)) {
      const signal = (options as TrainerTextOptions | null)?.signal;
      return withPauses(() => this.parts(given, options), signal);
    }
    const call = 'generate';
    checkKeys(call, 'options', 'option', given, sampling);
    const { prompt } = given;
    const first = prompt === undefined ? none : flattenIntegers(call, 'prompt', prompt).values;
    const parts = [...this.#drawn(call, first, withMaxTokens(call, given))];
    return Int32Array.from(parts.flatMap(({ token }) => token ?? []));
  }

  /** @internal The parts of `generate` for a prompt, without pauses in between. */
  *parts(
    prompt: string | NestedNumbers | Int32Array,
    options: TrainerTextOptions,
  ): Generator<GeneratedPart, void, undefined> {
    const call = 'generate';
    checkKeys(call, 'options', 'option', options, [...drawOptions, 'signal']);
    const tokens =
      typeof prompt === 'string' ? this.#encoded(call, prompt) : sequenceOf(call, 'prompt', prompt);
    if (tokens.length === 0) {
      throw new TrilError(call, 'prompt', 'is empty: there must be a token to begin from');
    }
    yield* this.#drawn(call, tokens, options);
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
   * The text of tokens; invalid UTF-8 becomes the replacement character.
   *
   * @throws TrilError where the trainer has learned numbers, not text, and for a number that is not
   * a token
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
   * The model's logits for tokens `[T]` or `[B, T]`, and the attention weights of every head of every
   * layer.
   *
   * @throws TrilError for more tokens than the context holds, and for a number that is not a token
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
      return nest(this.context.adoptAll(found)) as unknown as TrainerTrace;
    });
  }

  /**
   * The model as files that other libraries open: `model.safetensors`, `config.json` and, after
   * learning text, `tokenizer.json`.
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
    return this.run('export', filesOf);
  }

  /**
   * The trained adapter, without the model, as files that PEFT opens: `adapter_config.json` and
   * `adapter_model.safetensors`. They need a folder of their own: beside a model's files, transformers would take
   * that folder for an adapter of another model. `export` gives the model with the adapter merged.
   *
   * @throws TrilError where the whole model is trained, without an adapter
   *
   * @example
   * ```ts
   * const data = 'the cat sat on the mat. '.repeat(20);
   * const trainer = tril.trainer({ model: { layers: 1, heads: 2, width: 16, context: 8 }, data });
   * const files = trainer.export();
   * const from = await tril.loadModel(files);
   * const adapter = tril.trainer({ from, lora: { rank: 2 }, data, batch: 4 });
   * adapter.steps(2);
   * const lora = adapter.exportAdapter();
   * JSON.parse(new TextDecoder().decode(lora['adapter_config.json'])).r; // 2
   * const model = await tril.loadModel(files, { lora });
   * model.evaluate('the mat').loss === (await tril.loadModel(adapter.export())).evaluate('the mat').loss; // true
   * trainer.exportAdapter(); // throws TrilError: exportAdapter: lora: there is none: all parameters are trained
   * ```
   */
  exportAdapter(): AdapterFiles {
    return this.run('exportAdapter', adapterOf);
  }

  /** @internal */
  protected override disposeParts(): void {
    this.#texts.dispose();
  }

  /** `Trainer gpt2, 4 layers of 4 heads, width 128, 812672 parameters`. */
  override toString(): string {
    const { model, lora } = this.settings;
    const shape = `${model.layers} layers of ${model.heads} heads, width ${model.width}`;
    const of = lora ? ` of an adapter of rank ${lora.rank}` : '';
    return `Trainer ${model.family}, ${shape}, ${this.parameterCount} parameters${of}`;
  }

  #encoded(call: string, text: string): Int32Array {
    return this.run(call, (raw) => raw.encode(new TextEncoder().encode(text)));
  }

  #decoded(call: string, tokens: Int32Array): string {
    const bytes = this.run(call, (raw) => raw.decode(tokens));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  #drawn(call: string, prompt: Int32Array, options: DrawOptions) {
    const drawing = drawingOf(call, options, -1); // below 0: the trainer's own seed
    const text = this.run(call, (raw) =>
      this.context.training(call)._trainerGenerate(raw, prompt, ...drawing),
    )!;
    return this.#texts.parts(text, (made) => this.run(call, () => made.next()));
  }
}
