import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { numberOption } from '../names.js';
import type { Cost } from './cost-types.js';

/** What the module's costs have besides, and does not look at. */
const notGiven = { bytes: 0, scores: -1 };

/** Calls of `cost`: what is made of several, and of what is measured besides. */
export const rateCalls = (context: Context) => {
  const quotient = (
    name: 'intensity' | 'gigaflops' | 'ratio',
    numbers: Readonly<Record<string, number>>,
  ) => {
    const call = `cost.${name}`;
    const [above, below] = Object.entries(numbers).map(([argument, value]) =>
      numberOption(call, argument, value, Number.NaN),
    );
    return context.run(call, {}, () => context.raw[`_${name}`](above!, below!));
  };

  return {
    /**
     * The cost of one computation after another; `heldBytes` is their maximum.
     *
     * @throws TrilError where there is no cost
     *
     * @example
     * ```ts
     * const [up, down] = [[64, 256], [256, 64]].map(([from, to]) =>
     *   tril.cost.linear({ rows: 1, in: from!, out: to! }),
     * );
     * tril.cost.sum([up!, down!]).flops === up!.flops + down!.flops; // true
     * ```
     */
    sum(costs: readonly Cost[]): Cost {
      if (!Array.isArray(costs) || costs.length === 0) {
        throw new TrilError('cost.sum', 'costs', 'must be a list of one or more costs');
      }
      const number = (cost: Cost | null, name: keyof Cost) =>
        numberOption('cost.sum', name, cost?.[name] ?? null, Number.NaN);
      const raws = (costs as readonly Cost[]).map((cost) => ({
        flops: number(cost, 'flops'),
        inputBytes: number(cost, 'inputBytes'),
        outputBytes: number(cost, 'outputBytes'),
        heldBytes: number(cost, 'heldBytes'),
        ...notGiven,
      }));
      return context.run('cost.sum', {}, () => {
        const nothing = { flops: 0, inputBytes: 0, outputBytes: 0, heldBytes: 0, ...notGiven };
        const { flops, inputBytes, outputBytes, heldBytes, bytes } = raws.reduce(
          (one, next) => context.raw._costSum(one, next),
          nothing,
        );
        return { flops, inputBytes, outputBytes, bytes, heldBytes };
      });
    },

    /**
     * Operations a byte.
     *
     * @throws TrilError for numbers that are not finite or negative, and for no bytes
     *
     * @example
     * ```ts
     * const { flops, bytes } = tril.cost.softmax({ rows: 1, length: 8 });
     * tril.cost.intensity(flops, bytes); // 0.625
     * ```
     */
    intensity: (flops: number, bytes: number): number => quotient('intensity', { flops, bytes }),

    /**
     * 10^9 operations a second, where they take so long.
     *
     * @throws TrilError for numbers that are not finite or negative, and for no time
     *
     * @example
     * ```ts
     * tril.cost.gigaflops(3e9, 500); // 6
     * ```
     */
    gigaflops: (flops: number, milliseconds: number): number =>
      quotient('gigaflops', { flops, milliseconds }),

    /**
     * One measured number over another of its kind: times as fast, a share of the peak.
     *
     * @throws TrilError for numbers that are not finite or negative, and for a share of nothing
     *
     * @example
     * ```ts
     * tril.cost.ratio(3, 4); // 0.75
     * ```
     */
    ratio: (number: number, of: number): number => quotient('ratio', { number, of }),
  };
};

// An interface, since what tsc infers for objects put together has lost the comments that editors show.
/** The calls of `tril.cost` that make one number of several: sums of costs, rates and ratios. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the name is what counts
export interface Rates extends ReturnType<typeof rateCalls> {}
