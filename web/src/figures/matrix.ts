// What a drawn matrix is, apart from how it is drawn.
import { at, type MatrixData } from '../compute/page/protocol';
import type { Role } from './palette.svelte';
import { exact, inCell, roundedZero, weightInCell } from './format';
import text from '$texts/figures.yaml';

/** A run of labels that belong together, under one bracket. */
export interface LabelGroup {
  readonly name: string;
  readonly from: number;
  readonly count: number;
}

export interface Axis {
  /** What the axis is, such as "query, looks". */
  readonly title: string;
  /** One a row or column, for sentences. */
  readonly names: readonly string[];
  /** What stands at the matrix, where that is shorter. */
  readonly short: readonly string[];
  readonly groups?: readonly LabelGroup[];
  /** Token labels may be long: they slant above columns. */
  readonly words?: boolean;
}

/** Rows or columns that only have numbers. */
export function numerals(count: number, title: string): Axis {
  const names = Array.from({ length: count }, (_, i) => String(i + 1));
  return { title, names, short: names };
}

/** Both axes of a matrix, by numbers. */
export const numbered = ({ rows, cols }: MatrixData, down: string, across: string) => ({
  rows: numerals(rows, down),
  cols: numerals(cols, across),
});

export interface MatrixSymbol {
  readonly base: string;
  readonly sub?: string;
  /** A letter of the formula, so in italics; else a word. */
  readonly letter: boolean;
}

export interface Drawn {
  /** One of its kind on the page. */
  readonly id: string;
  readonly symbol: MatrixSymbol;
  readonly role: Role;
  readonly matrix: MatrixData;
  readonly rows: Axis;
  readonly cols: Axis;
  /** Whether their titles stand below; where nothing is said, at matrices of words. */
  readonly titled?: boolean;
  /** weights: 0 to 1, one colour. signed: two colours around 0. */
  readonly kind: 'signed' | 'weights';
  /** Of weights that are ones and zeros by themselves, not shares that were rounded. */
  readonly whole?: boolean;
  /** The magnitude that fills a cell, and whether other matrices on the stage share it. */
  readonly end: number;
  readonly shared: boolean;
  readonly hidden: (row: number, col: number) => boolean;
  /** 1 where the last edit has changed the number. */
  readonly changed: Uint8Array | null;
  /** 1 where the visitor has changed the number by hand. */
  readonly edited: Uint8Array | null;
  readonly editable: boolean;
}

/** What most matrices are: a scale of their own, nothing hidden, nothing to edit. */
export const plain = {
  kind: 'signed',
  shared: false,
  hidden: () => false,
  changed: null,
  edited: null,
  editable: false,
} as const;

/** What stands in a cell; of a hidden one nothing does. */
export function written(drawn: Drawn, row: number, col: number, cell: number): string {
  const value = at(drawn.matrix, row, col);
  if (drawn.hidden(row, col)) return '';
  if (drawn.kind === 'signed' || drawn.whole) return inCell(value, cell);
  // Whether a share is all or nothing to the last digit is nothing that digits in a cell could tell.
  const digits = weightInCell(value, cell);
  if (Number(digits) === 0) return roundedZero;
  return digits === '1' ? '1.00' : digits;
}

/** What is read aloud of a cell begins with what is written in it, if anything is; in one that is hidden nothing is. */
export function spoken(drawn: Drawn, row: number, col: number, seen = ''): string {
  const said = {
    row: drawn.rows.names[row],
    col: drawn.cols.names[col],
    value: exact(at(drawn.matrix, row, col)),
  };
  if (drawn.hidden(row, col)) return text.cellHidden(said);
  return seen ? text.cellSeen({ ...said, seen }) : text.cell(said);
}

/** Share of the scale's end, 0 to 1; infinities fill the cell, NaN has none. */
export function share(drawn: Drawn, value: number): number {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 0 : 1;
  const end = drawn.kind === 'weights' ? 1 : drawn.end;
  return end > 0 ? Math.min(Math.abs(value) / end, 1) : 0;
}
