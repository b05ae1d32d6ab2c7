/// <reference lib="esnext.disposable" preserve="true" />
import { checkSeed } from './calls/tensor.js';
import type { Context } from './context.js';
import { changesOf } from './model-changes.js';
import { TrilError, shapeText } from './error.js';
import type {
  ForwardOptions,
  GeneratedPart,
  ModelForward,
  ModelParameters,
  TextOptions,
} from './model-types.js';
import { booleanOption, checkKeys, describe, integerOption, numberOption } from './names.js';
import { signalOption, stringOption } from './names.js';
import { nested } from './nested.js';
import { OwnedObject } from './owned.js';
import type { RawGenerated, RawModel } from './raw.js';
import { yieldToEventLoop } from './event-loop.js';
import { flattenIntegers, type NestedNumbers } from './values.js';

/** Tokens of one text: batches are not run. */
function sequenceOf(call: string, argument: string, tokens: unknown): Int32Array {
  const { shape, values } = flattenIntegers(call, argument, tokens);
  if (shape.length === 1) return values;
  throw new TrilError(call, argument, `must be one list, [T]; shape is ${shapeText(shape)}`);
}

/** What is wanted of a trace. */
function traceOf(call: string, trace: ForwardOptions['trace']) {
  if (typeof trace !== 'object' || trace === null) {
    const traced = booleanOption(call, 'trace', trace, false);
    return { traced, lens: traced, scores: traced };
  }
  checkKeys(call, 'trace', 'part', trace, ['lens', 'scores']);
  const lens = booleanOption(call, 'trace.lens', trace.lens, true);
  return { traced: true, lens, scores: booleanOption(call, 'trace.scores', trace.scores, true) };
}

/** The options of `generate`. */
export const textOptions = [
  'maxTokens',
  'temperature',
  'topK',
  'topP',
  'minP',
  'seed',
  'stop',
  'signal',
  'without',
  'replace',
];

/**
 * A language model to be run, in the memory of one loaded module. Made by `loadModel` of
 * `tril/training`; its memory is given back by `dispose` or at the end of a `using` declaration. It is loaded while
 * no `tril.scope` can be open, and so belongs to none; what it gives in one does.
 */
export class Model extends OwnedObject implements Disposable {
  /** What its `config.json` says, as Tril would write it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** How many numbers it has, of which types, and what they take. */
  readonly parameters: ModelParameters;
  readonly #context: Context;
  #raw: RawModel | undefined;
  /** Those under way. */
  readonly #texts = new Set<RawGenerated>();

  /** @internal Models are made by `loadModel`. */
  constructor(context: Context, raw: RawModel) {
    super();
    if (!raw) throw new TrilError('Model', 'files', 'models are made by loadModel');
    this.#context = context;
    this.#raw = raw;
    this.config = Object.freeze(JSON.parse(raw.config()) as Record<string, unknown>);
    const parameters = JSON.parse(raw.parameters()) as ModelParameters;
    this.parameters = Object.freeze({ ...parameters, types: Object.freeze(parameters.types) });
  }

  /** True once `dispose` was called: any further use throws. */
  get disposed(): boolean {
    return this.#raw === undefined;
  }

