// Toy tasks whose mechanism can be checked. Every number is the core's: batches are made of its random ones, by seed alone.
import type { Tril, TokenBatch } from 'tril';

export const taskIds = ['induction', 'previous', 'fixed'] as const;
export type TaskId = (typeof taskIds)[number];

/** Of all sequences. */
export const length = 32;
export const vocabulary = 24;
export const batchSize = 32;
/** Steps from one frame to the next. */
export const every = 4;

/** How far apart the copies of a pattern are; drawn anew for each sequence. */
type Periods = readonly [least: number, most: number];

interface Task {
  readonly steps: number;
  /** None: each token is drawn by itself, and its answer is the token before it. */
  readonly periods: Periods | null;
  /** Distances that it has never seen: whoever looks at the tokens finds the answer all the same. */
  readonly others: Periods | null;
}

export const tasks: Readonly<Record<TaskId, Task>> = {
  induction: { steps: 200, periods: [5, 16], others: [20, 20] },
  previous: { steps: 100, periods: null, others: null },
  fixed: { steps: 200, periods: [16, 16], others: [5, 15] },
};

/** Where nothing is asked: the answer cannot be known. */
const unasked = -100;

/** Sequences of a task, and what is to be said of each of their tokens. */
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
      // Tokens that are all different, in an order drawn at random, again and again.
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
