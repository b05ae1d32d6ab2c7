// Quarters of matrices, and the sums that Strassen's signs make of them.
import type { MatrixData } from '../../compute/page/protocol';
import type { Mark } from '../../figures/pointing.svelte';

interface Signed {
  readonly index: number;
  readonly sign: number;
}

/** Those that are not zero. */
export function present(signs: readonly number[]): Signed[] {
  return signs.map((sign, index) => ({ index, sign })).filter(({ sign }) => sign !== 0);
}

/** Row and column of an entry of a quarter in the whole matrix. */
export function entry(
  quarter: number,
  half: number,
  row: number,
  col: number,
): readonly [number, number] {
  return [Math.floor(quarter / 2) * half + row, (quarter % 2) * half + col];
}

/** The quarter that an entry is in, and its place there. */
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
