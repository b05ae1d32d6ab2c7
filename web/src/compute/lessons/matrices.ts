// Matrices of the page to tensors of the core, and back.
import type { Cost, Tensor, Tril } from 'tril';
import type { CostData, MatrixData } from '../protocol';

export function upload(tril: Tril, { rows, cols, data }: MatrixData): Tensor {
  return tril.tensor([rows, cols], data);
}

export function download(tensor: Tensor): MatrixData {
  const [rows, cols] = tensor.shape.slice(-2);
  return { rows, cols, data: tensor.read() };
}

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

/**
 * Products element by element: every row of b as a diagonal matrix, times the row of a beside it. Of a all
 * numbers must be finite; what is not finite in b stays where it is.
 */
export function elementwise(tril: Tril, a: MatrixData, b: MatrixData): Tensor {
  const { rows, cols } = a;
  const diagonals = new Float32Array(rows * cols * cols);
  for (let row = 0; row < rows; ++row) {
    for (let col = 0; col < cols; ++col) {
      diagonals[(row * cols + col) * cols + col] = b.data[row * cols + col];
    }
  }
  const products = tril.matmul(
    tril.tensor([rows, 1, cols], a.data),
    tril.tensor([rows, cols, cols], diagonals),
  );
  return tril.tensor([rows, cols], products.read());
}

export const costData = ({ flops, bytes }: Cost): CostData => ({ flops, bytes });
