import type { Context } from '../context.js';
import { checkKeys, numberOption } from '../names.js';
import type { Tensor } from '../tensor.js';

/** The tolerance of `compare`: an element may be off by `absolute + relative * |expected|`. */
export interface CompareOptions {
  /** Allowed distance between two elements (default 0). */
  readonly absolute?: number;
  /** Additional allowed distance, as a fraction of the expected element's size (default 0). */
  readonly relative?: number;
}

/**
 * The difference of two tensors, computed in double. Two NaN, and two infinities of one sign, have distance 0; any
 * other number that is not finite has an infinite distance.
 */
export interface Difference {
  /** Number of elements compared. */
  readonly count: number;
  /** Number of elements beyond the tolerance. */
  readonly beyond: number;
  /** The root of the sum of the squared distances. */
  readonly frobenius: number;
  /** The root of the sum of the squares of the expected elements. */
  readonly expectedNorm: number;
  /** `frobenius` over `expectedNorm`; 0 over 0 is 0. */
  readonly relative: number;
  /** The largest distance. */
  readonly maxAbsolute: number;
  /** The largest distance over the expected element's size. */
  readonly maxRelative: number;
  /** The element with the largest distance, the first of equal ones. */
  readonly worst: {
    readonly index: readonly number[];
    readonly expected: number;
    readonly actual: number;
    /** Its distance over the size of the expected element; 0 over 0 is 0. */
    readonly relative: number;
  };
}

/** The statistics of all elements of a tensor, computed in double. */
export interface Statistics {
  readonly mean: number;
  /** The mean squared distance from the mean. */
  readonly variance: number;
  readonly smallest: number;
  readonly largest: number;
}

/** The index of element `number` in a tensor of that shape. */
function indexOf(number: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  let rest = number;
  for (const size of [...shape].reverse()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
}

export const measureCalls = (context: Context) => {
  const { raw } = context;
  return {
    /**
     * The difference between `actual` and `expected`, a tensor of the same shape.
     *
     * @throws TrilError where the shapes differ, and for a tolerance that is negative or not finite
     *
     * @example
     * ```ts
     * const [expected, actual] = [tril.tensor([3, 4]), tril.tensor([3, 4.5])];
     * const { frobenius, worst } = tril.compare(expected, actual);
     * frobenius; // 0.5
     * worst; // { index: [1], expected: 4, actual: 4.5, relative: 0.125 }
     * ```
     */
    compare(expected: Tensor, actual: Tensor, options: CompareOptions = {}): Difference {
      const call = 'compare';
      checkKeys(call, 'options', 'option', options, ['absolute', 'relative']);
      const absolute = numberOption(call, 'absolute', options.absolute, 0);
      const relative = numberOption(call, 'relative', options.relative, 0);
      return context.run(call, { expected, actual }, (t) => {
        const found = raw._compare(t.expected, t.actual, absolute, relative);
        const { worst, worstExpected, worstActual, worstRelative, ...norms } = found;
        const index = found.count === 0 ? [] : indexOf(worst, expected.shape);
        return {
          ...norms,
          worst: { index, expected: worstExpected, actual: worstActual, relative: worstRelative },
        };
      });
    },

    /**
     * Mean, variance and extremes of all elements. One NaN makes all four NaN.
     *
     * @throws TrilError where x is no tensor
     *
     * @example
     * ```ts
     * const found = tril.statistics(tril.tensor([1, 2, 3, 6]));
     * found; // { mean: 3, variance: 3.5, smallest: 1, largest: 6 }
     * ```
     */
    statistics(x: Tensor): Statistics {
      return context.run('statistics', { x }, (t) => raw._statistics(t.x));
    },

    /**
     * The exponent with which y grows in x: the slope of log y over log x by least squares.
     *
     * @throws TrilError where the shapes differ or a number is not finite and above 0, and for
     * fewer than two different x
     *
     * @example
     * ```ts
     * const sizes = tril.tensor([16, 32, 64]);
     * tril.growth(sizes, tril.tensor([0.5, 4, 32])).toFixed(3); // '3.000'
     * ```
     */
    growth(x: Tensor, y: Tensor): number {
      return context.run('growth', { x, y }, (t) => raw._growth(t.x, t.y));
    },
  };
};
