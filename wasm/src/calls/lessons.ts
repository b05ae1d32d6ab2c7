import type { Context } from '../context.js';
import { checkKeys, integerOption, stringOption } from '../names.js';
import type { RawWithLessons } from '../raw.js';
import type { Tensor } from '../tensor.js';
import { levelsOption, type MatmulMethod } from './matmul.js';

/** The ways of assembling a product, see `readProduct`. */
export const readings = ['dots', 'rows', 'columns', 'outer'] as const;
/** One of `readings`. */
export type Reading = (typeof readings)[number];

/** The result of `readProduct`. */
export interface ReadingResult {
  /** `[n, m]` */
  readonly output: Tensor;
  /** The sums after every step, `[steps, n, m]`. */
  readonly partial: Tensor;
}

/** The loops that can be traced: the six orders, and in blocks. */
export type TracedMethod = Extract<
  MatmulMethod,
  'ijk' | 'ikj' | 'jik' | 'jki' | 'kij' | 'kji' | 'blocked'
>;

/** A cache: `sets * ways` lines of `lineBytes`; each address belongs to one set. */
export interface CacheShape {
  readonly lineBytes: number;
  readonly ways: number;
  /** Number of sets; 1 is a fully associative cache (default 1). */
  readonly sets?: number;
}

/** The options of `traceProduct` and `expectedMisses`. */
export interface TraceOptions {
  readonly method: TracedMethod;
  readonly cache: CacheShape;
  /** Edge of the blocks of `'blocked'` (default 4). */
  readonly block?: number;
}

/**
 * All accesses of a product to memory. a, b and the output lie one after the other, from line 0 on.
 */
export interface ProductTrace {
  /** `[n, m]` */
  readonly output: Tensor;
  /** Number of reads and writes. */
  readonly count: number;
  /**
   * Five numbers per access: matrix (0 a, 1 b, 2 output), 1 for a write, row, column, 1 for a hit.
   */
  readonly accesses: Int32Array;
  /**
   * `sets * ways` numbers per access: the lines of memory in the cache after it, each set from the
   * most recently used on; -1 for an empty line.
   */
  readonly lines: Int32Array;
  /** Three numbers per access: the misses of a, b and the output so far. */
  readonly misses: Int32Array;
  /** Two numbers per access: hits and misses so far. */
  readonly totals: Int32Array;
}

/** The result of `strassenLevel`. */
export interface StrassenResult {
  /** `[n, m]` */
  readonly output: Tensor;
  /** The sums of a's quarters, `[7, n / 2, k / 2]`. */
  readonly left: Tensor;
  /** The sums of b's quarters, `[7, k / 2, m / 2]`. */
  readonly right: Tensor;
  /** `[7, n / 2, m / 2]` */
  readonly products: Tensor;
}

/** -1, 0 or 1 for the quarters top left, top right, bottom left, bottom right. */
type QuarterSigns = readonly [number, number, number, number];

/**
 * One of Strassen's products: (sum of `left` times the quarters of a) (sum of `right` times the
 * quarters of b).
 */
export interface StrassenSigns {
  readonly left: QuarterSigns;
  readonly right: QuarterSigns;
  /** The signs with which the product is added to the quarters of the output. */
  readonly out: QuarterSigns;
}

/** The options of `productError`. */
export interface ErrorOptions {
  readonly method?: MatmulMethod;
  /** Number of times that Strassen halves, at most 2 (default: the fastest number). */
  readonly levels?: number;
}

/** The result of `productError`. */
export interface ErrorResult {
  /** The method's result minus the double-precision one, `[n, m]`. */
  readonly error: Tensor;
  readonly largest: number;
  /** The root of the mean square. */
  readonly rms: number;
}

