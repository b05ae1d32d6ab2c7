/// <reference lib="esnext.disposable" preserve="true" />
import { TrilError } from './error.js';
import type { RawHandle, RawTensor } from './raw.js';

/** The part of a module's `Context` that tensors and caches of the module use. */
export interface Owner {
  /** Frees a handle of the module, and forgets its owner. */
  release(owned: object, raw: RawHandle): void;
  /** Throws once the module is closed. */
  checkOpen(call: string): void;
  /** Lends the numbers of a tensor to `callback`. */
  lend<Result>(raw: RawTensor, callback: (values: Float32Array) => Result): Result;
  /** Runs a call of the module whose errors carry the call's name. */
  run<Result>(call: string, tensors: Record<never, never>, compute: () => Result): Result;
}

/**
 * The base of other objects of a module, of kinds that `context.ts` does not know; they are disposed at the end of
 * a scope.
 */
export abstract class OwnedObject<
  Raw extends RawHandle = RawHandle,
  Context extends Owner = Owner,
> implements Disposable {
  readonly #context: Context;
  readonly #kind: string;
  #raw: Raw | undefined;

  /**
   * @internal `kind` is its name in errors; `refusal` tells callers of the constructor which call to
   * use instead.
   */
  constructor(
    context: Context,
    raw: Raw,
    kind: string,
    refusal: readonly [call: string, argument: string, problem: string],
  ) {
    if (!raw) throw new TrilError(...refusal);
    this.#context = context;
    this.#raw = raw;
    this.#kind = kind;
  }

  /** @internal Behind a getter, since consoles print properties. */
  get context(): Context {
    return this.#context;
  }

  /** True once `dispose` was called: any further use throws. */
  get disposed(): boolean {
    return this.#raw === undefined;
  }

  /**
   * Frees the memory, and that of sessions and of texts being generated. Any later use throws; disposing again
   * does nothing.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { loadModel, tokenizer, trainer, wordVectors } = await loadTril({ variant: 'simd' });
   * const learner = trainer({ model: { layers: 1, heads: 1, width: 8, context: 4 }, data: 'abcd'.repeat(9) });
   * const files = learner.export();
   * learner.dispose();
   * learner.disposed; // true
   * learner.step(); // throws TrilError: step: trainer: has been disposed
   * const model = await loadModel(files);
   * const session = model.session();
   * session.dispose();
   * session.append([1]); // throws TrilError: append: session: has been disposed
   * model.dispose();
   * model.forward([1]); // throws TrilError: forward: model: has been disposed
   * const letters = tokenizer(files);
   * letters.dispose();
   * letters.encode('a'); // throws TrilError: encode: tokenizer: has been disposed
   * const vectors = wordVectors({ data: 'the cat sat on the mat. '.repeat(20) });
   * vectors.dispose();
   * vectors.step(); // throws TrilError: step: wordVectors: has been disposed
   * ```
   */
  dispose(): void {
    if (!this.#raw) return;
    this.disposeParts();
    this.#context.release(this, this.#raw);
    this.#raw = undefined;
  }

  /** Called by `using` at the end of a block. */
  declare [Symbol.dispose]: () => void;

  /** @internal Disposes other objects that it has given out. */
  protected disposeParts(): void {}

  /** @internal The continuation of the error after disposal. */
  protected get wasWhat(): string {
    return '';
  }

  /** @internal */
  protected run<Result>(call: string, compute: (raw: Raw) => Result): Result {
    const raw = this.#raw;
    if (raw) return this.#context.run(call, {}, () => compute(raw));
    throw new TrilError(call, this.#kind, `has been disposed${this.wasWhat}`);
  }
}

// Engines without `using` have no Symbol.dispose either.
if (Symbol.dispose) OwnedObject.prototype[Symbol.dispose] = OwnedObject.prototype.dispose;
