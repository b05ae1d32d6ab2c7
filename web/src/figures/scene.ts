// What scenes are made of: matrices as they are drawn, and blocks of their cells that light up.
import { at, type MatrixData } from '../compute/protocol';
import { plain, type Axis, type Drawn, type MatrixSymbol } from './matrix';
import { scaleEnd } from './paint';
import type { Mark } from './pointing.svelte';
import { plus, type Part } from './why';
import { inText } from './format';

/** A symbol of the formula, in italics. */
export const letter = (base: string, sub?: string): MatrixSymbol => ({ base, sub, letter: true });
/** A name in words. */
export const word = (base: string, sub?: string): MatrixSymbol => ({ base, sub, letter: false });

/** Words as an axis: their places tell equal ones apart. */
export const wordAxis = (words: readonly string[], title: string): Axis => ({
  title,
  names: words.map((name, i) => `${name} (${i + 1})`),
  short: words,
  words: true,
});

/** How a matrix is drawn: what is not said is as most are, on a scale of its own; weights have theirs from 0 to 1. */
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

/** A whole row. */
export const markRow = (drawn: Drawn | undefined, row: number): Mark[] =>
  drawn ? [{ matrix: drawn.id, rows: [row, row], cols: [0, drawn.matrix.cols - 1] }] : [];

/** A whole column. */
export const markCol = (drawn: Drawn | undefined, col: number): Mark[] =>
  drawn ? [{ matrix: drawn.id, rows: [0, drawn.matrix.rows - 1], cols: [col, col] }] : [];

/** 1 where a number is another than before; null where nothing can be compared. */
export function differences(now: MatrixData, before: MatrixData | null | undefined) {
  if (!before || before.rows !== now.rows || before.cols !== now.cols) return null;
  return Uint8Array.from(now.data, (value, i) => Number(!Object.is(value, before.data[i])));
}

/** e to a score. */
export const power = (score: number): Part[] => [
  { text: 'e' },
  { text: inText(score), role: 'score', raised: true },
];

/** e to one score over the sum of its row's, hidden ones left out. */
export function softmaxParts(scores: MatrixData, row: number, col: number): Part[] {
  const seen = Array.from({ length: scores.cols }, (_, key) => at(scores, row, key)).filter(
    (score) => score !== -Infinity,
  );
  const below = seen.flatMap((score, i) => [...(i > 0 ? [plus] : []), ...power(score)]);
  return [...power(at(scores, row, col)), { text: ' / ( ' }, ...below, { text: ' )' }];
}
