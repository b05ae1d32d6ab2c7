// The state of chapter "Multiply" as its address holds it: #multiply?reading=rows&step=3&...
import type { Reading } from 'tril/lessons';
import type { Cell } from './cell';
import { cell, choice, codecOf, matrix, matrixText, renamed, whole, type StateOf } from './fields';

/** The matrices of the readings, and those of Strassen. */
const readingIds = ['a', 'b', 'c'] as const;
const strassenIds = ['sa', 'sb', 'left', 'right', 'product', 'sc'] as const;
export type ReadingCell = Cell<(typeof readingIds)[number]>;
export type StrassenCell = Cell<(typeof strassenIds)[number]>;

export const readings = ['dots', 'rows', 'columns', 'outer'] as const satisfies readonly Reading[];
export const orders = ['ijk', 'jik', 'ikj', 'kij', 'jki', 'kji', 'blocked'] as const;

export const largest = 6;
const strassenSize = 4;

const square = (rows: readonly (readonly number[])[]) =>
  matrix(strassenSize, rows, (given) => given.rows === strassenSize && given.cols === strassenSize);

const fields = {
  a: matrix(largest, [
    [1, 2, 0, -1],
    [3, 1, 2, 1],
    [0, -2, 1, 4],
  ]),
  b: matrix(largest, [
    [2, 1],
    [0, 3],
    [-1, 2],
    [4, 1],
  ]),
  reading: choice(readings, 'dots'),
  /** Number of completed steps. */
  step: whole(0, largest ** 2, 5),
  pin: cell(readingIds),
  order: choice(orders, 'ijk'),
  /** Number of completed memory accesses. */
  access: whole(0, 100_000, 900),
  strassenA: renamed(
    'sa',
    square([
      [1, 2, 0, 1],
      [3, 1, 2, 0],
      [0, 1, 4, 2],
      [2, 0, 1, 3],
    ]),
  ),
  strassenB: renamed(
    'sb',
    square([
      [2, 0, 1, 1],
      [1, 3, 0, 2],
      [0, 1, 2, 1],
      [4, 1, 0, 3],
    ]),
  ),
  /** The selected one of Strassen's seven products, from 1. */
  product: whole(1, 7, 1),
  strassenPin: renamed('spin', cell(strassenIds)),
};

export type MultiplyState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields, ({ a, b }) => {
  if (a.cols === b.rows) return null;
  const found = `${matrixText(a)} × ${matrixText(b)}`.slice(0, 40);
  return {
    problem: { field: 'a, b', found },
    instead: { a: fields.a.usual, b: fields.b.usual },
  };
});
