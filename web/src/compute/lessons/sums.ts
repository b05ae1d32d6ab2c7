// Sums, differences and sizes of tensors, made of the core's calls.
import type { Tensor, Tril } from 'tril';

/** `a` times one plus `b` times other, as one product: [a, b] times both, row by row. */
function combined(tril: Tril, factors: readonly [number, number], one: Tensor, other: Tensor) {
  const both = tril.tensor([2, one.size], [...one.read(), ...other.read()]);
  const sum = tril.matmul(tril.tensor([1, 2], [...factors]), both);
  return tril.tensor(one.shape, sum.read());
}

export function add(tril: Tril, one: Tensor, other: Tensor): Tensor {
  return combined(tril, [1, 1], one, other);
}

export function subtract(tril: Tril, one: Tensor, other: Tensor): Tensor {
  return combined(tril, [1, -1], one, other);
}

/** The largest distance between numbers at the same place. */
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
