// A chapter's state and its address: each field is one line, which defines how it is read and written, and its default.
// A field that cannot be read is reported and keeps its default, so that a broken link still shows the rest. Nothing is
// ever evaluated. Anybody can write a link: only a bounded part of it is read, and reading takes linear time.
import * as v from 'valibot';
import type { MatrixData } from '../compute/page/protocol';
import type { Cell } from './cell';

/** A part of an address that could not be read. */
export interface Problem {
  readonly field: string;
  readonly found: string;
}

type Schema<Value> = v.GenericSchema<string, Value>;

export interface Field<Value> {
  readonly usual: Value;
  /** Maximum number of characters; a longer text is refused before it is parsed. */
  readonly longest: number;
  readonly read: Schema<Value>;
  readonly write: (value: Value) => string;
  /** The name of the field in older links. */
  readonly formerly?: string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a field of any value
type Fields = Readonly<Record<string, Field<any>>>;

export type StateOf<Own extends Fields> = {
  readonly [Name in keyof Own]: Own[Name]['usual'];
};

/** Maximum length of a link: chapter Attend's longest, in a script with nine characters for each letter. */
const longestLink = 100_000;
/** Maximum number of problems listed. */
const mostProblems = 20;

/** The complete link, or as many complete fields as the maximum length allows. */
const bounded = (query: string) =>
  query.length <= longestLink
    ? query
    : query.slice(0, Math.max(0, query.lastIndexOf('&', longestLink)));

/** The beginning of a part of a link, for messages. */
export const excerpt = (found: string) => (found.length > 40 ? `${found.slice(0, 40)}…` : found);

/** The problem with fields that are valid alone but not together; `instead` replaces them. */
interface Misfit<State> {
  readonly problem: Problem;
  readonly instead: Partial<State>;
}

/** Defaults, reading and writing of a chapter's fields. */
export function codecOf<Own extends Fields>(
  fields: Own,
  misfit: (state: StateOf<Own>) => Misfit<StateOf<Own>> | null = () => null,
) {
  type State = StateOf<Own>;
  const entries = Object.entries(fields);
  const defaults = Object.fromEntries(entries.map(([name, { usual }]) => [name, usual])) as State;
  const names = new Map(
    entries.flatMap(([name, { formerly }]) => [name, formerly ?? name].map((one) => [one, name])),
  );

  function decode(query: string): { state: State; problems: Problem[] } {
    const problems: Problem[] = [];
    const report = (field: string, found: string) => {
      if (problems.length === mostProblems) return;
      problems.push({ field: excerpt(field), found: excerpt(found) });
    };
    const read: Record<string, unknown> = {};
    const within = bounded(query);
    for (const [field, found] of new URLSearchParams(within)) {
      const name = names.get(field);
      const parsed = name === undefined ? null : readAs(fields[name], found);
      if (parsed?.success) read[name!] = parsed.output;
      else report(field, found);
    }
    if (within !== query) report('…', query.slice(within.length));
    const state = { ...defaults, ...read };
    const wrong = misfit(state);
    if (!wrong) return { state, problems };
    return { state: { ...state, ...wrong.instead }, problems: [...problems, wrong.problem] };
  }

  /** Fields that equal their default are omitted. */
  function encode(state: State): string {
    const query = new URLSearchParams();
    for (const [name, { usual, write }] of entries) {
      const text = write(state[name]);
      if (text !== write(usual)) query.set(name, text);
    }
    return query.toString();
  }

  return { defaults, decode, encode };
}

function readAs<Value>({ longest, read }: Field<Value>, found: string) {
  if (found.length > longest) return null;
  return v.safeParse(read, found, { abortEarly: true, abortPipeEarly: true });
}

/** A field with another name in older links. */
export const renamed = <Value>(formerly: string, field: Field<Value>): Field<Value> => ({
  ...field,
  formerly,
});

export const text = (usual: string, most: number): Field<string> => ({
  usual,
  longest: most,
  read: v.string(),
  write: String,
});

const longestOf = (words: readonly string[]) => Math.max(...words.map(({ length }) => length));

/** One of several words; `formerly` maps the words of older links. */
export const choice = <Id extends string>(
  ids: readonly [Id, ...Id[]],
  usual: NoInfer<Id>,
  formerly: Readonly<Record<string, Id>> = {},
): Field<Id> => ({
  usual,
  longest: longestOf([...ids, ...Object.keys(formerly)]),
  read: v.pipe(
    v.string(),
    v.transform((found) => (Object.hasOwn(formerly, found) ? formerly[found] : found)),
    v.picklist(ids),
  ),
  write: String,
});

/** "yes" or "no", or other words for them. */
export const yes = (
  usual: boolean,
  words: readonly [string, string] = ['yes', 'no'],
): Field<boolean> => ({
  usual,
  longest: longestOf(words),
  read: v.pipe(
    v.picklist(words),
    v.transform((found) => found === words[0]),
  ),
  write: (value) => words[value ? 0 : 1],
});

const wholeDigits = 6;
const wholeText = (least: number, most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,6}$/u),
    v.transform(Number),
    v.minValue(least),
    v.maxValue(most),
  );

export const whole = (least: number, most: number, usual: number): Field<number> => ({
  usual,
  longest: wholeDigits,
  read: wholeText(least, most),
  write: String,
});

