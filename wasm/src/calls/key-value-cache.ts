import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { KeyValueCache, type KeyValueCacheSizes } from '../key-value-cache.js';
import { checkKeys, integerOption } from '../names.js';

const sizeNames = ['batch', 'heads', 'width', 'valueWidth', 'capacity'];

export const cacheCalls = (context: Context) => ({
  /**
   * A cache for decoding: keys `[B, Hk, capacity, D]` and values `[B, Hk, capacity, Dv]` of the
   * tokens so far, for the option `past` of `attention`, `multiHeadAttention`, `transformerBlock`
   * and `decoderBlock`. Each call appends the keys and values of its own tokens in place, so that
   * none is copied or computed again; except for rounding, results are those of all tokens at once.
   * A call that throws leaves the cache unchanged.
   *
   * @throws TrilError where a size is missing or not a whole number of at least 1, or memory runs
   * out
   *
   * @example
   * ```ts
   * const normal = (seed: number) => tril.randomNormal([1, 8, 10, 64], { seed });
   * const [q, k, v] = [normal(1), normal(2), normal(3)];
   * const whole = tril.attention(q, k, v, { causal: true }).output;
   *
   * const cache = tril.keyValueCache({ heads: 8, width: 64, capacity: 8192 });
   * tril.attention(q, k, v, { causal: true, past: cache });
   * cache.length; // 10
   * cache.rewind(0);
   * const again = tril.attention(q, k, v, { causal: true, past: cache }).output;
   * tril.compare(whole, again).maxAbsolute; // 0
   * cache.dispose();
   * ```
   */
  keyValueCache(sizes: KeyValueCacheSizes): KeyValueCache {
    const call = 'keyValueCache';
    checkKeys(call, 'sizes', 'size', sizes, sizeNames);
    const size = (name: keyof KeyValueCacheSizes, fallback?: number): number => {
      if (sizes[name] === undefined && fallback === undefined) {
        throw new TrilError(call, name, 'must be given');
      }
      return integerOption(call, name, sizes[name], fallback ?? 1, 1);
    };
    const width = size('width');
    const checked = {
      batch: size('batch', 1),
      heads: size('heads', 1),
      width,
      valueWidth: size('valueWidth', width),
      capacity: size('capacity'),
    };
    return context.run(call, {}, () => {
      const { batch, heads, capacity, valueWidth } = checked;
      const raw = context.raw._cache(context.engine, batch, heads, capacity, width, valueWidth)!;
      return context.own(new KeyValueCache(context, raw, checked));
    });
  },
});
