// The state of chapter "Longer" as its address holds it: #longer?source=same&mask=causal&step=7&...
import * as v from 'valibot';
import type { Cell } from './cell';
import { headIds } from '../compute/handmade/attend-heads';
import { cell, decodeFields, encodeFields, whole, type Fields } from './fields';

/** Where Q, K, V come from: drawn at random, or made by one of chapter Attend's heads of a text. */
export const sources = ['random', ...headIds] as const;
export type Source = (typeof sources)[number];

export const masks = ['none', 'causal', 'window', 'strided'] as const;
export type MaskId = (typeof masks)[number];

/** Inputs, what is held at a step, and what is finished. */
export const onlineIds = ['q', 'k', 'v', 'block', 'max', 'factor', 'sum', 'part', 'out'] as const;
export type OnlineCell = Cell<(typeof onlineIds)[number]>;
export const linearIds = ['scores', 'pairs', 'left', 'right', 'soft', 'features'] as const;
export type LinearCell = Cell<(typeof linearIds)[number]>;

/** A number of Q, K or V that the visitor has changed. */
export interface Edit {
  readonly matrix: 'q' | 'k' | 'v';
  readonly row: number;
  readonly col: number;
  readonly value: number;
}

export const lengths = [6, 8, 12, 16] as const;
export const blockSizes = [1, 2, 3, 4, 8] as const;
export const ranks = [1, 2, 4, 8, 16, 32, 64] as const;

export interface LongerState {
  readonly source: Source;
  readonly seed: number;
  readonly tokens: number;
  readonly mask: MaskId;
  /** Sizes of a block. */
  readonly queries: number;
  readonly keys: number;
  readonly step: number;
  readonly pin: OnlineCell | null;
  readonly edits: readonly Edit[];
  /** What the weights of linear attention are made of. */
  readonly map: 'elu_plus_one' | 'identity';
  readonly lpin: LinearCell | null;
  /** Whose singular values are shown. */
  readonly head: Source;
  readonly rank: number;
}

export const defaults: LongerState = {
  source: 'random',
  seed: 1,
  tokens: 8,
  mask: 'causal',
  queries: 4,
  keys: 2,
  step: 0,
  pin: null,
  edits: [],
  map: 'elu_plus_one',
  lpin: null,
  head: 'same',
  rank: 8,
};

const oneOf = (values: readonly number[]) =>
  v.pipe(
    whole(1, 64),
    v.check((value) => values.includes(value)),
  );

const edit = v.pipe(
  v.string(),
  v.transform((text) => text.split('~')),
  v.strictTuple([
    v.picklist(['q', 'k', 'v']),
    whole(0, 63),
    whole(0, 63),
    v.pipe(
      v.string(),
      v.regex(/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/u),
      v.transform(Number),
      v.finite(),
    ),
  ]),
  v.transform(([matrix, row, col, value]): Edit => ({ matrix, row, col, value })),
);

const fields: Fields<LongerState> = {
  source: v.picklist(sources),
  seed: whole(1, 9999),
  tokens: oneOf(lengths),
  mask: v.picklist(masks),
  queries: oneOf(blockSizes),
  keys: oneOf(blockSizes),
  step: whole(0, 999),
  pin: cell(onlineIds),
  edits: v.pipe(
    v.string(),
    v.transform((text) => text.split('!')),
    v.array(edit),
    v.maxLength(100),
  ),
  map: v.picklist(['elu_plus_one', 'identity']),
  lpin: cell(linearIds),
  head: v.picklist(sources),
  rank: oneOf(ranks),
};

export const decode = (query: string) => decodeFields(fields, defaults, query);

export function encode(state: LongerState): string {
  const place = (one: Cell | null) => (one ? `${one.matrix}.${one.row}.${one.col}` : '');
  return encodeFields<LongerState>(
    {
      source: String,
      seed: String,
      tokens: String,
      mask: String,
      queries: String,
      keys: String,
      step: String,
      pin: place,
      edits: (edits) =>
        edits.map(({ matrix, row, col, value }) => `${matrix}~${row}~${col}~${value}`).join('!'),
      map: String,
      lpin: place,
      head: String,
      rank: String,
    },
    defaults,
    state,
  );
}
