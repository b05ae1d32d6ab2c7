// The hand-made heads: weight matrices written so that each head does what its name says, before
// anything is trained. These entries are inputs; everything made of them is the core's.
//
// X = [ 1 | content | position ], T x (1 + C + 6); a weight is [out, in] and q = x W_Q^T.
//   position  three clock hands (x, y), at 12 o'clock for the first token, turning once every 4, 16 and
//             64 tokens. Two positions agree by 3 if equal, by at most 2 if not (up to 64 tokens).
//   content   the token's number in base 4: three compass hands (x, y), one a digit, a quarter turn each
//             step. Two tokens agree by 3 if equal, by at most 2 if not.
// Scores differ by gain / sqrt(6) = 4.9 or more, so that the right key outweighs all 63 others: at
// least 0.9, which the tests check for every length.
import type { MatrixData } from '../protocol';

export const headIds = ['previous', 'same', 'first', 'average'] as const;
export type HeadId = (typeof headIds)[number];

export type WeightId = 'wq' | 'wk' | 'wv';
export const weightIds: readonly WeightId[] = ['wq', 'wk', 'wv'];

/** One entry that the visitor has changed. */
export interface Edit {
  readonly matrix: WeightId;
  readonly row: number;
  readonly col: number;
  readonly value: number;
}

export const positions = { width: 6, wavelength: 4, ratio: 4 } as const;
export const periods = [4, 16, 64] as const;
const digits = 3;
export const contentWidth = 2 * digits;

const gain = 12;
/** gain * [cos, sin] of one token's turn of each hand: 360 / 4, 360 / 16, 360 / 64 degrees. */
const turns = [
  [0, 12],
  [11.0866, 4.5922],
  [11.9422, 1.1762],
] as const;

/** (x, y) of a digit's compass hand: 0 up, 1 right, 2 down, 3 left. */
const compass = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
] as const;

export function digitsOf(id: number): number[] {
  return [Math.floor(id / 16) % 4, Math.floor(id / 4) % 4, id % 4];
}

/** The embedding table, [64, 6]: row n is token number n. */
export const table: MatrixData = {
  rows: 4 ** digits,
  cols: contentWidth,
  data: Float32Array.from(
    Array.from({ length: 4 ** digits }, (_, id) =>
      digitsOf(id).flatMap((digit) => compass[digit]),
    ).flat(),
  ),
};

interface MutableMatrix extends MatrixData {
  readonly data: Float32Array;
}

function zeros(rows: number, cols: number): MutableMatrix {
  return { rows, cols, data: new Float32Array(rows * cols) };
}

/** W that carries `width` columns of X from `from` on, times `factor`. */
function carry(width: number, from: number, inputs: number, factor: number): MatrixData {
  const weight = zeros(width, inputs);
  for (let i = 0; i < width; ++i) weight.data[i * inputs + from + i] = factor;
  return weight;
}

/** W that turns every clock hand back by one token, times the gain: (x, y) of t becomes that of t - 1. */
function turnBack(from: number, inputs: number): MatrixData {
  const weight = zeros(positions.width, inputs);
  turns.forEach(([cosine, sine], hand) => {
    const top = 2 * hand * inputs + from + 2 * hand;
    weight.data.set([cosine, -sine], top);
    weight.data.set([sine, cosine], top + inputs);
  });
  return weight;
}

/** W that makes the first position's hands, all at 12 o'clock, of the column of ones, times the gain. */
function alwaysFirst(inputs: number): MatrixData {
  const weight = zeros(positions.width, inputs);
  for (let hand = 0; hand < periods.length; ++hand) weight.data[(2 * hand + 1) * inputs] = gain;
  return weight;
}

export type HeadWeights = Readonly<Record<WeightId, MatrixData>>;

/**
 * The weights of a head for `width` columns of content. `hands` says that the content is token numbers,
 * all of one length; for the visitor's own numbers "same" compares them as they are, without a gain.
 */
export function headWeights(head: HeadId, width: number, hands: boolean): HeadWeights {
  const inputs = 1 + width + positions.width;
  const content = 1;
  const position = 1 + width;
  const wv = carry(width, content, inputs, 1);
  const places = carry(positions.width, position, inputs, 1);
  switch (head) {
    case 'previous':
      return { wq: turnBack(position, inputs), wk: places, wv };
    case 'same':
      return {
        wq: carry(width, content, inputs, hands ? gain : 1),
        wk: carry(width, content, inputs, 1),
        wv,
      };
    case 'first':
      return { wq: alwaysFirst(inputs), wk: places, wv };
    case 'average':
      return { wq: zeros(positions.width, inputs), wk: places, wv };
  }
}

/** The weights with the visitor's changes; a change outside of them is left out. */
export function applyEdits(weights: HeadWeights, edits: readonly Edit[]): HeadWeights {
  const changed = Object.fromEntries(
    weightIds.map((id) => [id, { ...weights[id], data: weights[id].data.slice() }]),
  ) as Record<WeightId, MutableMatrix>;
  for (const { matrix, row, col, value } of edits) {
    const { rows, cols, data } = changed[matrix];
    if (row < rows && col < cols) data[row * cols + col] = value;
  }
  return changed;
}
