// Quarters of matrices, and the sums that Strassen's signs make of them.
import type { StrassenSigns } from 'tril/lessons';
import type { MatrixData } from '../../compute/protocol';
import type { Mark } from '../../figures/pointing.svelte';

const names = ['11', '12', '21', '22'] as const;

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

/** "A_{11} + A_{22}" as TeX. */
function sum(letter: string, role: string, signs: readonly number[]): string {
  return present(signs)
    .sort((one, other) => other.sign - one.sign)
    .map(({ index, sign }, place) => {
      const mark = sign < 0 ? '-' : place > 0 ? '+' : '';
      return `${mark}\\role{${role}}{${letter}_{${names[index]}}}`;
    })
    .join(' ');
}

const bracketed = (signs: readonly number[], text: string) =>
  present(signs).length > 1 ? `(${text})` : `\\,${text}`;

export function productFormula(p: number, { left, right }: StrassenSigns): string {
  const [a, b] = [sum('A', 'q', left), sum('B', 'k', right)];
  return `\\role{v}{M_{${p + 1}}} = ${bracketed(left, a)}${bracketed(right, b)}`;
}

/** Where the product goes: "C_{11} += M_1", for each quarter. */
export function useFormula(p: number, { out }: StrassenSigns): string {
  return present(out)
    .map(
      ({ index, sign }) =>
        `\\role{score}{C_{${names[index]}}} \\mathrel{${sign < 0 ? '-' : '+'}}= \\role{v}{M_{${p + 1}}}`,
    )
    .join(',\\quad ');
}
