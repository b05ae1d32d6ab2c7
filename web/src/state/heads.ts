// The state of chapter "Heads" as its address holds it: #heads?text=...&writers=1000&layer=2&head=1&...
import * as v from 'valibot';
import { cell, choice, codecOf, oneOf, text, whole, type Field, type StateOf } from './fields';
import { divisions, heads } from '../compute/shared/handmade/heads-circuit';

/** Steps from the input to the output of one multi-head attention. */
export const stepIds = ['x', 'project', 'split', 'attend', 'blend', 'concat', 'output'] as const;
export type StepId = (typeof stepIds)[number];

export const projectionIds = ['q', 'k', 'v'] as const;
export type ProjectionId = (typeof projectionIds)[number];

/** Matrices of the first figure; the ids of a head's matrices contain its number. */
const numbers = [1, 2, 3, 4] as const;
const splitIds = [
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

/**
 * Maximum number of words. With the start token there are 13 tokens, so their numbers stay below 16, and the first hand
 * of "who" can represent them.
 */
export const mostTokens = 12;

/** "1010": a flag for each digit. */
const flags: Field<readonly boolean[]> = {
  usual: [true, false, false, false],
  longest: 4,
  read: v.pipe(
    v.string(),
    v.regex(/^[01]{4}$/u),
    v.transform((found) => [...found].map((digit) => digit === '1')),
  ),
  write: (values) => values.map(Number).join(''),
};

const fields = {
  text: text('the cat saw the dog chase the cat', 400),
  /** The sequence shown. */
  batch: whole(1, 2, 1),
  /** Number of heads into which the same weights are divided, in the first figure. */
  into: oneOf(divisions, 2),
  /** The pinned word there, from 1, the start sign first; 0: none. */
  word: whole(0, mostTokens + 1, 0),
  /** Index into stepIds. */
  step: whole(0, stepIds.length - 1, 0),
  projection: choice(projectionIds, 'q'),
  /** Whether each head of the first layer writes its result into the columns "before". */
  writers: flags,
  layer: whole(1, 2, 2),
  head: whole(1, heads, 1),
  pin: cell(splitIds),
  /** A query and a key of the chosen head. */
  pair: cell(['chosen']),
};

export type HeadsState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
