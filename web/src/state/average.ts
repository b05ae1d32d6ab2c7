// The state of chapter "Average" as its address holds it: #average?x=2,7;6,4;6,5&batch=1&...
import type { Cell } from './cell';
import { cell, choice, codecOf, matrix, matrixText, numbers, whole, type StateOf } from './fields';

/** x, and of the three versions: the source of the weights, the weights, the result. */
const averageIds = ['x', 'loops', 'ones', 'rows', 'matrix', 'mask', 'soft', 'softmax'] as const;
export type AverageCell = Cell<(typeof averageIds)[number]>;

/** Values of softmax's mask where it hides, in the order of the slider. */
export const hiddenScores = [0, -0.5, -1, -2, -4, -8, -Infinity] as const;

export const longest = 8;
export const widest = 4;
export const series = [2, 4, 6, 8] as const;

const fields = {
  /** Two sequences, a batch: each [T, C]. */
  x: matrix(longest, [
    [2, 7],
    [6, 4],
    [6, 5],
  ]),
  y: matrix(longest, [
    [1, -2],
    [3, 0],
    [-4, 8],
  ]),
  /** The sequence shown. */
  batch: whole(1, 2, 1),
  show: choice(['averages', 'sums'], 'averages'),
  /** Index into hiddenScores. */
  hidden: whole(0, hiddenScores.length - 1, hiddenScores.length - 1),
  pin: cell(averageIds),
  /** The scores of the last row, or the weights themselves. */
  scores: numbers([0, 0, 0, 0]),
  weights: numbers([0, 0, -1, 2]),
  blend: choice(['softmax', 'free'], 'softmax'),
};

export type AverageState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields, ({ x, y }) => {
  if (x.rows === y.rows && x.cols === y.cols && x.cols <= widest) return null;
  const found = `${matrixText(x)} | ${matrixText(y)}`.slice(0, 40);
  return {
    problem: { field: 'x, y', found },
    instead: { x: fields.x.usual, y: fields.y.usual },
  };
});
