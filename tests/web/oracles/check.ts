// The default case of chapter "Check", in double precision, loop by loop: correct attention, and attention with each
// mistake.
import type { Tril } from 'tril';
import type { Rows } from '../lessons.ts';

/** The mistakes in the order of the cases. */
export const bugs = [
  ...['noScale', 'hidesItself', 'softmaxOverQueries'],
  ...['noMask', 'keysForValues', 'maskAfterSoftmax'],
];
const [tokens, width] = [6, 4];

/** Scales each row, or each column, to the sum 1. */
function normalised(powers: Rows, columns: boolean): Rows {
  const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);
  return powers.map((row) =>
    row.map((one, s) => one / (sum(columns ? powers.map((other) => other[s]) : row) || 1)),
  );
}

/** Causal attention of one head with that mistake; any other name means none. */
function attention(q: Rows, k: Rows, v: Rows, bug: string): Rows {
  const sees = (t: number, s: number) => (bug === 'hidesItself' ? s < t : s <= t);
  const masked = bug !== 'noMask' && bug !== 'maskAfterSoftmax';
  const scale = bug === 'noScale' ? 1 : 1 / Math.sqrt(width);
  const powers = q.map((query, t) =>
    k.map((key, s) => {
      const score = query.reduce((sum, one, d) => sum + one * key[d], 0);
      return masked && !sees(t, s) ? 0 : Math.exp(score * scale);
    }),
  );
  const weights = normalised(powers, bug === 'softmaxOverQueries').map((row, t) =>
    row.map((one, s) => (bug === 'maskAfterSoftmax' && !sees(t, s) ? 0 : one)),
  );
  const blended = bug === 'keysForValues' ? k : v;
  return weights.map((row) =>
    blended[0].map((_, d) => row.reduce((sum, weight, s) => sum + weight * blended[s][d], 0)),
  );
}

export function bugCase(core: Tril, number: number): Record<'ours' | 'theirs' | 'gap', Rows> {
  const all = core.randomNormal([3, tokens, width], { seed: number }).read();
  const [q, k, v] = [0, 1, 2].map((i) =>
    Array.from({ length: tokens }, (_, t) => {
      const from = (i * tokens + t) * width;
      return [...all.slice(from, from + width)];
    }),
  );
  const ours = attention(q, k, v, 'right');
  const theirs = attention(q, k, v, bugs[(number - 1) % bugs.length]);
  const gap = ours.map((row, t) => row.map((one, d) => one - theirs[t][d]));
  return { ours, theirs, gap };
}
