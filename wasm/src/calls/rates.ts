import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { numberOption } from '../names.js';
import type { Cost } from './cost-types.js';

/** Fields of the module's costs that it ignores. */
const notGiven = { bytes: 0, scores: -1 };

/** Calls of `cost`: sums of costs, and measured quantities. */
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
     * The cost of successive computations; `heldBytes` is their maximum.
     *
     * @throws TrilError without any cost
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
     * Operations per byte.
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
     * 10^9 operations per second, for operations that take that long.
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
     * The ratio of two measured numbers of one kind: a speed-up, a share of the peak.
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

// An interface, since the type that tsc infers for merged objects loses the comments that editors show.
/** The calls of `tril.cost` that combine numbers: sums of costs, rates and ratios. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the name is what counts
export interface Rates extends ReturnType<typeof rateCalls> {}
