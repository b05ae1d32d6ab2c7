/// <reference lib="esnext.disposable" preserve="true" />
import { TrilError } from './error.js';
import { integerOption } from './names.js';
import type { Owner } from './owned.js';
import type { RawCache } from './raw.js';

/** The sizes of a cache; all are whole numbers of at least 1. */
export interface KeyValueCacheSizes {
  /** B, the number of batches (default 1). */
  readonly batch?: number;
  /** Hk, the number of heads of keys and values (default 1). */
  readonly heads?: number;
  /** D, the width of a key. */
  readonly width: number;
  /** Dv, the width of a value (default: that of a key). */
  readonly valueWidth?: number;
  /** Maximum number of tokens. */
  readonly capacity: number;
}

/**
 * The keys and values of the tokens so far, in the memory of one loaded module. Made by
 * `tril.keyValueCache`, and passed as `past` to `attention`, `multiHeadAttention` and the blocks, which
 * append to it in place. Its memory is freed by `dispose`, and at the end of a `using` declaration or of a
 * `tril.scope`.
 */
export class KeyValueCache implements Disposable {
  /** Its sizes, with defaults. */
  readonly sizes: Required<KeyValueCacheSizes>;
  readonly #context: Owner;
  #raw: RawCache | undefined;

  /** @internal Caches are made by `tril.keyValueCache`. */
  constructor(context: Owner, raw: RawCache, sizes: Required<KeyValueCacheSizes>) {
    if (!raw) throw new TrilError('KeyValueCache', 'sizes', 'caches are made by keyValueCache');
    this.#context = context;
    this.#raw = raw;
    this.sizes = Object.freeze(sizes);
  }

  /** @internal Behind a getter, since consoles print properties. */
  get context(): Owner {
    return this.#context;
  }

  /** The number of tokens. */
  get length(): number {
    return this.raw('length').length();
  }

  /** True once `dispose` was called: any further use throws. */
  get disposed(): boolean {
    return this.#raw === undefined;
  }

  /**
   * Forgets all tokens from `length` on, in constant time.
   * @throws TrilError for a length above the number of tokens
   *
   * @example
   * ```ts
   * const cache = tril.keyValueCache({ heads: 2, width: 8, capacity: 16 });
   * const normal = (seed: number) => tril.randomNormal([1, 2, 5, 8], { seed });
   * const [q, k, v] = [normal(1), normal(2), normal(3)];
   * tril.attention(q, k, v, { causal: true, past: cache });
   * cache.rewind(3).length; // 3
   * cache.rewind(4); // throws TrilError: rewind: length: must be from 0 to the 3 tokens
   * ```
   */
  rewind(length: number): this {
    const raw = this.raw('rewind');
    const checked = integerOption('rewind', 'length', length, 0, 0);
    this.#context.run('rewind', {}, () => raw.setLength(checked));
    return this;
  }

  /**
   * Frees the memory. Any later use throws; disposing again does nothing.
   *
   * @example
   * ```ts
   * const cache = tril.keyValueCache({ width: 64, capacity: 1024 });
   * cache.dispose();
   * cache.disposed; // true
   * cache.rewind(0); // throws TrilError: rewind: cache: has been disposed
   * ```
   */
  dispose(): void {
    if (!this.#raw) return;
    this.#context.release(this, this.#raw);
    this.#raw = undefined;
  }

  /** Called by `using` at the end of a block. */
  declare [Symbol.dispose]: () => void;

  /** `KeyValueCache [1, 8, 8192, 64]`: batches, heads, capacity, width. */
  toString(): string {
    const { batch, heads, capacity, width } = this.sizes;
    return `KeyValueCache [${batch}, ${heads}, ${capacity}, ${width}]`;
  }

  /** @internal The module's own handle, for a call that names this cache as `argument`. */
  raw(call: string, argument = 'cache'): RawCache {
    this.#context.checkOpen(call);
    if (this.#raw) return this.#raw;
    throw new TrilError(call, argument, `has been disposed; it was ${String(this)}`);
  }
}

// Engines without `using` have no Symbol.dispose either.
if (Symbol.dispose) KeyValueCache.prototype[Symbol.dispose] = KeyValueCache.prototype.dispose;
