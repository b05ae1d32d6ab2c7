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
  return subtract(tril, one, other)
    .read()
    .reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** The Frobenius norm: a matrix of one row has one singular value, its length. */
export function norm(tril: Tril, x: Tensor): number {
  const [length] = tril.singularValues(tril.tensor([1, x.size], x.read())).read();
  return length;
}

export interface Moments {
  readonly mean: readonly number[];
  readonly variance: readonly number[];
}

/** Mean and (biased) variance of every row. */
export function moments(tril: Tril, x: Tensor): Moments {
  const [rows, cols] = x.shape;
  const shares = tril.tensor([cols, 1], new Float32Array(cols).fill(1 / cols));
  const mean = tril.matmul(x, shares);
  const everywhere = tril.matmul(mean, tril.tensor([1, cols], new Float32Array(cols).fill(1)));
  const centred = subtract(tril, x, everywhere).read();
  const squares = tril.matmul(
    tril.tensor([rows, 1, cols], centred),
    tril.tensor([rows, cols, 1], centred),
  );
  const variance = tril.matmul(tril.tensor([rows, 1], squares.read()), tril.tensor([[1 / cols]]));
  return { mean: [...mean.read()], variance: [...variance.read()] };
}
