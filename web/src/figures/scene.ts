// Building blocks of scenes: drawn matrices, and blocks of their cells that light up.
import { at, rowOf, type MatrixData } from '../compute/page/protocol';
import { plain, type Axis, type Drawn, type MatrixSymbol } from './matrix';
import { scaleEnd } from './paint';
import type { Mark } from './pointing.svelte';
import { factor, plus, type Part, type Term } from './why';
import { inText } from './format';

/** A symbol of the formula, in italics. */
export const letter = (base: string, sub?: string): MatrixSymbol => ({ base, sub, letter: true });
/** A name in words. */
export const word = (base: string, sub?: string): MatrixSymbol => ({ base, sub, letter: false });

/** Words as an axis: their positions tell equal ones apart, if no names do. */
export const wordAxis = (
  words: readonly string[],
  title: string,
  names: readonly string[] = words.map((name, i) => `${name} (${i + 1})`),
): Axis => ({ title, names, short: words, words: true });

/**
 * The look of a matrix. Missing properties have their defaults, with its own scale; weights have a scale from 0 to 1.
 */
export type Look = Pick<Drawn, 'role' | 'symbol' | 'rows' | 'cols'> &
  Partial<Omit<Drawn, 'id' | 'matrix'>>;

export const drawnOf = (id: string, matrix: MatrixData, look: Look): Drawn => ({
  ...plain,
  end: look.kind === 'weights' ? 1 : scaleEnd(matrix.data),
  ...look,
  id,
  matrix,
});

export const markCell = (matrix: string, row: number, col: number): Mark => ({
  matrix,
  rows: [row, row],
  cols: [col, col],
});

export const markRow = (drawn: Drawn | undefined, row: number): Mark[] =>
  drawn ? [{ matrix: drawn.id, rows: [row, row], cols: [0, drawn.matrix.cols - 1] }] : [];

export const markCol = (drawn: Drawn | undefined, col: number): Mark[] =>
  drawn ? [{ matrix: drawn.id, rows: [0, drawn.matrix.rows - 1], cols: [col, col] }] : [];

/** 1 where a number has changed; null if none has, and if the shapes differ. */
export function differences(now: MatrixData, before: MatrixData | null | undefined) {
  if (!before || before.rows !== now.rows || before.cols !== now.cols) return null;
  const found = Uint8Array.from(now.data, (value, i) => Number(!Object.is(value, before.data[i])));
  return found.includes(1) ? found : null;
}

/** The products of a row of one matrix and a row of another, a row and a column, or two columns. */
export const rowByRow = (a: MatrixData, row: number, b: MatrixData, other: number): Term[] =>
  Array.from({ length: a.cols }, (_, i) => ({ a: at(a, row, i), b: at(b, other, i) }));
export const rowByCol = (a: MatrixData, row: number, b: MatrixData, col: number): Term[] =>
  Array.from({ length: a.cols }, (_, i) => ({ a: at(a, row, i), b: at(b, i, col) }));
export const colByCol = (a: MatrixData, col: number, b: MatrixData, other: number): Term[] =>
  Array.from({ length: a.rows }, (_, i) => ({ a: at(a, i, col), b: at(b, i, other) }));

/** e to the power of a score, from which a number may have been subtracted. */
export function power(score: number, off?: number): Part[] {
  const taken = off === undefined ? '' : ` − ${factor(off, '').text}`;
  return [{ text: 'e' }, { text: inText(score) + taken, role: 'score', raised: true }];
}

/** e to the power of one score, divided by the sum of the powers of all, and of further terms. */
export function shareParts(
  score: number,
  all: readonly number[],
  { off, more = [] }: { readonly off?: number; readonly more?: readonly Part[] } = {},
): Part[] {
  const below = all.flatMap((one, i) => [...(i > 0 ? [plus] : []), ...power(one, off)]);
  return [...power(score, off), { text: ' / ( ' }, ...below, ...more, { text: ' )' }];
}

/** e to the power of one score, divided by the sum over its row without hidden scores. */
export const softmaxParts = (scores: MatrixData, row: number, col: number): Part[] =>
  shareParts(
    at(scores, row, col),
    rowOf(scores, row).filter((score) => score !== -Infinity),
  );
