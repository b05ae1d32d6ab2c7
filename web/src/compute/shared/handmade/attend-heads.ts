// The hand-made heads: weight matrices written so that each head does what its name says, before
// anything is trained. These entries are inputs; everything made of them is the core's.
//
// X = [ 1 | content | position ], T x (1 + C + 6); a weight is [out, in] and q = x W_Q^T.
//   position  three clock hands (x, y), at 12 o'clock for the first token, turning once every 4, 16 and
//             64 tokens. Two positions agree by 3 if equal, by at most 2 if not (up to 64 tokens).
//   content   the token's number in base 4: three compass hands (x, y), one a digit, a quarter turn each
//             step. Two tokens agree by 3 if equal, by at most 2 if not.
// Queries are as long as their head is strict. At the strictest, 12, scores differ by 12 / sqrt(6) = 4.9 or
// more, so that the right key outweighs all 63 others: at least 0.9, which the tests check for every length.
// At 0 all scores are alike, and the head is an average.
import type { MatrixData } from '../../page/protocol';

export const headIds = ['same', 'previous', 'first', 'average'] as const;
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

export const strictest = 12;
/** So strict that a row still shares out. */
export const soft = 3;

/** [cos, sin] of one token's turn of each hand: 360 / 4, 360 / 16, 360 / 64 degrees. */
const turns = [
  [0, 1],
  [0.9238795325, 0.3826834324],
  [0.9951847267, 0.0980171403],
] as const;
/** Entries of weights are as short as they are shown. */
const short = (value: number) => Number(value.toFixed(4));

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

/** W that turns every clock hand back by one token, `strict` times as long: (x, y) of t becomes that of t - 1. */
function turnBack(from: number, inputs: number, strict: number): MatrixData {
  const weight = zeros(positions.width, inputs);
  turns.forEach((turn, hand) => {
    const [cosine, sine] = turn.map((one) => short(strict * one));
    const top = 2 * hand * inputs + from + 2 * hand;
    weight.data.set([cosine, -sine], top);
    weight.data.set([sine, cosine], top + inputs);
  });
  return weight;
}

/** W that makes the first position's hands, all at 12 o'clock, of the column of ones, `strict` times as long. */
function alwaysFirst(inputs: number, strict: number): MatrixData {
  const weight = zeros(positions.width, inputs);
  for (let hand = 0; hand < periods.length; ++hand) weight.data[(2 * hand + 1) * inputs] = strict;
  return weight;
}

/**
 * W that turns each compass hand by 20 degrees, and those of the last two digits into each other by 30: values off the axes,
 * of which the last two entries tell apart what the last two digits do. Lengths and angles stay.
 */
function turned(inputs: number): MatrixData {
  const weight = zeros(contentWidth, inputs);
  const block = (out: number, hand: number, cosine: number, sine: number) => {
    const top = 2 * out * inputs + 1 + 2 * hand;
    weight.data.set([cosine, -sine], top);
    weight.data.set([sine, cosine], top + inputs);
  };
  block(0, 0, 0.9397, 0.342);
  block(1, 1, 0.8138, 0.2962);
  block(1, 2, -0.4698, -0.171);
  block(2, 1, 0.4698, 0.171);
  block(2, 2, 0.8138, 0.2962);
  return weight;
}

export type HeadWeights = Readonly<Record<WeightId, MatrixData>>;

interface HeadOptions {
  /** How much longer queries are than what they compare. */
  readonly strict?: number;
  /** Values are not the content itself, but a turned one. */
  readonly turn?: boolean;
}

/**
 * The weights of a head for `width` columns of content. `hands` says that the content is token numbers,
 * all of one length; for the visitor's own numbers "same" compares them as they are where it is soft.
 */
export function headWeights(
  head: HeadId,
  width: number,
  hands: boolean,
  { strict = hands ? strictest : soft, turn = false }: HeadOptions = {},
): HeadWeights {
  const inputs = 1 + width + positions.width;
  const content = 1;
  const position = 1 + width;
  const wv = turn && hands ? turned(inputs) : carry(width, content, inputs, 1);
  const places = carry(positions.width, position, inputs, 1);
  switch (head) {
    case 'previous':
      return { wq: turnBack(position, inputs, strict), wk: places, wv };
    case 'same':
      return {
        wq: carry(width, content, inputs, hands ? strict : strict / soft),
        wk: carry(width, content, inputs, 1),
        wv,
      };
    case 'first':
      return { wq: alwaysFirst(inputs, strict), wk: places, wv };
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
