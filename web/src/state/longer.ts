// The state of chapter "Longer" as its address holds it: #longer?source=same&mask=causal&step=7&...
import type { Cell } from './cell';
import { headIds } from '../compute/shared/handmade/attend-heads';
import {
  cell,
  choice,
  codecOf,
  edits,
  oneOf,
  renamed,
  whole,
  type Edit as AnyEdit,
  type StateOf,
} from './fields';

/** Sources of Q, K and V: random numbers, or one of chapter Attend's heads applied to a text. */
export const sources = ['random', ...headIds] as const;
export type Source = (typeof sources)[number];

export const masks = ['none', 'causal', 'window', 'strided'] as const;
export type MaskId = (typeof masks)[number];

/** Inputs, the values held at a step, and the finished ones. */
const onlineIds = ['q', 'k', 'v', 'block', 'max', 'factor', 'sum', 'part', 'out'] as const;
export type OnlineCell = Cell<(typeof onlineIds)[number]>;
const linearIds = ['scores', 'pairs', 'left', 'right', 'soft', 'features'] as const;
export type LinearCell = Cell<(typeof linearIds)[number]>;

/** A number of Q, K or V that the visitor has changed. */
export type Edit = AnyEdit<'q' | 'k' | 'v'>;

export const lengths = [6, 8, 12, 16] as const;
export const blockSizes = [1, 2, 3, 4, 8] as const;
export const ranks = [1, 2, 4, 8, 16, 32, 64] as const;

const fields = {
  source: choice(sources, 'random'),
  seed: whole(1, 9999, 1),
  tokens: oneOf(lengths, 8),
  mask: choice(masks, 'causal'),
  /** Sizes of a block. */
  queries: oneOf(blockSizes, 4),
  keys: oneOf(blockSizes, 2),
  step: whole(0, 999, 2),
  pin: cell(onlineIds),
  edits: edits(['q', 'k', 'v'], 100),
  /** The feature map of linear attention. */
  map: choice(['elu_plus_one', 'identity'], 'elu_plus_one'),
  linearPin: renamed('lpin', cell(linearIds)),
  /** The head whose singular values are shown. */
  head: choice(sources, 'same'),
  rank: oneOf(ranks, 8),
};

export type LongerState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
