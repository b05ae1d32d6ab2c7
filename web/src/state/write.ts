// The state of chapter "Write" as its address holds it: the exercise, and the code, compressed:
// #bench?exercise=causal&code=...
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';
import * as v from 'valibot';
import { choice, codecOf, type Field, type StateOf } from './fields';

/** The exercises of `tril/notebook`, in the order of the ladder. */
export const exerciseIds = [
  'average',
  'triangle',
  'softmax-of-mask',
  'softmax',
  'attention',
  'causal',
  'self-attention',
  'heads',
  'batches',
  'layer-norm',
  'block',
  'online-softmax',
  'softmax-backward',
  'attention-backward',
] as const;
export type ExerciseId = (typeof exerciseIds)[number];

/** Programs of the second figure, also available as notebooks. */
export const programIds = ['average', 'triangle', 'self', 'heads', 'block'] as const;
export type ProgramId = (typeof programIds)[number];

/** Maximum number of characters of a program in a link. */
export const mostCode = 20_000;
/** A blank program: the empty text stands for the given one. */
export const nothing = '\n';
/** Maximum length in a link; the unpacked text may be a thousand times as long. */
const mostPacked = 12_000;

/** Packs a text into characters that need no escapes in an address. */
export function packed(code: string): string {
  if (code === '') return '';
  const bytes = deflateSync(strToU8(code), { level: 9 });
  return btoa(strFromU8(bytes, true)).replace(/\+/gu, '-').replace(/\//gu, '_').replace(/=+$/u, '');
}

/** Null if the text is not packed. */
export function unpacked(text: string): string | null {
  try {
    const bytes = strToU8(atob(text.replace(/-/gu, '+').replace(/_/gu, '/')), true);
    return strFromU8(inflateSync(bytes));
  } catch {
    return null;
  }
}

/** A program; empty if it is unchanged. */
const program: Field<string> = {
  usual: '',
  longest: mostPacked,
  read: v.pipe(
    v.string(),
    v.regex(/^[\w-]*$/u),
    v.transform((text) => (text === '' ? '' : unpacked(text))),
    v.string(),
    v.maxLength(mostCode),
  ),
  write: packed,
};

/** A teacher's own exercise, as `tril/notebook` packs and reads it. */
const made: Field<string> = {
  usual: '',
  longest: mostPacked,
  read: v.pipe(v.string(), v.regex(/^[\w-]*$/u)),
  write: String,
};

const fields = {
  exercise: choice(exerciseIds, 'attention'),
  code: program,
  made,
  program: choice(programIds, 'self'),
  own: program,
};

export type WriteState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
