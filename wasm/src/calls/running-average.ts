import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { booleanOption, checkKeys, describe, numberOption, stringOption } from '../names.js';
import type { Tensor } from '../tensor.js';

/** The ways of averaging, see `runningAverage`. */
export const averageMethods = ['loops', 'matrix', 'softmax'] as const;
/** One of `averageMethods`. */
export type AverageMethod = (typeof averageMethods)[number];

/** The options of `runningAverage`. */
export interface RunningAverageOptions {
  /** Two loops, which is the default, a triangular matrix, or softmax of a mask. */
  readonly method?: AverageMethod;
  /** Whether to give sums instead of averages; not with softmax. */
  readonly sum?: boolean;
  /** Number above the diagonal in the mask of softmax (default -Infinity). */
  readonly hidden?: number;
}

/** The result of `runningAverage`. */
export interface RunningAverageResult {
  /** `[B, T, C]` */
  readonly output: Tensor;
  /**
   * The matrix from which the weights are made: a triangle of ones, or the mask, `[T, T]`; not with
   * `loops`.
   */
  readonly mask?: Tensor;
  /** The weight of each time in every average, `[T, T]`; not with `loops`. */
  readonly weights?: Tensor;
}

export const runningAverageCalls = (context: Context) => {
  const { raw, engine } = context;
  return {
    /**
     * The average up to each time: `output[b, t]` is the mean of `x[b, 0 .. t]`, x `[B, T, C]`, in
     * one of three ways that agree within rounding.
     *
     * @throws TrilError where x has not three axes, and for options that do not fit the method
     *
     * @example
     * ```ts
     * const x = tril.tensor([[[2], [4], [9]]]); // [B, T, C]
     * tril.runningAverage(x).output.toArray(); // [[[2], [3], [5]]]
     * const { weights } = tril.runningAverage(x, { method: 'matrix' });
     * weights!.toArray(); // [[1, 0, 0], [0.5000, 0.5000, 0], [0.3333, 0.3333, 0.3333]]
     * ```
     */
    runningAverage(x: Tensor, options: RunningAverageOptions = {}): RunningAverageResult {
      const call = 'runningAverage';
      checkKeys(call, 'options', 'option', options, ['method', 'sum', 'hidden']);
      const rawOptions = {
        method: stringOption(call, 'method', options.method, 'loops'),
        sum: booleanOption(call, 'sum', options.sum, false),
        hidden: numberOption(call, 'hidden', options.hidden, -Infinity),
      };
      if (rawOptions.method !== 'softmax' && options.hidden !== undefined) {
        const problem = `is softmax's, not of method ${describe(rawOptions.method)}`;
        throw new TrilError(call, 'hidden', problem);
      }
      return context.run(
        call,
        { x },
        (t) =>
          context.adoptAll(
            raw._runningAverage(engine, t.x, rawOptions),
          ) as unknown as RunningAverageResult,
      );
    },
  };
};
