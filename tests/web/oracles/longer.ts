// Chapter "Longer" computed in Node: its inputs, and its intermediate results.
import type { Tensor, Tril } from 'tril';
import { rowsOf, type Rows } from '../lessons.ts';

/** The chapter's random Q, K and V, [1, 1, T, 4] each. */
export function inputs(core: Tril, tokens = 8, seed = 1): [Tensor, Tensor, Tensor] {
  const all = core.randomNormal([3, tokens, 4], { seed }).read();
  const size = 4 * tokens;
  const part = (i: number) => core.tensor([1, 1, tokens, 4], all.slice(i * size, (i + 1) * size));
  return [part(0), part(1), part(2)];
}

/** The state of online softmax for queries 1 to 4, causal, after keys 3 and 4, which follow keys 1 and 2. */
export function secondBlock(core: Tril, q: Tensor, k: Tensor, v: Tensor): Record<string, Rows> {
  const { trace } = core.attention(q, k, v, { causal: true, trace: true });
  const scores = rowsOf(trace.masked)
    .slice(0, 4)
    .map((row) => row.slice(0, 4));
  const values = rowsOf(v).slice(0, 4);
  const max = scores.map((row) => Math.max(...row));
  const powers = scores.map((row, t) => row.map((score) => Math.exp(score - max[t])));
  return {
    block: scores.map((row) => row.slice(2)),
    max: max.map((one) => [one]),
    factor: scores.map(([first, second], t) => [Math.exp(Math.max(first, second) - max[t])]),
    sum: powers.map((row) => [row.reduce((sum, power) => sum + power)]),
    part: powers.map((row) =>
      values[0].map((_, d) => row.reduce((sum, power, s) => sum + power * values[s][d], 0)),
    ),
  };
}
