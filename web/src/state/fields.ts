// Reading a chapter's state from its address: every field is checked by itself; one that cannot be read is
// reported and falls back, so that a broken link still shows the rest. Nothing is ever evaluated.
import * as v from 'valibot';
import type { MatrixData } from '../compute/protocol';
import type { Cell } from './cell';

/** A part of an address that could not be read. */
export interface Problem {
  readonly field: string;
  readonly found: string;
}

export type Fields<State> = {
  readonly [Name in keyof State]: v.GenericSchema<string, State[Name]>;
};

export function decodeFields<State extends object>(
  fields: Fields<State>,
  defaults: State,
  query: string,
): { state: State; problems: Problem[] } {
  const problems: Problem[] = [];
  const read: Partial<State> = {};
  for (const [field, found] of new URLSearchParams(query)) {
    const schema = Object.hasOwn(fields, field) ? fields[field as keyof State] : null;
    const parsed = schema && v.safeParse(schema, found);
    if (parsed?.success) read[field as keyof State] = parsed.output;
    else problems.push({ field, found: found.length > 40 ? `${found.slice(0, 40)}…` : found });
  }
  return { state: { ...defaults, ...read }, problems };
}

/** What equals the default is left out. */
export function encodeFields<State extends object>(
  write: { readonly [Name in keyof State]: (value: State[Name]) => string },
  defaults: State,
  state: State,
): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(write) as (keyof State & string)[]) {
    const text = write[name](state[name]);
    if (text !== write[name](defaults[name])) query.set(name, text);
  }
  return query.toString();
}

export const whole = (least: number, most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,6}$/u),
    v.transform(Number),
    v.minValue(least),
    v.maxValue(most),
  );

export const number = v.pipe(
  v.string(),
  v.regex(/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/u),
  v.transform(Number),
  v.finite(),
);

/** "1,2;3,4": rows by semicolons, all of one length, up to `most` rows and columns. */
export const matrix = (most: number): v.GenericSchema<string, MatrixData> =>
  v.pipe(
    v.string(),
    v.maxLength(2000),
    v.transform((text) => text.split(';').map((row) => row.split(','))),
    v.array(v.array(number)),
    v.minLength(1),
    v.maxLength(most),
    v.check(
      (rows) => rows[0].length <= most && rows.every(({ length }) => length === rows[0].length),
    ),
    v.transform((rows: number[][]) => matrixOf(rows)),
  );

/** "1,2,3" */
export const numbers = (count: number) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',')),
    v.array(number),
    v.length(count),
  );

/** "a.0.1": a cell of one of the matrices. */
export const cell = <Id extends string>(ids: readonly [Id, ...Id[]]) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.split('.')),
    v.strictTuple([v.picklist(ids), whole(0, 63), whole(0, 63)]),
    v.transform(([matrix, row, col]) => ({ matrix, row, col })),
  );

export const cellText = (one: Cell | null) => (one ? `${one.matrix}.${one.row}.${one.col}` : '');

export function matrixOf(rows: readonly (readonly number[])[]): MatrixData {
  return { rows: rows.length, cols: rows[0].length, data: Float32Array.from(rows.flat()) };
}

export function matrixText({ rows, cols, data }: MatrixData): string {
  return Array.from({ length: rows }, (_, row) =>
    Array.from(data.subarray(row * cols, (row + 1) * cols), shortest).join(','),
  ).join(';');
}

/** The shortest decimal that reads back as the same float32. */
function shortest(value: number): string {
  for (let digits = 1; digits < 9; ++digits) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(value);
}

/** A matrix with one entry replaced. */
export function withEntry(given: MatrixData, row: number, col: number, value: number): MatrixData {
  const data = given.data.slice();
  data[row * given.cols + col] = value;
  return { ...given, data };
}

/** With other sizes: what was there stays, what is new is `fill`. */
export function resized(
  given: MatrixData,
  rows: number,
  cols: number,
  fill: (row: number, col: number) => number,
): MatrixData {
  return matrixOf(
    Array.from({ length: rows }, (_, row) =>
      Array.from({ length: cols }, (_, col) =>
        row < given.rows && col < given.cols ? given.data[row * given.cols + col] : fill(row, col),
      ),
    ),
  );
}
