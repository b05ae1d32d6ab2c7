// The state of chapter "Attend" as its address holds it: #attend?text=...&head=...
import { headIds, soft, strictest, weightIds } from '../compute/shared/handmade/attend-heads';
import { stepIds } from './attend-steps';
import { matrixIds, type MatrixId } from '../compute/page/protocol';
import type { Cell as AnyCell } from './cell';
import {
  cell,
  choice,
  codecOf,
  edits,
  matrix,
  number,
  renamed,
  text,
  whole,
  yes,
  type StateOf,
} from './fields';

export const modes = ['words', 'characters', 'numbers'] as const;
export type Mode = (typeof modes)[number];
export const masks = ['causal', 'none'] as const;
export type MaskId = (typeof masks)[number];

export type Cell = AnyCell<MatrixId>;

/** The matrices of the figures about softmax and about the scale. */
const softmaxIds = [
  ...(['row', 'naivePowers', 'naive', 'stablePowers', 'stable'] as const),
  ...(['plainWeights', 'scaledWeights'] as const),
] as const;
export type SoftmaxCell = AnyCell<(typeof softmaxIds)[number]>;

/** Widths of a head to choose from: powers of two up to 1024. */
export const headWidths = Array.from({ length: 11 }, (_, power) => 2 ** power);
export const mostAdded = 120;

export const maxText = 4000;
const maxEdits = 3 * 12 * 19;

const fields = {
  by: choice(modes, 'words'),
  text: text('the cat saw the dog chase the cat', maxText),
  head: choice(headIds, 'same'),
  /** Strictness of the head: 0 averages, the maximum chooses. */
  strict: number(0, strictest, soft),
  mask: choice(masks, 'causal'),
  step: choice(stepIds, 'weights'),
  /** The step's product is shown as a motion, if it has one. */
  moves: yes(false),
  /** Softmax of the current row is shown as a motion. */
  laid: yes(false),
  pin: cell(matrixIds),
  edits: edits(weightIds, maxEdits),
  /** The columns of V drawn across and up, from 1; 0: the figure's default. */
  across: whole(0, 12, 0),
  up: whole(0, 12, 0),
  /** A row of scores, [1, 4], and the number added to each. */
  scores: matrix(4, [[1, 2, 3, 4]], ({ rows, cols }) => rows === 1 && cols === 4),
  added: number(-mostAdded, mostAdded, 0),
  /** Index into headWidths, and the seed of random queries and keys. */
  width: whole(0, headWidths.length - 1, 6),
  seed: whole(1, 9999, 1),
  softmaxPin: renamed('spin', cell(softmaxIds)),
};

export type AttendState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
