// The state of chapter "Average" as its address holds it: #average?x=2,7;6,4;6,5&batch=1&...
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
  numbers,
  whole,
  type Fields,
} from './fields';

/** x, and of the three ways: what the weights are made of, the weights, the result. */
export const averageIds = [
  'x',
  'loops',
  'ones',
  'rows',
  'matrix',
  'mask',
  'soft',
  'softmax',
] as const;
export type AverageCell = Cell<(typeof averageIds)[number]>;

/** What softmax's mask holds where it hides, in the order of the slider. */
export const hiddenScores = [0, -0.5, -1, -2, -4, -8, -Infinity] as const;

export interface AverageState {
  /** Two sequences, a batch: each [T, C]. */
  readonly x: MatrixData;
  readonly y: MatrixData;
  /** Which of the two is shown. */
  readonly batch: number;
  readonly show: 'averages' | 'sums';
  /** Index into hiddenScores. */
  readonly hidden: number;
  readonly pin: AverageCell | null;
  /** The scores of the series' last row, or the weights themselves. */
  readonly scores: readonly number[];
  readonly weights: readonly number[];
  readonly blend: 'softmax' | 'free';
}

export const longest = 8;
export const widest = 4;
export const series = [2, 4, 6, 8] as const;

export const defaults: AverageState = {
  x: matrixOf([
    [2, 7],
    [6, 4],
    [6, 5],
  ]),
  y: matrixOf([
    [1, -2],
    [3, 0],
    [-4, 8],
  ]),
  batch: 1,
  show: 'averages',
  hidden: hiddenScores.length - 1,
  pin: null,
  scores: [0, 0, 0, 0],
  weights: [0, 0, -1, 2],
  blend: 'softmax',
};

const fields: Fields<AverageState> = {
  x: matrix(longest),
  y: matrix(longest),
  batch: whole(1, 2),
  show: v.picklist(['averages', 'sums']),
  hidden: whole(0, hiddenScores.length - 1),
  pin: cell(averageIds),
  scores: numbers(series.length),
  weights: numbers(series.length),
  blend: v.picklist(['softmax', 'free']),
};

export function decode(query: string) {
  const { state, problems } = decodeFields(fields, defaults, query);
  const { x, y } = state;
  if (x.rows === y.rows && x.cols === y.cols && x.cols <= widest) return { state, problems };
  const found = `${matrixText(x)} | ${matrixText(y)}`.slice(0, 40);
  return {
    state: { ...state, x: defaults.x, y: defaults.y },
    problems: [...problems, { field: 'x, y', found }],
  };
}

export function encode(state: AverageState): string {
  const list = (values: readonly number[]) => values.join(',');
  return encodeFields<AverageState>(
    {
      x: matrixText,
      y: matrixText,
      batch: String,
      show: String,
      hidden: String,
      pin: cellText,
      scores: list,
      weights: list,
      blend: String,
    },
    defaults,
    state,
  );
}
