import type { Context } from './context.js';
import { sequenceOf } from './generated-text.js';
import { integerOption } from './names.js';
import { OwnedObject } from './owned.js';
import type { RawSession } from './raw.js';
import type { Tensor } from './tensor.js';
import type { NestedNumbers } from './values.js';

/** The options of `Model.session`. */
export interface SessionOptions {
  /** Maximum number of tokens, each of which takes the keys and values of all layers (default: the context). */
  readonly capacity?: number;
}

/**
 * The keys and values of the tokens that a model has been given so far. Made by `Model.session`; its memory is freed
 * by `dispose`, with the model, and at the end of a `using` declaration or of a `tril.scope`.
 */
export class DecodingSession extends OwnedObject<RawSession, Context> {
  /** Maximum number of tokens. */
  readonly capacity: number;
  readonly #forget: (session: DecodingSession) => unknown;

  /** @internal Sessions are made by `Model.session`. */
  constructor(context: Context, raw: RawSession, forget: (session: DecodingSession) => unknown) {
    super(context, raw, 'session', [
      'DecodingSession',
      'model',
      'sessions are made by Model.session',
    ]);
    this.#forget = forget;
    this.capacity = raw.capacity();
  }

  /** Number of tokens so far. */
  get length(): number {
    return this.run('length', (raw) => raw.length());
  }

  /**
   * Appends tokens, and gives the logits `[V]` after the last one. Except for rounding, they are those of `forward`
   * for all tokens at once.
   *
   * @throws TrilError for no tokens, for more than there is room for, and for a number that is not a token; and where
   * tokens follow others in a model that is not causal. Nothing is appended then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel, compare } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 1, heads: 2, width: 16, context: 4, vocabulary: 30 };
   * const model = await loadModel(trainer({ model: settings }).export());
   * const session = model.session();
   * session.append([3, 1]);
   * const logits = session.append([4]);
   * compare(logits, model.forward([3, 1, 4], { last: true }).logits).maxAbsolute < 1e-6; // true
   * session.append([1, 5]); // throws TrilError: append: tokens: 2 after 3 are more than the capacity of 4
   * ```
   */
  append(tokens: NestedNumbers | Int32Array): Tensor {
    const values = sequenceOf('append', 'tokens', tokens);
    return this.run('append', (raw) => this.context.adopt(raw.append(values)!));
  }

  /**
   * Forgets all tokens from `length` on, in constant time.
   *
   * @throws TrilError for a length above the number of tokens
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const model = await loadModel(trainer({ model: { vocabulary: 30 } }).export());
   * const session = model.session({ capacity: 8 });
   * session.append([3, 1, 4]);
   * session.rewind(1).length; // 1
   * session.rewind(2); // throws TrilError: rewind: length: must be from 0 to the 1 tokens
   * ```
   */
  rewind(length: number): this {
    const checked = integerOption('rewind', 'length', length, Number.NaN, 0);
    this.run('rewind', (raw) => raw.setLength(checked));
    return this;
  }

  /** @internal */
  protected override disposeParts(): void {
    this.#forget(this);
  }

  /** `DecodingSession of 64 tokens`. */
  override toString(): string {
    return `DecodingSession of ${this.capacity} tokens`;
  }
}
