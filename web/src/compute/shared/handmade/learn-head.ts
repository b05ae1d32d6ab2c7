// The head of chapter "Learn": what it is given, the weights that it begins with, and what it should say.
import type { MatrixData } from '../../page/protocol';

const matrix = (rows: readonly (readonly number[])[]): MatrixData => ({
  rows: rows.length,
  cols: rows[0].length,
  data: Float32Array.from(rows.flat()),
});

/** Every word it knows; one class each. */
export const vocabulary = ['the', 'cat', 'saw', 'dog'] as const;
/** What it reads, and what comes next at each place: "the" is followed by two different words. */
export const ids = [0, 1, 2, 0] as const;
export const targets = [1, 2, 0, 3] as const;

/** Two numbers for the word, one for the place: [T, C]. */
export const x = matrix([
  [1, 0, 0],
  [0, 1, 0.3],
  [-1, -1, 0.6],
  [1, 0, 0.9],
]);

export const weightIds = ['wq', 'wk', 'wv'] as const;
export type WeightId = (typeof weightIds)[number];

/** What a loss depends on, in the order of the forward pass: each may be nudged. */
export const stageIds = [...weightIds, 'q', 'k', 'v', 'scores', 'weights', 'output'] as const;
export type StageId = (typeof stageIds)[number];
export const gradientOf = <Stage extends StageId>(stage: Stage) => `d${stage}` as const;

/** As PyTorch has them, [out, in]: what comes out of values are scores of words. */
export const beginning: Readonly<Record<WeightId, MatrixData>> = {
  wq: matrix([
    [0.5, -1, 1],
    [1, 0.5, -0.5],
  ]),
  wk: matrix([
    [1, 0.5, -1],
    [-0.5, 1, 0.5],
  ]),
  wv: matrix([
    [0.2, 0.5, -0.6],
    [-0.4, 0.3, 0.8],
    [0.8, -0.5, 0.4],
    [-0.3, 0.2, 0.5],
  ]),
};
