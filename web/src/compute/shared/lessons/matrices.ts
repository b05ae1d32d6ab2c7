// Converts matrices of the page to tensors of the core, and back.
import type { Cost, Tensor, Tril } from 'tril';
import type { CostData, MatrixData } from '../../page/protocol';

export function upload(tril: Tril, { rows, cols, data }: MatrixData): Tensor {
  return tril.tensor([rows, cols], data);
}

export function download(tensor: Tensor): MatrixData {
  const [rows, cols] = tensor.shape.slice(-2);
  return { rows, cols, data: tensor.read() };
}

/** A matrix of ones; a product with it adds up. */
export const ones = (tril: Tril, rows: number, cols: number): Tensor =>
  tril.tensor([rows, cols], new Float32Array(rows * cols).fill(1));

/** The matrices along the first axis. */
export function stack(tensor: Tensor): MatrixData[] {
  const [count, rows, cols] = tensor.shape;
  const data = tensor.read();
  const size = rows * cols;
  return Array.from({ length: count }, (_, i) => ({
    rows,
    cols,
    data: data.slice(i * size, (i + 1) * size),
  }));
}

export const costData = (tril: Tril, { flops, bytes }: Cost): CostData => ({
  ...{ flops, bytes },
  intensity: tril.cost.intensity(flops, bytes),
});