  /**
   * What the model makes of tokens: the logits `[T, V]` after each, and, with `trace`, all between:
   * the scores and weights of every head, the residual stream after every layer, and what the model
   * would say if it ended there (the logit lens). What of it takes most memory can be left out:
   * `trace: { scores: false, lens: false }`. `without` switches off heads, layers and parts of them;
   * `replace` puts other activations in their place, such as those of another text.
   *
   * @throws TrilError where there are none or more than the context has, or one is no token; and for
   * a layer, head or position that there is not, and values of another shape. Nothing is changed behind
   * the call
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 2, heads: 4, width: 16, context: 8, vocabulary: 30 };
   * const model = await loadModel(trainer({ model: settings }).export());
   * const { logits, trace } = model.forward([3, 1, 4], { trace: true });
   * logits.shape; // [3, 30]
   * trace.layers[1]!.weights.shape; // [4, 3, 3]
   * trace.layers[0]!.logits!.shape; // [3, 30]
   * model.forward([3, 1, 4], { without: [{ layer: 1, head: 3 }, { layer: 0 }] }).logits.shape; // [3, 30]
   * const other = model.forward([5, 9, 2], { replace: [{ layer: 1, part: 'residual', values: trace.layers[1]!.out }] });
   * other.logits.toArray(); // logits.toArray()
   * ```
   */
  forward<const Options extends ForwardOptions>(
    tokens: NestedNumbers | Int32Array,
    options: Options = {} as Options,
  ): ModelForward<Options> {
    const call = 'forward';
    checkKeys(call, 'options', 'option', options, ['trace', 'without', 'replace']);
    const values = sequenceOf(call, 'tokens', tokens);
    const { traced, lens, scores } = traceOf(call, options.trace);
    const count = values.length;
    const found = this.#run(call, (raw) => {
      const { changes, values: given } = changesOf(call, this.config, options, count, count);
      return raw.forward(values, traced, lens, scores, changes, given);
    });
    const { logits, ...rest } = this.#context.adoptAll(found);
    return {
      logits: logits!,
      ...(traced && { trace: nested(rest) }),
    } as unknown as ModelForward<Options>;
  }

  /**
   * How a text goes on, token by token, with keys and values cached. Where the context is full, it
   * goes on behind the second half of it. The same seed draws the same tokens.
   *
   * @throws TrilError where the prompt is empty or longer than the context, or an option is wrong; and
   * the reason of `signal` where that aborts
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trained = trainer({ model: settings, data: 'abcdefgh'.repeat(30), learningRate: 0.02, steps: 100 });
   * trained.steps(100);
   * const model = await loadModel(trained.export());
   * let text = '';
   * for await (const part of model.generate('abcd', { maxTokens: 6, temperature: 0 })) text += part.text;
   * text; // 'efghab'
   * ```
   */
  async *generate(
    prompt: string | NestedNumbers | Int32Array,
    options: TextOptions = {},
  ): AsyncGenerator<GeneratedPart, void, undefined> {
    const signal = signalOption('generate', 'signal', (options as TextOptions | null)?.signal);
    signal?.throwIfAborted();
    const pause = yieldToEventLoop();
    for (const part of this.parts(prompt, options)) {
      yield part;
      await pause();
      signal?.throwIfAborted();
    }
  }

  /** @internal What `generate` gives, without a pause in between. */
  *parts(
    prompt: string | NestedNumbers | Int32Array,
    options: TextOptions,
  ): Generator<GeneratedPart, void, undefined> {
    const call = 'generate';
    checkKeys(call, 'options', 'option', options, textOptions);
    const tokens =
      typeof prompt === 'string' ? this.encode(prompt) : sequenceOf(call, 'prompt', prompt);
    const text = this.#generation(call, tokens, options);
    this.#texts.add(text);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    try {
      for (;;) {
        const begin = performance.now();
        const token = this.#run(call, () => text.next());
        const milliseconds = performance.now() - begin;
        const piece = decoder.decode(text.text(), { stream: token >= 0 });
        if (token < 0 && piece === '') return;
        yield { ...(token >= 0 && { token }), text: piece, milliseconds };
        if (token < 0) return;
      }
    } finally {
      if (this.#texts.delete(text)) text.delete();
    }
  }

  /**
   * The tokens of a text, by the model's tokenizer, with those that its file puts before every text.
   *
   * @throws TrilError where there was no tokenizer among the files
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 1, heads: 1, width: 8, context: 4 };
   * const model = await loadModel(
   *   trainer({ model: settings, data: 'abcd'.repeat(9), tokenizer: 'bytes' }).export(),
   * );
   * model.encode('abc'); // Int32Array.of(97, 98, 99)
   * ```
   */
  encode(text: string): Int32Array {
    const bytes = new TextEncoder().encode(stringOption('encode', 'text', text, ''));
    return this.#run('encode', (raw) => raw.encode(bytes));
  }

  /**
   * The text of tokens; bytes that are no UTF-8 become the character for what cannot be shown.
   *
   * @throws TrilError where there was no tokenizer among the files, or one is no token
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 1, heads: 1, width: 8, context: 4 };
   * const model = await loadModel(
   *   trainer({ model: settings, data: 'abcd'.repeat(9), tokenizer: 'bytes' }).export(),
   * );
   * model.decode([97, 98, 99]); // 'abc'
   * ```
   */
  decode(tokens: NestedNumbers | Int32Array): string {
    const { values } = flattenIntegers('decode', 'tokens', tokens);
    const bytes = this.#run('decode', (raw) => raw.decode(values));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  /**
   * Gives the memory back, and that of texts under way. Any later use throws; disposing again does
   * nothing.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const model = await loadModel(trainer({ model: { vocabulary: 30 } }).export());
   * model.dispose();
   * model.disposed; // true
   * model.forward([1]); // throws TrilError: forward: model: has been disposed
   * ```
   */
  override dispose(): void {
    if (!this.#raw) return;
    for (const text of this.#texts) text.delete();
    this.#texts.clear();
    this.#context.release(this, this.#raw);
    this.#raw = undefined;
  }

  /** What `using` calls at the end of a block. */
  declare [Symbol.dispose]: () => void;

  /** The context. */
  get #positions(): number {
    return (this.config['n_positions'] ?? this.config['max_position_embeddings']) as number;
  }

  #run<Result>(call: string, compute: (raw: RawModel) => Result): Result {
    const raw = this.#raw;
    if (raw) return this.#context.run(call, {}, () => compute(raw));
    throw new TrilError(call, 'model', 'has been disposed');
  }

  #generation(call: string, prompt: Int32Array, options: TextOptions): RawGenerated {
    const stop = options.stop ?? [];
    const stops: unknown[] = Array.isArray(stop) ? [...(stop as unknown[])] : [stop];
    if (stops.some((each) => typeof each !== 'string')) {
      throw new TrilError(call, 'stop', `must be texts, is ${describe(stop)}`);
    }
    const maxTokens = integerOption(call, 'maxTokens', options.maxTokens, 100, 0);
    const temperature = numberOption(call, 'temperature', options.temperature, 0.8);
    const topK = integerOption(call, 'topK', options.topK, 0, 0);
    const topP = numberOption(call, 'topP', options.topP, 1);
    const minP = numberOption(call, 'minP', options.minP, 0);
    const seed = checkSeed(call, options.seed ?? 0);
    const drawn = [maxTokens, temperature, topK, topP, minP, seed] as const;
    return this.#run(call, (raw) => {
      const { changes, values } = changesOf(call, this.config, options, this.#positions);
      const given = [stops as string[], changes, values] as const;
      return this.#context.training(call)._modelGenerate(raw, prompt, ...drawn, ...given)!;
    });
  }
}

// Engines without `using` have no Symbol.dispose either.
if (Symbol.dispose) Model.prototype[Symbol.dispose] = Model.prototype.dispose;