/** One of several integers. */
export const oneOf = (values: readonly number[], usual: number): Field<number> => ({
  usual,
  longest: wholeDigits,
  read: v.pipe(
    wholeText(0, 999_999),
    v.check((value) => values.includes(value)),
  ),
  write: String,
});

/** JavaScript writes a number in at most 25 characters. */
const longestNumber = 32;
/**
 * A decimal number, finite as a float32. The pattern matches a text in one way only: a mismatch is found in one pass.
 */
export const numberText = v.pipe(
  v.string(),
  v.maxLength(longestNumber),
  v.regex(/^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/u),
  v.transform(Number),
  v.check((value) => Number.isFinite(Math.fround(value))),
);

export const number = (least: number, most: number, usual: number): Field<number> => ({
  usual,
  longest: longestNumber,
  read: v.pipe(numberText, v.minValue(least), v.maxValue(most)),
  write: String,
});

/** "1,2,3", as many numbers as in the default. */
export const numbers = (usual: readonly number[]): Field<readonly number[]> => ({
  usual,
  longest: usual.length * (longestNumber + 1),
  read: v.pipe(
    v.string(),
    v.transform((found) => found.split(',')),
    v.array(numberText),
    v.length(usual.length),
  ),
  write: (values) => values.join(','),
});

/**
 * "1,2;3,4": rows separated by semicolons, all of one length, up to `most` rows and columns; `fits` may restrict it
 * further.
 */
export const matrix = (
  most: number,
  rows: readonly (readonly number[])[],
  fits: (given: MatrixData) => boolean = () => true,
): Field<MatrixData> => ({
  usual: matrixOf(rows),
  longest: most * most * (longestNumber + 1),
  read: v.pipe(
    v.string(),
    v.transform((found) => found.split(';').map((row) => row.split(','))),
    v.array(v.array(numberText)),
    v.minLength(1),
    v.maxLength(most),
    v.check((all) => all[0].length <= most && all.every(({ length }) => length === all[0].length)),
    v.transform((all: number[][]) => matrixOf(all)),
    v.check(fits),
  ),
  write: matrixText,
});

/** Several items between separators. Only with `none` an empty text is an empty list. */
export const list = <Item>(
  item: Pick<Field<Item>, 'longest' | 'read' | 'write'>,
  separator: string,
  most: number,
  none = false,
): Field<readonly Item[]> => ({
  usual: [],
  longest: most * (item.longest + separator.length),
  read: v.pipe(
    v.string(),
    v.transform((found) => (none && found === '' ? [] : found.split(separator))),
    v.maxLength(most),
    v.array(item.read),
  ),
  write: (items) => items.map(item.write).join(separator),
});

const placed = <Id extends string>(ids: readonly [Id, ...Id[]]): Schema<Cell<Id>> =>
  v.pipe(
    v.string(),
    v.transform((found) => found.split('.')),
    v.strictTuple([v.picklist(ids), wholeText(0, 63), wholeText(0, 63)]),
    v.transform(([id, row, col]) => ({ matrix: id, row, col })),
  );

/** Length of a cell: the name, and a suffix like ".63.63". */
const placeLength = (ids: readonly string[]) => longestOf(ids) + 2 * (wholeDigits + 1);
const placeText = ({ matrix: id, row, col }: Cell) => `${id}.${row}.${col}`;

/** "a.0.1": a cell of one of the matrices, or none. */
export const cell = <Id extends string>(ids: readonly [Id, ...Id[]]): Field<Cell<Id> | null> => ({
  usual: null,
  longest: placeLength(ids),
  read: placed(ids),
  write: (one) => (one ? placeText(one) : ''),
});

/** "a.0.1!b.2.3" */
export const cells = <Id extends string>(
  ids: readonly [Id, ...Id[]],
  most: number,
): Field<readonly Cell<Id>[]> =>
  list({ longest: placeLength(ids), read: placed(ids), write: placeText }, '!', most);

/** A number that the visitor has put into a cell. */
export type Edit<Id extends string> = Cell<Id> & { readonly value: number };

/** "wq~0~7~3!wk~1~2~-0.5" */
export const edits = <Id extends string>(
  ids: readonly Id[],
  most: number,
): Field<readonly Edit<Id>[]> =>
  list<Edit<Id>>(
    {
      longest: placeLength(ids) + 1 + longestNumber,
      read: v.pipe(
        v.string(),
        v.transform((found) => found.split('~')),
        v.strictTuple([v.picklist(ids), wholeText(0, 63), wholeText(0, 63), numberText]),
        v.transform(([id, row, col, value]) => ({ matrix: id, row, col, value })),
      ),
      write: ({ matrix: id, row, col, value }) => `${id}~${row}~${col}~${value}`,
    },
    '!',
    most,
  );

function matrixOf(rows: readonly (readonly number[])[]): MatrixData {
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

/** A copy of a matrix with one element replaced. */
export function withEntry(given: MatrixData, row: number, col: number, value: number): MatrixData {
  const data = given.data.slice();
  data[row * given.cols + col] = value;
  return { ...given, data };
}

/** A copy of another size: existing elements stay, new ones are `fill`. */
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
