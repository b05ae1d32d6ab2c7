// Converts pasted numbers to a matrix: rows by line or by brackets, columns by comma, semicolon, tab or space.
import type { MatrixData } from '../compute/page/protocol';
import { parseNumber } from '../figures/format';

const maxRows = 64;
const maxCols = 12;

export type Numbers =
  | {
      readonly kind: 'numbers';
      readonly matrix: MatrixData;
      /** Number of rows and columns before the cut. */
      readonly found: { readonly rows: number; readonly cols: number };
    }
  | { readonly kind: 'problem'; readonly problem: NumbersProblem };

/** A problem, for which the page's texts have words; rows count from 1. */
export type NumbersProblem =
  | { readonly kind: 'notANumber'; readonly row: number; readonly found: string }
  | {
      readonly kind: 'ragged';
      readonly row: number;
      readonly found: number;
      readonly wanted: number;
    };

/** A line ends a row, and so does a bracket before the next one, as in [[1, 2], [3, 4]]. */
const rowEnd = /(\n|\]\s*(?:,\s*)?(?=\[))/u;

export function parseNumbers(text: string): Numbers {
  const lines = text.split(rowEnd).map((line) => line.replace(/[[\]()]/gu, ' ').trim());
  const rows = lines
    .filter((line) => /[^\s,]/u.test(line))
    .map((line) => line.split(/[\s,;]+/u).filter(Boolean));
  const wanted = rows[0]?.length ?? 0;
  const values: number[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.length !== wanted) {
      return problem({ kind: 'ragged', row: index + 1, found: row.length, wanted });
    }
    for (const entry of row) {
      const value = parseNumber(entry);
      if (value === null) return problem({ kind: 'notANumber', row: index + 1, found: entry });
      values.push(value);
    }
  }
  const shown = { rows: Math.min(rows.length, maxRows), cols: Math.min(wanted, maxCols) };
  const data = new Float32Array(shown.rows * shown.cols);
  for (let row = 0; row < shown.rows; ++row) {
    data.set(values.slice(row * wanted, row * wanted + shown.cols), row * shown.cols);
  }
  return {
    kind: 'numbers',
    matrix: { ...shown, data },
    found: { rows: rows.length, cols: wanted },
  };
}

function problem(found: NumbersProblem): Numbers {
  return { kind: 'problem', problem: found };
}

/** The text with one number replaced, for the edit of a cell of pasted numbers. */
export function replaceNumber(text: string, row: number, col: number, value: string): string {
  let seen = -1;
  return text
    .split(rowEnd)
    .map((line) => {
      if (/[^\s,[\]()]/u.test(line)) ++seen;
      else return line;
      if (seen !== row) return line;
      let entry = -1;
      return line.replace(/[^\s,;[\]()]+/gu, (old) => (++entry === col ? value : old));
    })
    .join('');
}