export const lessonCalls = (context: Context) => {
  const { engine } = context;
  const raw = context.raw as RawWithLessons;

  const cacheOptions = (call: string, options: TraceOptions) => {
    checkKeys(call, 'options', 'option', options, ['method', 'cache', 'block']);
    checkKeys(call, 'cache', 'number', options.cache, ['lineBytes', 'ways', 'sets']);
    const { lineBytes, ways, sets } = options.cache;
    return {
      method: stringOption(call, 'method', options.method, 'ijk'),
      block: integerOption(call, 'block', options.block, 4, 0),
      lineBytes: integerOption(call, 'lineBytes', lineBytes, Number.NaN, 1),
      ways: integerOption(call, 'ways', ways, Number.NaN, 1),
      sets: integerOption(call, 'sets', sets, 1, 1),
    };
  };

  return {
    /**
     * The product of two matrices, `[n, k]` and `[k, m]`, step by step in one of four readings:
     * `'dots'` finishes an entry a step, `'rows'` adds a multiple of a row of b to a row,
     * `'columns'` a multiple of a column of a to a column, `'outer'` a column of a times a row of
     * b.
     *
     * @throws TrilError where the shapes do not fit, and for an unknown reading
     *
     * @example
     * ```ts
     * const a = tril.tensor([[1, 2], [3, 4]]);
     * const { output, partial } = tril.readProduct(a, a, { reading: 'outer' });
     * partial.toArray(); // [[[1, 2], [3, 6]], [[7, 10], [15, 22]]]
     * output.toArray(); // [[7, 10], [15, 22]]
     * ```
     */
    readProduct(a: Tensor, b: Tensor, options: { readonly reading: Reading }): ReadingResult {
      const call = 'readProduct';
      checkKeys(call, 'options', 'option', options, ['reading']);
      const reading = stringOption(call, 'reading', options.reading, '');
      return context.run(
        call,
        { a, b },
        (t) =>
          context.adoptAll(raw._readProduct(engine, t.a, t.b, reading)) as unknown as ReadingResult,
      );
    },

    /**
     * The product of two small matrices by one of the loop orders: every access to memory in order,
     * and its effect on a small cache of sets of lines, which evict the least recently used line.
     *
     * @throws TrilError where the shapes do not fit, for another method, and where the trace would
     * be too large
     *
     * @example
     * ```ts
     * const a = tril.randomNormal([4, 4], { seed: 1 });
     * const cache = { lineBytes: 16, ways: 4 };
     * const { count, misses, totals } = tril.traceProduct(a, a, { method: 'ikj', cache });
     * count; // 224
     * misses.slice(-3); // Int32Array.of(4, 16, 8)
     * totals.slice(-2); // Int32Array.of(196, 28)
     * ```
     */
    traceProduct(a: Tensor, b: Tensor, options: TraceOptions): ProductTrace {
      const call = 'traceProduct';
      const rawOptions = cacheOptions(call, options);
      return context.run(call, { a, b }, (t) => {
        const { output, accesses, ...followed } = raw._traceProduct(engine, t.a, t.b, rawOptions);
        const count = accesses.length / 5;
        return { output: context.adopt(output), count, accesses, ...followed };
      });
    },

    /**
     * The number of misses of the product of two n x n matrices in such a cache, from formulas instead of a trace. Null
     * where the formulas do not apply: for more than one set, for an n that is not a multiple of a line, and for a
     * cache that is too small or too large.
     *
     * @throws TrilError for an invalid n or cache
     *
     * @example
     * ```ts
     * const cache = { lineBytes: 32, ways: 32 };
     * tril.expectedMisses(64, { method: 'ijk', cache }); // 299008
     * tril.expectedMisses(64, { method: 'ikj', cache }); // 34304
     * ```
     */
    expectedMisses(n: number, options: TraceOptions): number | null {
      const call = 'expectedMisses';
      const size = integerOption(call, 'n', n, Number.NaN, 1);
      const rawOptions = cacheOptions(call, options);
      const misses = context.run(call, {}, () => raw._expectedMisses(size, rawOptions));
      return misses < 0 ? null : misses;
    },

    /**
     * One level of Strassen's product (1969) of two matrices of even sizes: seven sums of a's
     * quarters, seven of b's, their seven products, and the output as sums of these.
     *
     * @throws TrilError where the shapes do not fit or are odd
     *
     * @example
     * ```ts
     * const a = tril.tensor([[1, 2], [3, 4]]);
     * const { products, output } = tril.strassenLevel(a, a);
     * products.shape; // [7, 1, 1]
     * output.toArray(); // [[7, 10], [15, 22]]
     * ```
     */
    strassenLevel(a: Tensor, b: Tensor): StrassenResult {
      return context.run(
        'strassenLevel',
        { a, b },
        (t) => context.adoptAll(raw._strassenLevel(engine, t.a, t.b)) as unknown as StrassenResult,
      );
    },

    /**
     * The quarters that enter Strassen's seven products, and the quarters to which the products are
     * added.
     *
     * @example
     * ```ts
     * const [first] = tril.strassenSigns(); // (top left + bottom right) times the same of b
     * first; // { left: [1, 0, 0, 1], right: [1, 0, 0, 1], out: [1, 0, 0, 1] }
     * ```
     */
    strassenSigns(): StrassenSigns[] {
      const signs = raw._strassenSigns();
      const four = (from: number) => [...signs.slice(from, from + 4)] as unknown as QuarterSigns;
      return Array.from({ length: signs.length / 12 }, (_, product) => ({
        left: four(12 * product),
        right: four(12 * product + 4),
        out: four(12 * product + 8),
      }));
    },

    /**
     * The difference between a method's product of two matrices and the product in double precision.
     *
     * @throws TrilError where the shapes do not fit, for an unknown method, and for levels that it
     * does not have
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([64, 64], { seed });
     * const [a, b] = [normal(1), normal(2)];
     * const { rms } = tril.productError(a, b, { method: 'strassen', levels: 1 });
     * rms > 0 && rms < 1e-5; // true
     * ```
     */
    productError(a: Tensor, b: Tensor, options: ErrorOptions = {}): ErrorResult {
      const call = 'productError';
      checkKeys(call, 'options', 'option', options, ['method', 'levels']);
      const method = stringOption(call, 'method', options.method, 'auto');
      const levels = levelsOption(call, options.levels);
      return context.run(call, { a, b }, (t) => {
        const made = context.adoptAll(raw._productError(engine, t.a, t.b, method, levels));
        const number = (name: string) => {
          const [value] = made[name]!.read();
          made[name]!.dispose();
          return value!;
        };
        return { error: made['error']!, largest: number('largest'), rms: number('rms') };
      });
    },

    /**
     * Runs `rounds` rounds of multiply-adds on registers alone, and returns their number of
     * floating-point operations: timed, this gives the peak of one thread on this engine.
     *
     * @throws TrilError for less than one round
     *
     * @example
     * ```ts
     * const begin = performance.now();
     * const flops = tril.runPeak(1000);
     * const perSecond = flops / ((performance.now() - begin) / 1000);
     * perSecond > 0; // true
     * ```
     */
    runPeak(rounds: number): number {
      const whole = integerOption('runPeak', 'rounds', rounds, Number.NaN, 1);
      return context.run('runPeak', {}, () => raw._runPeak(whole));
    },
  };
};
