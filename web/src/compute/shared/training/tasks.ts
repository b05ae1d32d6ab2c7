// Toy tasks whose mechanism can be checked. Every number comes from the core: batches consist of its random numbers, by
// seed alone.
import type { Tril, TokenBatch } from 'tril';

export const taskIds = ['induction', 'previous', 'fixed'] as const;
export type TaskId = (typeof taskIds)[number];

/** Length of all sequences. */
export const length = 32;
export const vocabulary = 24;
export const batchSize = 32;
/** Steps between two frames. */
export const every = 4;

/** Range of the distance between copies of a pattern; drawn anew for each sequence. */
type Periods = readonly [least: number, most: number];

interface Task {
  readonly steps: number;
  /** Null: each token is drawn independently, and its answer is the token before it. */
  readonly periods: Periods | null;
  /** Distances that it has never seen: a model that reads the tokens finds the answer all the same. */
  readonly others: Periods | null;
}

export const tasks: Readonly<Record<TaskId, Task>> = {
  induction: { steps: 200, periods: [5, 16], others: [20, 20] },
  previous: { steps: 100, periods: null, others: null },
  fixed: { steps: 200, periods: [16, 16], others: [5, 15] },
};

/** Label of positions without a question, whose answer cannot be known. */
const unasked = -100;

/** Sequences of a task, with the label of each token. */
export function batchOf(
  tril: Tril,
  periods: Periods | null,
  count: number,
  seed: number,
): Required<TokenBatch> & { readonly tokens: Int32Array; readonly targets: Int32Array } {
  const tokens = new Int32Array(count * length);
  const targets = new Int32Array(count * length);
  const across = periods ? vocabulary + 1 : length;
  const drawn = tril.randomUniform([count, across], { seed });
  const random = drawn.read();
  drawn.dispose();
  for (let row = 0; row < count; ++row) {
    const draws = random.subarray(row * across, (row + 1) * across);
    const put = (token: (t: number) => number, target: (t: number) => number) => {
      for (let t = 0; t < length; ++t) {
        tokens[row * length + t] = token(t);
        targets[row * length + t] = target(t);
      }
    };
    if (periods) {
      const [least, most] = periods;
      const period = least + Math.floor(draws[vocabulary] * (most - least + 1));
      // Distinct tokens in random order, repeated.
      const order = Array.from({ length: vocabulary }, (_, id) => id);
      const pattern = order.sort((a, b) => draws[a] - draws[b] || a - b).slice(0, period);
      const at = (t: number) => pattern[t % period];
      put(at, (t) => (t < period ? unasked : at(t + 1)));
    } else {
      const at = (t: number) => Math.floor(draws[t] * vocabulary);
      put(at, (t) => (t === 0 ? unasked : at(t - 1)));
    }
  }
  return { tokens, targets };
}

/** One seed for each purpose of a run, far apart. */
export const seedsOf = (seed: number) => ({
  step: (step: number) => 1_000_000 * seed + step,
  heldOut: 1_000_000 * seed + 900_000,
  others: 1_000_000 * seed + 900_001,
  weights: (index: number) => 1_000_000 * seed + 900_100 + index,
});
