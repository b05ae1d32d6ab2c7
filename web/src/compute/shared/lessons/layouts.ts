// Tensors as plain data, and permutations of their axes.
import type { Tensor, Tril } from 'tril';
import type { MatrixData } from '../../page/protocol';

export interface TensorData {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export const tensorOf = (tril: Tril, { shape, data }: TensorData): Tensor =>
  tril.tensor(shape, data);

export const dataOf = (tensor: Tensor): TensorData => ({
  shape: tensor.shape,
  data: tensor.read(),
});

/** The same elements in another shape. */
export const shaped = ({ data }: TensorData, shape: readonly number[]): TensorData => ({
  shape,
  data,
});

/**
 * A matrix that is as square as possible, with the first axes as rows and the last ones as columns; a single axis is a
 * row.
 */
export function asRows({ shape, data }: TensorData): MatrixData {
  let best = { rows: 1, cols: data.length };
  let rows = 1;
  for (const size of shape.slice(0, -1)) {
    rows *= size;
    const cols = data.length / rows;
    const slender = ({ rows: down, cols: across }: typeof best) =>
      Math.max(down, across) / Math.min(down, across);
    if (slender({ rows, cols }) <= slender(best)) best = { rows, cols };
  }
  return { ...best, data };
}

/** Swaps the middle two of four axes: [B, T, H, D] to [B, H, T, D], and back. */
export function swapMiddle({ shape, data }: TensorData): TensorData {
  const [batches, first, second, width] = shape;
  const swapped = new Float32Array(data.length);
  for (let b = 0; b < batches; ++b) {
    for (let i = 0; i < first; ++i) {
      for (let j = 0; j < second; ++j) {
        const from = ((b * first + i) * second + j) * width;
        const to = ((b * second + j) * first + i) * width;
        swapped.set(data.subarray(from, from + width), to);
      }
    }
  }
  return { shape: [batches, second, first, width], data: swapped };
}

/**
 * The same elements in the wanted shape: without leading axes of 1, or from heads side by side in the last axis, [B, T,
 * H D], or after the tokens, [B, T, H, D], to [B, H, T, D]. Null if it does not fit.
 */
export function fitted(given: TensorData, wanted: readonly number[]): TensorData | null {
  const bare = (shape: readonly number[]) => shape.join().replace(/^(1,)+/u, '');
  if (bare(given.shape) === bare(wanted)) return shaped(given, wanted);
  if (wanted.length < 3) return null;
  const [batches, heads, tokens, width] = [...Array<number>(4 - wanted.length).fill(1), ...wanted];
  const after = [
    [batches, tokens, heads * width],
    [batches, tokens, heads, width],
  ].map(bare);
  if (!after.includes(bare(given.shape))) return null;
  return shaped(swapMiddle(shaped(given, [batches, tokens, heads, width])), wanted);
}

/** The transpose of a matrix. */
export function transposed({ shape, data }: TensorData): TensorData {
  const [rows, cols] = shape;
  return {
    shape: [cols, rows],
    data: Float32Array.from(data, (_, i) => data[(i % rows) * cols + Math.floor(i / rows)]),
  };
}

/** Equal parts of the first axis, in another order. */
export function partsInOrder({ shape, data }: TensorData, order: readonly number[]): TensorData {
  const size = data.length / order.length;
  const reordered = new Float32Array(data.length);
  order.forEach((part, place) =>
    reordered.set(data.subarray(part * size, (part + 1) * size), place * size),
  );
  return { shape, data: reordered };
}
