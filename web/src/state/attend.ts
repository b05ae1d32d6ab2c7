// The state of chapter "Attend" as its address holds it: #attend?text=...&head=...
//
// Every field is checked by itself; one that cannot be read is reported and falls back, so that a broken
// link still shows the rest. Nothing is ever evaluated. What equals the default is left out.
import * as v from 'valibot';
import { headIds, weightIds, type Edit, type HeadId } from './attend-heads';
import { stepIds, type StepId } from './attend-steps';
import { matrixIds, type MatrixId } from '../compute/protocol';

export const modes = ['words', 'characters', 'numbers'] as const;
export type Mode = (typeof modes)[number];
export const masks = ['causal', 'none'] as const;
export type MaskId = (typeof masks)[number];

export interface Cell {
  readonly matrix: MatrixId;
  readonly row: number;
  readonly col: number;
}

export interface AttendState {
  readonly by: Mode;
  readonly text: string;
  readonly head: HeadId;
  readonly mask: MaskId;
  readonly step: StepId;
  readonly pin: Cell | null;
  readonly edits: readonly Edit[];
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
};

const index = v.pipe(v.string(), v.regex(/^\d{1,2}$/u), v.transform(Number), v.maxValue(63));

const cell = v.pipe(
  v.string(),
  v.transform((text) => text.split('.')),
  v.strictTuple([v.picklist(matrixIds), index, index]),
  v.transform(([matrix, row, col]): Cell => ({ matrix, row, col })),
);

const number = v.pipe(
  v.string(),
  v.regex(/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/u),
  v.transform(Number),
  v.finite(),
);

const edit = v.pipe(
  v.string(),
  v.transform((text) => text.split('~')),
  v.strictTuple([v.picklist(weightIds), index, index, number]),
  v.transform(([matrix, row, col, value]): Edit => ({ matrix, row, col, value })),
);

const fields = {
  by: v.picklist(modes),
  text: v.pipe(v.string(), v.maxLength(maxText)),
  head: v.picklist(headIds),
  mask: v.picklist(masks),
  step: v.picklist(stepIds),
  pin: cell,
  edits: v.pipe(
    v.string(),
    v.transform((text) => text.split('!')),
    v.array(edit),
    v.maxLength(maxEdits),
  ),
} as const;
type Field = keyof typeof fields;

/** A part of an address that could not be read. */
export interface Problem {
  readonly field: string;
  readonly found: string;
}

export function decode(query: string): { state: AttendState; problems: Problem[] } {
  const problems: Problem[] = [];
  const read: Partial<Record<Field, unknown>> = {};
  for (const [field, found] of new URLSearchParams(query)) {
    const schema = Object.hasOwn(fields, field) ? fields[field as Field] : null;
    const parsed = schema && v.safeParse(schema, found);
    if (parsed?.success) read[field as Field] = parsed.output;
    else problems.push({ field, found: found.length > 40 ? `${found.slice(0, 40)}…` : found });
  }
  return { state: { ...defaults, ...(read as Partial<AttendState>) }, problems };
}

export function encode(state: AttendState): string {
  const query = new URLSearchParams();
  for (const field of ['by', 'text', 'head', 'mask', 'step'] as const) {
    if (state[field] !== defaults[field]) query.set(field, state[field]);
  }
  const { pin, edits } = state;
  if (pin) query.set('pin', `${pin.matrix}.${pin.row}.${pin.col}`);
  if (edits.length > 0) {
    const parts = edits.map(({ matrix, row, col, value }) => `${matrix}~${row}~${col}~${value}`);
    query.set('edits', parts.join('!'));
  }
  return query.toString();
}
