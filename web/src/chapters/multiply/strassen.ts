// Quarters of matrices, and their sums by Strassen's signs.
import type { MatrixData } from '../../compute/page/protocol';
import type { Mark } from '../../figures/pointing.svelte';

interface Signed {
  readonly index: number;
  readonly sign: number;
}

/** The terms whose sign is not zero. */
export function present(signs: readonly number[]): Signed[] {
  return signs.map((sign, index) => ({ index, sign })).filter(({ sign }) => sign !== 0);
}

/** Row and column in the complete matrix of an element of a quarter. */
export function entry(
  quarter: number,
  half: number,
  row: number,
  col: number,
): readonly [number, number] {
  return [Math.floor(quarter / 2) * half + row, (quarter % 2) * half + col];
}

/** The quarter that contains an element, and its position there. */
export function inside(half: number, row: number, col: number) {
  const quarter = 2 * Math.floor(row / half) + Math.floor(col / half);
  return { quarter, row: row % half, col: col % half };
}

export function quarterMarks(
  matrix: string,
  signs: readonly number[],
  { rows, cols }: MatrixData,
): Mark[] {
  return present(signs).map(({ index }) => {
    const [top, left] = [Math.floor(index / 2) * (rows / 2), (index % 2) * (cols / 2)];
    return {
      matrix,
      rows: [top, top + rows / 2 - 1],
      cols: [left, left + cols / 2 - 1],
    };
  });
}
