/// <reference lib="esnext.disposable" preserve="true" />
import type { Context } from './context.js';
import { TrilError } from './error.js';
import { sequenceOf } from './generated-text.js';
import { integerOption } from './names.js';
import { OwnedObject } from './owned.js';
import type { RawSession } from './raw.js';
import type { Tensor } from './tensor.js';
import type { NestedNumbers } from './values.js';

/** The options of `Model.session`. */
export interface SessionOptions {
  /** Maximum number of tokens, each of which takes keys and values of all layers (default: the context). */
  readonly capacity?: number;
}

/**
 * Keys and values of the tokens that a model has been given so far. Made by `Model.session`; its memory is given back
 * by `dispose`, with the model, at the end of a `using` declaration or of a `tril.scope`.
 */
export class DecodingSession extends OwnedObject implements Disposable {
  /** Maximum number of tokens. */
  readonly capacity: number;
  readonly #context: Context;
  readonly #forget: (session: DecodingSession) => unknown;
  #raw: RawSession | undefined;

  /** @internal Sessions are made by `Model.session`. */
  constructor(context: Context, raw: RawSession, forget: (session: DecodingSession) => unknown) {
    super();
    if (!raw) throw new TrilError('DecodingSession', 'model', 'sessions are made by Model.session');
    this.#context = context;
    this.#raw = raw;
    this.#forget = forget;
    this.capacity = raw.capacity();
  }

  /** True once `dispose` was called: any further use throws. */
  get disposed(): boolean {
    return this.#raw === undefined;
  }

  /** Number of tokens so far. */
  get length(): number {
    return this.#run('length', (raw) => raw.length());
  }

  /**
   * Takes tokens that follow those there are, and gives the logits `[V]` after the last. They are those of `forward`
   * for all tokens at once but for rounding.
   *
   * @throws TrilError where there are none, more than there is room for, or one is no token; and where tokens follow
   * others in a model that is not causal. Nothing is appended then
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
    return this.#run('append', (raw) => this.#context.adopt(raw.append(values)!));
  }

  /**
   * Forgets all tokens from `length` on, in no time.
   *
   * @throws TrilError for more than there are
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
    this.#run('rewind', (raw) => raw.setLength(checked));
    return this;
  }

  /**
   * Gives the memory back. Any later use throws; disposing again does nothing.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const model = await loadModel(trainer({ model: { vocabulary: 30 } }).export());
   * const session = model.session();
   * session.dispose();
   * session.disposed; // true
   * session.append([1]); // throws TrilError: append: session: has been disposed
   * ```
   */
  override dispose(): void {
    if (!this.#raw) return;
    this.#forget(this);
    this.#context.release(this, this.#raw);
    this.#raw = undefined;
  }

  /** What `using` calls at the end of a block. */
  declare [Symbol.dispose]: () => void;

  /** `DecodingSession of 64 tokens`. */
  override toString(): string {
    return `DecodingSession of ${this.capacity} tokens`;
  }

  #run<Result>(call: string, compute: (raw: RawSession) => Result): Result {
    const raw = this.#raw;
    if (raw) return this.#context.run(call, {}, () => compute(raw));
    throw new TrilError(call, 'session', 'has been disposed');
  }
}

// Engines without `using` have no Symbol.dispose either.
if (Symbol.dispose) DecodingSession.prototype[Symbol.dispose] = DecodingSession.prototype.dispose;
