// The state of chapter "Multiply" as its address holds it: #multiply?reading=rows&step=3&...
import type { Reading, TracedMethod } from 'tril';
import * as v from 'valibot';
import type { MatrixData } from '../compute/protocol';
import type { Cell } from './cell';
import {
  cell,
  cellText,
  decodeFields,
  encodeFields,
  matrix,
  matrixOf,
  matrixText,
  whole,
  type Fields,
} from './fields';

/** The matrices of the readings, and those of Strassen. */
export const readingIds = ['a', 'b', 'c'] as const;
export const strassenIds = ['sa', 'sb', 'left', 'right', 'product', 'sc'] as const;
export type ReadingCell = Cell<(typeof readingIds)[number]>;
export type StrassenCell = Cell<(typeof strassenIds)[number]>;

export const readings = ['dots', 'rows', 'columns', 'outer'] as const satisfies readonly Reading[];
export const orders = ['ijk', 'jik', 'ikj', 'kij', 'jki', 'kji', 'blocked'] as const;

export interface MultiplyState {
  readonly a: MatrixData;
  readonly b: MatrixData;
  readonly reading: Reading;
  /** Steps that have been done. */
  readonly step: number;
  readonly pin: ReadingCell | null;
  readonly order: TracedMethod;
  /** Accesses to memory that have been done. */
  readonly access: number;
  readonly sa: MatrixData;
  readonly sb: MatrixData;
  /** Which of Strassen's seven, from 1. */
  readonly product: number;
  readonly spin: StrassenCell | null;
}

export const largest = 6;
export const strassenSize = 4;

export const defaults: MultiplyState = {
  a: matrixOf([
    [1, 2, 0, -1],
    [3, 1, 2, 1],
    [0, -2, 1, 4],
  ]),
  b: matrixOf([
    [2, 1],
    [0, 3],
    [-1, 2],
    [4, 1],
  ]),
  reading: 'dots',
  step: 0,
  pin: null,
  order: 'ijk',
  access: 0,
  sa: matrixOf([
    [1, 2, 0, 1],
    [3, 1, 2, 0],
    [0, 1, 4, 2],
    [2, 0, 1, 3],
  ]),
  sb: matrixOf([
    [2, 0, 1, 1],
    [1, 3, 0, 2],
    [0, 1, 2, 1],
    [4, 1, 0, 3],
  ]),
  product: 1,
  spin: null,
};

const square = v.pipe(
  matrix(strassenSize),
  v.check(({ rows, cols }) => rows === strassenSize && cols === strassenSize),
);

const fields: Fields<MultiplyState> = {
  a: matrix(largest),
  b: matrix(largest),
  reading: v.picklist(readings),
  step: whole(0, largest ** 2),
  pin: cell(readingIds),
  order: v.picklist(orders),
  access: whole(0, 100_000),
  sa: square,
  sb: square,
  product: whole(1, 7),
  spin: cell(strassenIds),
};

export function decode(query: string) {
  const { state, problems } = decodeFields(fields, defaults, query);
  if (state.a.cols === state.b.rows) return { state, problems };
  const found = `${matrixText(state.a)} × ${matrixText(state.b)}`.slice(0, 40);
  const { a, b } = defaults;
  return { state: { ...state, a, b }, problems: [...problems, { field: 'a, b', found }] };
}

export function encode(state: MultiplyState): string {
  return encodeFields<MultiplyState>(
    {
      a: matrixText,
      b: matrixText,
      reading: String,
      step: String,
      pin: cellText,
      order: String,
      access: String,
      sa: matrixText,
      sb: matrixText,
      product: String,
      spin: cellText,
    },
    defaults,
    state,
  );
}
