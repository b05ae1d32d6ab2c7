// The state of chapter "Heads" as its address holds it: #heads?text=...&writers=1000&layer=2&head=1&...
import * as v from 'valibot';
import type { Cell } from './cell';
import { cell, decodeFields, encodeFields, whole, type Fields } from './fields';
import { heads } from '../compute/handmade/heads-circuit';

/** From the input to the output of one multi-head attention. */
export const stepIds = ['x', 'project', 'split', 'attend', 'blend', 'concat', 'output'] as const;
export type StepId = (typeof stepIds)[number];

export const projectionIds = ['q', 'k', 'v'] as const;
export type ProjectionId = (typeof projectionIds)[number];

/** Matrices of the first figure; those of a head carry its number. */
const numbers = [1, 2, 3, 4] as const;
export const splitIds = [
  'x',
  'packed',
  'concat',
  'wo',
  'output',
  ...numbers.map((n) => `part${n}` as const),
  ...numbers.map((n) => `map${n}` as const),
  ...numbers.map((n) => `blend${n}` as const),
] as const;
export type SplitId = (typeof splitIds)[number];

export interface HeadsState {
  readonly text: string;
  /** Which of the two sequences is shown. */
  readonly batch: number;
  /** Index into stepIds. */
  readonly step: number;
  readonly projection: ProjectionId;
  /** Which heads of the first layer write what they found into the columns "before". */
  readonly writers: readonly boolean[];
  readonly layer: number;
  readonly head: number;
  readonly pin: Cell<SplitId> | null;
  /** A query and a key of the chosen head. */
  readonly pair: Cell<'chosen'> | null;
}

/** With the start token 13: their numbers, below 16, leave the first hand of "who" to say so. */
export const mostTokens = 12;

export const defaults: HeadsState = {
  text: 'the cat saw the dog chase the cat',
  batch: 1,
  step: 0,
  projection: 'q',
  writers: [true, false, false, false],
  layer: 2,
  head: 1,
  pin: null,
  pair: null,
};

const fields: Fields<HeadsState> = {
  text: v.pipe(v.string(), v.maxLength(400)),
  batch: whole(1, 2),
  step: whole(0, stepIds.length - 1),
  projection: v.picklist(projectionIds),
  writers: v.pipe(
    v.string(),
    v.regex(/^[01]{4}$/u),
    v.transform((text) => [...text].map((one) => one === '1')),
  ),
  layer: whole(1, 2),
  head: whole(1, heads),
  pin: cell(splitIds),
  pair: cell(['chosen']),
};

export const decode = (query: string) => decodeFields(fields, defaults, query);

const place = (one: Cell | null) => (one ? `${one.matrix}.${one.row}.${one.col}` : '');

export function encode(state: HeadsState): string {
  return encodeFields<HeadsState>(
    {
      text: String,
      batch: String,
      step: String,
      projection: String,
      writers: (writers) => writers.map(Number).join(''),
      layer: String,
      head: String,
      pin: place,
      pair: place,
    },
    defaults,
    state,
  );
}
