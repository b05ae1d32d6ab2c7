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

/** Where Q, K, V come from: drawn at random, or made by one of chapter Attend's heads of a text. */
export const sources = ['random', ...headIds] as const;
export type Source = (typeof sources)[number];

export const masks = ['none', 'causal', 'window', 'strided'] as const;
export type MaskId = (typeof masks)[number];

/** Inputs, what is held at a step, and what is finished. */
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
  /** What the weights of linear attention are made of. */
  map: choice(['elu_plus_one', 'identity'], 'elu_plus_one'),
  linearPin: renamed('lpin', cell(linearIds)),
  /** Whose singular values are shown. */
  head: choice(sources, 'same'),
  rank: oneOf(ranks, 8),
};

export type LongerState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
