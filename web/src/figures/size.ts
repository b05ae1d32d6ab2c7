// The size of cells at which a figure fits its place, or is worth scrolling for.
import { numberCell } from './format';
import type { Axis } from './matrix';
import { widest } from './segments';

const largest = 40;
export const comfortable = 30;
const smallest = 7;

export interface Room {
  readonly width: number;
  /** Visible height below the figure's upper edge. */
  readonly height: number;
  /** The visitor wants numbers, even if that means scrolling. */
  readonly numbers: boolean;
  /** Maximum cell size of the figure, if it is not the default. */
  readonly largest?: number;
}

/** Whole pixels within limits: as many as there are in each of the rooms. */
export const pixels = (least: number, most: number, ...rooms: readonly number[]): number =>
  Math.max(least, Math.min(most, ...rooms.map(Math.floor)));

/** `across` and `down` count cells; `fixed` and `above` are the width and height of everything else. */
export function cellSize(
  room: Room,
  across: number,
  down: number,
  fixed: number,
  above: number,
): number {
  const byWidth = Math.floor((room.width - fixed) / across);
  const byHeight = Math.max(comfortable, Math.floor((room.height - above) / down));
  if (byWidth >= numberCell) return Math.min(room.largest ?? largest, byWidth, byHeight);
  // Up to about twice the place, scrolling beats losing the numbers.
  if (room.numbers || numberCell * across <= 2.1 * (room.width - fixed)) return comfortable;
  return Math.max(smallest, byWidth);
}

/** The cell size of two equal squares side by side, without scrolling. */
export function pairCell(room: Room, size: number, fixed: number, above: number): number {
  const byWidth = Math.floor((room.width - fixed) / (2 * size));
  const byHeight = Math.max(comfortable, Math.floor((room.height - above) / size));
  return Math.max(smallest, Math.min(largest, byWidth, byHeight));
}

/** Width of an axis's labels beside rows. */
export function gutterOf(axis: Axis, narrow: boolean): number {
  const labels = widest(axis.short, axis.words ? 7.6 : 6.8);
  const names = axis.groups?.map(({ name }) => name);
  const brackets = names ? widest(names, 7) + 14 : 0;
  return Math.ceil(Math.max(26, Math.min(labels + 14, narrow ? 72 : 96) + brackets));
}

/**
 * The stance of labels above columns: words that are wider than a cell slant, and stand upright if slanted ones would
 * collide.
 */
export function stanceOf(axis: Axis, cell: number): 'level' | 'slanted' | 'upright' {
  if (!axis.words || widest(axis.short, 7.5) <= cell) return 'level';
  return cell >= 24 ? 'slanted' : 'upright';
}

/** Height of an axis's labels above columns. */
export function headOf(axis: Axis, cell: number): number {
  if (axis.groups) return 46;
  if (!axis.words) return 22;
  const letters = widest(axis.short, 1);
  const heights = { level: 24, slanted: 20 + letters * 5.3, upright: 12 + letters * 7.2 };
  return Math.min(74, heights[stanceOf(axis, cell)]);
}

/** Selects `most` elements at most, at even steps, including the last: as many as a table on a phone has room for. */
export const spread = <T>(all: readonly T[], most: number): readonly T[] =>
  all.filter((_, i) => (all.length - 1 - i) % Math.ceil(all.length / most) === 0);
