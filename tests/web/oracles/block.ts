// Chapter "Block" computed in Node: its words and positions, and a block of random weights.
import type { Tensor, Tril } from 'tril';
import { rowsOf, type Rows } from '../lessons.ts';

/** "the cat saw the dog", as ids in order of first appearance. */
export const ids = [0, 1, 2, 0, 3];
export const seed = 7;

export function weightsOf(core: Tril, width: number, hidden: number, from: number) {
  const draw = (rows: number, cols: number, nth: number) => {
    const high = Math.sqrt(6 / (rows + cols));
    return core.randomUniform([rows, cols], { seed: from + nth, low: -high, high });
  };
  return {
    'self_attn.in_proj_weight': draw(3 * width, width, 1),
    'self_attn.out_proj.weight': draw(width, width, 2),
    'linear1.weight': draw(hidden, width, 3),
    'linear2.weight': draw(width, hidden, 4),
  };
}

export const added = (a: Rows, b: Rows) =>
  a.map((row, r) => row.map((value, c) => value + b[r][c]));

export function inputOf(core: Tril, tokens: number[], positions: boolean): Tensor {
  const words = rowsOf(core.embedding(tokens, core.randomNormal([16, 8], { seed: 100 * seed })));
  const places = rowsOf(core.sinusoidalPositions(tokens.length, 8));
  return core.tensor(positions ? added(words, places) : words);
}

export function blockOf(core: Tril, x: Tensor, norm: 'post' | 'pre', causal = false) {
  const weights = weightsOf(core, 8, 16, 100 * seed);
  return core.transformerBlock(x, weights, { heads: 2, norm, causal, trace: true });
}

/** Layer norm by its definition. */
export function normed(x: Rows): Rows {
  return x.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    return row.map((value) => (value - mean) / Math.sqrt(variance + 1e-5));
  });
}
