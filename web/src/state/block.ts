// The state of chapter "Block" as its address holds it: #block?norm=pre&off=norm1,residual2&...
import type { Activation } from 'tril';
import * as v from 'valibot';
import type { Cell } from './cell';
import {
  cell,
  choice,
  codecOf,
  list,
  matrix,
  numberText,
  renamed,
  text,
  whole,
  type StateOf,
} from './fields';

/** The parts that can be switched off, in the order of computation. */
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
export const activationIds = ['relu', 'gelu', 'silu'] as const satisfies readonly Activation[];

/** The results of a block in the order of pre-norm; stagesOf() selects and orders them. */
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

const parts: Partial<Record<StageId, PartId>> = {
  ...{ normed1: 'norm1', residual1: 'residual1', normed2: 'norm2', residual2: 'residual2' },
  ...{ hidden: 'feedForward', activated: 'feedForward', feedForward: 'feedForward' },
};
/** The part that a stage belongs to; null for the input. */
export const partOf = (stage: StageId): PartId | null =>
  stage === 'x' ? null : (parts[stage] ?? 'attention');

/** Every matrix of the chapter's figures. */
export const blockIds = [
  ...stageIds,
  ...(['words', 'places', 'wq', 'wk', 'wv', 'joined', 'wo', 'w1', 'w2'] as const),
  ...(['unturned', 'effect', 'given', 'normed', 'rearranged', 'reordered', 'gap'] as const),
] as const;
export type BlockId = (typeof blockIds)[number];
export type BlockCell = Cell<BlockId>;

/** A number of a word's vector that the visitor has changed. */
interface WordEdit {
  readonly row: number;
  readonly col: number;
  readonly value: number;
}

export const orderIds = ['asItIs', 'reverse', 'rotate', 'shuffle'] as const;
export type OrderId = (typeof orderIds)[number];
export const measures = ['size', 'spread'] as const;
export const scales = ['shared', 'own'] as const;

export const maxTokens = 8;
export const maxText = 200;
export const width = 8;
const largestGiven = 6;

/** "1.7~-0.5" */
const edit = {
  longest: 40,
  read: v.pipe(
    v.string(),
    v.transform((found) => found.split('~')),
    v.strictTuple([v.pipe(v.string(), v.regex(/^\d\.\d$/u)), numberText]),
    v.transform(([place, value]): WordEdit => ({
      row: Number(place[0]),
      col: Number(place[2]),
      value,
    })),
    v.check(({ row, col }) => row < maxTokens && col < width),
  ),
  write: ({ row, col, value }: WordEdit) => `${row}.${col}~${value}`,
};

const fields = {
  text: text('the cat saw the dog', maxText),
  norm: choice(['post', 'pre'], 'post'),
  positions: choice(positionIds, 'sinusoidal'),
  activation: choice(activationIds, 'relu'),
  mask: choice(['none', 'causal'], 'none'),
  off: list<PartId>(choice(partIds, 'norm1'), ',', partIds.length),
  seed: whole(0, 999, 7),
  stage: choice(stageIds, 'x'),
  /** Number of the head, from 1. */
  head: whole(1, 2, 1),
  edits: list<WordEdit>(edit, '!', maxTokens * width),
  pin: cell(blockIds),
  /** The input of the figure about layer norm. */
  given: matrix(largestGiven, [
    [1, 2, 3, 6],
    [10, 20, 30, 60],
    [-5, 5, -5, 5],
    [4, 4, 4, 5],
  ]),
  normPin: renamed('gpin', cell(blockIds)),
  order: choice(orderIds, 'reverse'),
  shufflePin: renamed('spin', cell(blockIds)),
  measure: choice(measures, 'size'),
  /** Whether all values of the block share one colour scale. */
  scale: choice(scales, 'shared'),
};

export type BlockState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
