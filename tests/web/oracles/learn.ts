// The head of chapter "Learn" in double precision, from its definition, with numbers of its own; gradients are
// differences of losses, which share nothing with the core's backward pass.
import type { Rows } from '../lessons.ts';

export const stages = ['wq', 'wk', 'wv', 'q', 'k', 'v', 'scores', 'weights', 'output'] as const;
export type Stage = (typeof stages)[number];
export type Stages = Record<Stage, Rows>;

/** Numbers rounded to the core's float32. */
const held = (rows: Rows): Rows => rows.map((row) => row.map(Math.fround));
/** "the cat saw the": two numbers for the word, one for the position. */
export const input = held([
  [1, 0, 0],
  [0, 1, 0.3],
  [-1, -1, 0.6],
  [1, 0, 0.9],
]);
/** The next words, "cat saw the dog", as indices into: the cat saw dog. */
const targets = [1, 2, 0, 3];
/** Matrices [out, in]. */
export type Weights = Record<'wq' | 'wk' | 'wv', Rows>;
export const first: Weights = {
  wq: held([
    [0.5, -1, 1],
    [1, 0.5, -0.5],
  ]),
  wk: held([
    [1, 0.5, -1],
    [-0.5, 1, 0.5],
  ]),
  wv: held([
    [0.2, 0.5, -0.6],
    [-0.4, 0.3, 0.8],
    [0.8, -0.5, 0.4],
    [-0.3, 0.2, 0.5],
  ]),
};

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, one, i) => sum + one * b[i], 0);
const by = (a: Rows, b: Rows): Rows => a.map((row) => b.map((other) => dot(row, other)));
export function softmax(row: readonly number[]): number[] {
  const powers = row.map((one) => Math.exp(one));
  const sum = powers.reduce((all, one) => all + one, 0);
  return powers.map((one) => one / sum);
}

/** The forward pass; `given` replaces the stages that it has. */
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

/** The surprise at each position: -log of the probability of the word that follows. */
export const surprises = ({ output }: Stages): number[] =>
  output.map((row, t) => -Math.log(softmax(row)[targets[t]]));

export const lossOf = (made: Stages): number =>
  surprises(made).reduce((sum, one) => sum + one, 0) / targets.length;

/** The loss after a change of one number of a stage. */
export function nudged(weights: Weights, stage: Stage, row: number, col: number, by_: number) {
  const made = forward(weights);
  const other = made[stage].map((one, r) =>
    one.map((value, c) => (r === row && c === col ? value + by_ : value)),
  );
  return lossOf(forward(weights, { [stage]: other }));
}

/** The gradient of a stage, to about ten digits. */
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
