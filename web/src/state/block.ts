// The state of chapter "Block" as its address holds it: #block?norm=pre&off=norm1,residual2&...
import type { Activation } from 'tril';
import * as v from 'valibot';
import type { MatrixData } from '../compute/protocol';
import type { Cell } from './cell';
import {
  cell,
  decodeFields,
  encodeFields,
  matrix,
  matrixOf,
  matrixText,
  whole,
  type Fields,
} from './fields';

/** What can be switched off, in the order of computing. */
export const partIds = [
  'norm1',
  'attention',
  'residual1',
  'norm2',
  'feedForward',
  'residual2',
] as const;
export type PartId = (typeof partIds)[number];

export const positionIds = ['none', 'sinusoidal', 'rotary'] as const;
export type PositionId = (typeof positionIds)[number];
export const activationIds = ['relu', 'gelu', 'silu'] as const satisfies readonly Activation[];
export type ActivationId = (typeof activationIds)[number];

/** What a block makes, one after the other: `order` says which of them there are, and when. */
export const stageIds = [
  ...(['x', 'normed1', 'queries', 'keys', 'values', 'scores', 'masked', 'weights'] as const),
  ...(['heads', 'attention', 'residual1', 'normed2', 'hidden', 'activated'] as const),
  ...(['feedForward', 'residual2'] as const),
] as const;
export type StageId = (typeof stageIds)[number];

/** Post-norm has each norm after its residual; pre-norm before its part. */
export function stagesOf(norm: 'post' | 'pre'): readonly StageId[] {
  if (norm === 'pre') return stageIds;
  const rest = stageIds.filter((id) => id !== 'normed1' && id !== 'normed2');
  return [...rest.slice(0, 10), 'normed1', ...rest.slice(10), 'normed2'];
}

/** Every matrix of the chapter's figures. */
export const blockIds = [
  ...stageIds,
  ...(['words', 'places', 'wq', 'wk', 'wv', 'joined', 'wo', 'w1', 'w2'] as const),
  ...(['unturned', 'effect', 'given', 'normed', 'rearranged', 'reordered', 'gap'] as const),
] as const;
export type BlockId = (typeof blockIds)[number];
export type BlockCell = Cell<BlockId>;

/** A number of a word's vector that the visitor has changed. */
export interface WordEdit {
  readonly row: number;
  readonly col: number;
  readonly value: number;
}

export const orderIds = ['asItIs', 'reverse', 'rotate', 'shuffle'] as const;
export type OrderId = (typeof orderIds)[number];
export const measures = ['size', 'spread'] as const;
export type Measure = (typeof measures)[number];

export interface BlockState {
  readonly text: string;
  readonly norm: 'post' | 'pre';
  readonly positions: PositionId;
  readonly activation: ActivationId;
  readonly mask: 'none' | 'causal';
  readonly off: readonly PartId[];
  readonly seed: number;
  readonly stage: StageId;
  /** From 1. */
  readonly head: number;
  readonly edits: readonly WordEdit[];
  readonly pin: BlockCell | null;
  /** What layer norm is shown on. */
  readonly given: MatrixData;
  readonly gpin: BlockCell | null;
  readonly order: OrderId;
  readonly spin: BlockCell | null;
  readonly measure: Measure;
}

export const maxTokens = 8;
export const maxText = 200;
export const width = 8;
export const largestGiven = 6;

export const defaults: BlockState = {
  text: 'the cat saw the dog',
  norm: 'post',
  positions: 'sinusoidal',
  activation: 'relu',
  mask: 'none',
  off: [],
  seed: 7,
  stage: 'x',
  head: 1,
  edits: [],
  pin: null,
  given: matrixOf([
    [1, 2, 3, 6],
    [10, 20, 30, 60],
    [-5, 5, -5, 5],
    [4, 4, 4, 5],
  ]),
  gpin: null,
  order: 'reverse',
  spin: null,
  measure: 'size',
};

const list = <Item>(item: v.GenericSchema<string, Item>, separator: string, most: number) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.split(separator)),
    v.array(item),
    v.maxLength(most),
  );

const edit = v.pipe(
  v.string(),
  v.regex(/^\d\.\d~-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/u),
  v.transform((text) => {
    const [place, value] = text.split('~');
    return { row: Number(place[0]), col: Number(place[2]), value: Number(value) };
  }),
  v.check(({ row, col, value }) => row < maxTokens && col < width && Number.isFinite(value)),
);

const fields: Fields<BlockState> = {
  text: v.pipe(v.string(), v.maxLength(maxText)),
  norm: v.picklist(['post', 'pre']),
  positions: v.picklist(positionIds),
  activation: v.picklist(activationIds),
  mask: v.picklist(['none', 'causal']),
  off: list(v.picklist(partIds), ',', partIds.length),
  seed: whole(0, 999),
  stage: v.picklist(stageIds),
  head: whole(1, 2),
  edits: list(edit, '!', maxTokens * width),
  pin: cell(blockIds),
  given: matrix(largestGiven),
  gpin: cell(blockIds),
  order: v.picklist(orderIds),
  spin: cell(blockIds),
  measure: v.picklist(measures),
};

export function decode(query: string) {
  return decodeFields(fields, defaults, query);
}

const cellText = (one: Cell | null) => (one ? `${one.matrix}.${one.row}.${one.col}` : '');

export function encode(state: BlockState): string {
  return encodeFields<BlockState>(
    {
      text: String,
      norm: String,
      positions: String,
      activation: String,
      mask: String,
      off: (parts) => parts.join(','),
      seed: String,
      stage: String,
      head: String,
      edits: (edits) => edits.map(({ row, col, value }) => `${row}.${col}~${value}`).join('!'),
      pin: cellText,
      given: matrixText,
      gpin: cellText,
      order: String,
      spin: cellText,
      measure: String,
    },
    defaults,
    state,
  );
}
