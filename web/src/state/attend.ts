// The state of chapter "Attend" as its address holds it: #attend?text=...&head=...
import * as v from 'valibot';
import { headIds, weightIds, type Edit, type HeadId } from '../compute/handmade/attend-heads';
import { stepIds, type StepId } from './attend-steps';
import { matrixIds, type MatrixData, type MatrixId } from '../compute/protocol';
import type { Cell as AnyCell } from './cell';
import {
  cell,
  cellText,
  decodeFields,
  encodeFields,
  matrix,
  matrixOf,
  matrixText,
  number,
  whole,
  type Fields,
} from './fields';

export const modes = ['words', 'characters', 'numbers'] as const;
export type Mode = (typeof modes)[number];
export const masks = ['causal', 'none'] as const;
export type MaskId = (typeof masks)[number];

export type Cell = AnyCell<MatrixId>;

/** The matrices of the figures about softmax and about the scale. */
export const softmaxIds = [
  ...(['row', 'naivePowers', 'naive', 'stablePowers', 'stable'] as const),
  ...(['plainWeights', 'scaledWeights'] as const),
] as const;
export type SoftmaxCell = AnyCell<(typeof softmaxIds)[number]>;

/** Widths of a head to choose from: powers of two up to 1024. */
export const headWidths = Array.from({ length: 11 }, (_, power) => 2 ** power);
export const mostAdded = 120;

export interface AttendState {
  readonly by: Mode;
  readonly text: string;
  readonly head: HeadId;
  readonly mask: MaskId;
  readonly step: StepId;
  readonly pin: Cell | null;
  readonly edits: readonly Edit[];
  /** Which entries of V are drawn across and up, from 1; 0: the figure's own choice. */
  readonly across: number;
  readonly up: number;
  /** A row of scores, [1, 4], and what is added to each. */
  readonly scores: MatrixData;
  readonly added: number;
  /** Index into headWidths, and the seed of random queries and keys. */
  readonly width: number;
  readonly seed: number;
  readonly spin: SoftmaxCell | null;
}

export const maxText = 4000;
const maxEdits = 3 * 12 * 19;

export const defaults: AttendState = {
  by: 'words',
  text: 'the cat saw the dog chase the cat',
  head: 'previous',
  mask: 'causal',
  step: 'x',
  pin: null,
  edits: [],
  across: 0,
  up: 0,
  scores: matrixOf([[1, 2, 3, 4]]),
  added: 0,
  width: 6,
  seed: 1,
  spin: null,
};

const edit = v.pipe(
  v.string(),
  v.transform((text) => text.split('~')),
  v.strictTuple([v.picklist(weightIds), whole(0, 63), whole(0, 63), number]),
  v.transform(([matrix, row, col, value]): Edit => ({ matrix, row, col, value })),
);

const fields: Fields<AttendState> = {
  by: v.picklist(modes),
  text: v.pipe(v.string(), v.maxLength(maxText)),
  head: v.picklist(headIds),
  mask: v.picklist(masks),
  step: v.picklist(stepIds),
  pin: cell(matrixIds),
  edits: v.pipe(
    v.string(),
    v.transform((text) => text.split('!')),
    v.array(edit),
    v.maxLength(maxEdits),
  ),
  across: whole(0, 12),
  up: whole(0, 12),
  scores: v.pipe(
    matrix(4),
    v.check(({ rows, cols }) => rows === 1 && cols === 4),
  ),
  added: v.pipe(number, v.minValue(-mostAdded), v.maxValue(mostAdded)),
  width: whole(0, headWidths.length - 1),
  seed: whole(1, 9999),
  spin: cell(softmaxIds),
};

export function decode(query: string) {
  return decodeFields(fields, defaults, query);
}

export function encode(state: AttendState): string {
  return encodeFields<AttendState>(
    {
      by: String,
      text: String,
      head: String,
      mask: String,
      step: String,
      pin: cellText,
      edits: (edits) =>
        edits.map((edit) => `${edit.matrix}~${edit.row}~${edit.col}~${edit.value}`).join('!'),
      across: String,
      up: String,
      scores: matrixText,
      added: String,
      width: String,
      seed: String,
      spin: cellText,
    },
    defaults,
    state,
  );
}
