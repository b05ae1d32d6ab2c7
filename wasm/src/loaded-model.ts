import type { Context } from './context.js';
import { TrilError } from './error.js';
import {
  GeneratedTexts,
  drawOptions,
  drawingOf,
  sequenceOf,
  withPauses,
} from './generated-text.js';
import type { GeneratedPart } from './generation-types.js';
import { changesOf } from './model-changes.js';
import type { ModelParameters, TextOptions } from './model-types.js';
import { checkKeys, stringOption } from './names.js';
import { OwnedObject } from './owned.js';
import type { RawGenerated, RawModel } from './raw.js';
import { flattenIntegers, type NestedNumbers } from './values.js';

/** The options of `generate`. */
export const textOptions = [...drawOptions, 'signal', 'without', 'replace'];

/** The part of a `Model` that works on texts: tokens and generation. */
export abstract class LoadedModel extends OwnedObject<RawModel, Context> {
  /** Its `config.json`, as Tril writes it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The number, the types and the memory of its parameters. */
  readonly parameters: ModelParameters;
  readonly #texts = new GeneratedTexts();

  /** @internal Models are made by `loadModel`. */
  constructor(context: Context, raw: RawModel) {
    super(context, raw, 'model', ['Model', 'files', 'models are made by loadModel']);
    this.config = Object.freeze(JSON.parse(raw.config()) as Record<string, unknown>);
    const parameters = JSON.parse(raw.parameters()) as ModelParameters;
    this.parameters = Object.freeze({ ...parameters, types: Object.freeze(parameters.types) });
  }

  /**
   * Continues a text token by token, with cached keys and values. A full context is reduced to its second half.
   * The same seed draws the same tokens.
   *
   * @throws TrilError where the prompt is empty or longer than the context, or an option is wrong; and the reason
   * of `signal` where that aborts
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
    const signal = (options as TextOptions | null)?.signal;
    yield* withPauses(() => this.parts(prompt, options), signal);
  }

  /** @internal The parts of `generate`, without pauses in between. */
  *parts(
    prompt: string | NestedNumbers | Int32Array,
    options: TextOptions,
  ): Generator<GeneratedPart, void, undefined> {
    const call = 'generate';
    checkKeys(call, 'options', 'option', options, textOptions);
    const tokens =
      typeof prompt === 'string' ? this.encode(prompt) : sequenceOf(call, 'prompt', prompt);
    const text = this.#generation(call, tokens, options);
    yield* this.#texts.parts(text, (made) => this.run(call, () => made.next()));
  }

  /**
   * The tokens of a text by the model's tokenizer, with those that its file puts before every text.
   *
   * @throws TrilError where the files had no tokenizer
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
    return this.encoded('encode', stringOption('encode', 'text', text, ''));
  }

  /**
   * The text of tokens; invalid UTF-8 becomes the replacement character.
   *
   * @throws TrilError where the files had no tokenizer, and for a number that is not a token
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
    const bytes = this.run('decode', (raw) => raw.decode(values));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  /** @internal */
  protected override disposeParts(): void {
    this.#texts.dispose();
  }

  /** @internal */
  protected encoded(call: string, text: string): Int32Array {
    const bytes = new TextEncoder().encode(text);
    return this.run(call, (raw) => raw.encode(bytes));
  }

  /** The context. */
  get #positions(): number {
    return (this.config['n_positions'] ?? this.config['max_position_embeddings']) as number;
  }

  /** @internal Runs a call of the module that the model belongs to. */
  static lend<Result>(
    model: LoadedModel,
    call: string,
    context: Context,
    compute: (raw: RawModel) => Result,
  ): Result {
    if (context === model.context) return model.run(call, compute);
    throw new TrilError(call, 'model', 'belongs to another module');
  }

  #generation(call: string, prompt: Int32Array, options: TextOptions): RawGenerated {
    const drawn = drawingOf(call, options, 0);
    return this.run(call, (raw) => {
      const { changes, values } = changesOf(call, this.config, options, this.#positions);
      return this.context.training(call)._modelGenerate(raw, prompt, ...drawn, changes, values)!;
    });
  }
}
