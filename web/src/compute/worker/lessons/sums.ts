// Distances, norms and moments of tensors, computed by the core's calls.
import type { Tensor, Tril } from 'tril';

/** The maximum difference between elements at the same position. */
export function apart(tril: Tril, one: Tensor, other: Tensor): number {
  return tril.compare(one, other).maxAbsolute;
}

/** The Frobenius norm. */
export function norm(tril: Tril, x: Tensor): number {
  return tril.compare(x, x).expectedNorm;
}

export interface Moments {
  readonly mean: readonly number[];
  readonly variance: readonly number[];
}

/** Mean and (biased) variance of every row. */
export function moments(tril: Tril, x: Tensor): Moments {
  const [rows, cols] = x.shape;
  const data = x.read();
  const each = Array.from({ length: rows }, (_, row) =>
    tril.statistics(tril.tensor([cols], data.slice(row * cols, (row + 1) * cols))),
  );
  return { mean: each.map(({ mean }) => mean), variance: each.map(({ variance }) => variance) };
}
