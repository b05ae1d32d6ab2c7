// The head of chapter "Learn" in double precision, from its definition; gradients are differences of losses, so that nothing
// is shared with the core's way back.
import { beginning, ids, targets, x } from '../../../web/src/compute/handmade/learn-head.ts';
import type { Rows } from '../lessons.ts';

export const stages = ['wq', 'wk', 'wv', 'q', 'k', 'v', 'scores', 'weights', 'output'] as const;
export type Stage = (typeof stages)[number];
export type Stages = Record<Stage, Rows>;

const rows = ({ cols, data }: { readonly cols: number; readonly data: Float32Array }): Rows =>
  Array.from({ length: data.length / cols }, (_, row) => [
    ...data.subarray(row * cols, (row + 1) * cols),
  ]);
export const input = rows(x);
export type Weights = Record<'wq' | 'wk' | 'wv', Rows>;
export const first: Weights = {
  wq: rows(beginning.wq),
  wk: rows(beginning.wk),
  wv: rows(beginning.wv),
};

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, one, i) => sum + one * b[i], 0);
const by = (a: Rows, b: Rows): Rows => a.map((row) => b.map((other) => dot(row, other)));
export function softmax(row: readonly number[]): number[] {
  const powers = row.map((one) => Math.exp(one));
  const sum = powers.reduce((all, one) => all + one, 0);
  return powers.map((one) => one / sum);
}

/** `given` stands in the place of the stages that it has. */
export function forward(weights: Weights, given: Partial<Stages> = {}): Stages {
  const { wq, wk, wv } = { ...weights, ...given };
  const q = given.q ?? by(input, wq);
  const k = given.k ?? by(input, wk);
  const v = given.v ?? by(input, wv);
  const scores =
    given.scores ?? by(q, k).map((row) => row.map((score) => score / Math.sqrt(q[0].length)));
  const shares =
    given.weights ??
    scores.map((row, t) => [...softmax(row.slice(0, t + 1)), ...row.slice(t + 1).map(() => 0)]);
  const output =
    given.output ??
    shares.map((row) =>
      v[0].map((_, c) =>
        dot(
          row,
          v.map((one) => one[c]),
        ),
      ),
    );
  return { wq, wk, wv, q, k, v, scores, weights: shares, output };
}

/** At each place, of the word that does come. */
export const surprises = ({ output }: Stages): number[] =>
  output.map((row, t) => -Math.log(softmax(row)[targets[t]]));

export const lossOf = (made: Stages): number =>
  surprises(made).reduce((sum, one) => sum + one, 0) / ids.length;

/** The loss with one number of a stage another. */
export function nudged(weights: Weights, stage: Stage, row: number, col: number, by_: number) {
  const made = forward(weights);
  const other = made[stage].map((one, r) =>
    one.map((value, c) => (r === row && c === col ? value + by_ : value)),
  );
  return lossOf(forward(weights, { [stage]: other }));
}

/** To about ten digits. */
export function gradient(weights: Weights, stage: Stage): Rows {
  const small = 1e-5;
  return forward(weights)[stage].map((one, row) =>
    one.map((_, col) => {
      const [up, down] = [small, -small].map((each) => nudged(weights, stage, row, col, each));
      return (up - down) / (2 * small);
    }),
  );
}

export function trained(rate: number, steps: number): Weights {
  let weights = first;
  for (let step = 0; step < steps; ++step) {
    const move = (id: keyof Weights) => {
      const slope = gradient(weights, id);
      return weights[id].map((row, r) => row.map((value, c) => value - rate * slope[r][c]));
    };
    weights = { wq: move('wq'), wk: move('wk'), wv: move('wv') };
  }
  return weights;
}
