// The definition of a drawn matrix, independent of how it is drawn.
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
  /** Title of the axis, such as "query, looks". */
  readonly title: string;
  /** Names of the rows or columns, for sentences. */
  readonly names: readonly string[];
  /** Shorter labels at the matrix. */
  readonly short: readonly string[];
  readonly groups?: readonly LabelGroup[];
  /** Token labels may be long: they slant above columns. */
  readonly words?: boolean;
}

/** An axis with numbers only. */
export function numerals(count: number, title: string): Axis {
  const names = Array.from({ length: count }, (_, i) => String(i + 1));
  return { title, names, short: names };
}

/** Both axes of a matrix, with numbers only. */
export const numbered = ({ rows, cols }: MatrixData, down: string, across: string) => ({
  rows: numerals(rows, down),
  cols: numerals(cols, across),
});

export interface MatrixSymbol {
  readonly base: string;
  readonly sub?: string;
  /** Whether it is a letter of the formula, in italics; otherwise it is a word. */
  readonly letter: boolean;
}

export interface Drawn {
  /** Unique on the page. */
  readonly id: string;
  readonly symbol: MatrixSymbol;
  readonly role: Role;
  readonly matrix: MatrixData;
  readonly rows: Axis;
  readonly cols: Axis;
  /** Whether the titles of the axes stand below (default: for axes of words). */
  readonly titled?: boolean;
  /** weights: 0 to 1, one colour. signed: two colours around 0. */
  readonly kind: 'signed' | 'weights';
  /** The weights are exactly ones and zeros, not rounded shares. */
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

/** Defaults of a matrix: its own scale, nothing hidden, nothing to edit. */
export const plain = {
  kind: 'signed',
  shared: false,
  hidden: () => false,
  changed: null,
  edited: null,
  editable: false,
} as const;

/** The text of a cell; empty for a hidden cell. */
export function written(drawn: Drawn, row: number, col: number, cell: number): string {
  const value = at(drawn.matrix, row, col);
  if (drawn.hidden(row, col)) return '';
  if (drawn.kind === 'signed' || drawn.whole) return inCell(value, cell);
  // Rounded digits cannot show whether a share is exactly all or nothing.
  const digits = weightInCell(value, cell);
  if (Number(digits) === 0) return roundedZero;
  return digits === '1' ? '1.00' : digits;
}

/** The spoken label of a cell. It begins with the text of the cell, if there is any; a hidden cell has none. */
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
