// The scores as a motion: a row of Q slides right, a column of Kᵀ slides down. Where they cross, entries meet pair by pair,
// the last ones first, and their products make one score. Then the row meets every column, and every row does.
import { numberCell } from '../../figures/format';
import { between, part } from '../../figures/motion';

export interface Crossing {
  /** How many queries and keys are shown, and the entries of each. */
  readonly rows: number;
  readonly cols: number;
  readonly depth: number;
  /** The cell that is made first. */
  readonly row: number;
  readonly col: number;
  /** Of pairs in the order in which they meet: the sum so far, and at the end the score. */
  readonly sums: readonly number[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly cell: number;
  /** Left upper corners of Q, of Kᵀ and of the scores. */
  readonly left: number;
  readonly top: number;
  readonly across: number;
  readonly down: number;
  readonly width: number;
  readonly height: number;
  /** Where cells have no room for digits: above all of it the row, the column and their products, large. */
  readonly lens: { readonly cell: number; readonly left: number; readonly top: number } | null;
}

/** Frames at which a part is done: both have come to the crossing, all pairs have met, one cell, its row, every cell. */
export const crossStops = [0, 24, 110, 140, 185, 240] as const;
const [, arrived, met, made, rowMade, done] = crossStops;
/** Within the third part, products are put together; then the sum becomes the cell. */
const together = 125;
const gap = 18;
const largest = 34;
/** Room for the names of the three rows of the lens, and between them. */
const lensGutter = 34;
const lensGap = 4;
/** From one row of the lens to the next. */
export const lensStep = (cell: number): number => cell + lensGap;

export function crossLayout(
  { rows, cols, depth }: Crossing,
  room: { readonly width: number; readonly height: number },
  gutter: number,
  head: number,
): Layout {
  const byWidth = (room.width - gutter - gap - 4) / (depth + cols);
  const byHeight = (room.height - head - gap) / (depth + rows);
  // Rather a little too high than without numbers.
  const least = byWidth >= numberCell ? numberCell : 8;
  const cell = Math.max(least, Math.floor(Math.min(largest, byWidth, byHeight)));
  const needed = gutter + gap + (depth + cols) * cell;
  const left = gutter + Math.max(0, Math.floor((room.width - needed - 4) / 2));
  const large = Math.floor(Math.min(largest, (room.width - lensGutter - 4) / depth));
  const lens =
    cell < numberCell && large >= numberCell ? { cell: large, left: lensGutter, top: 2 } : null;
  const top = head + (lens ? 3 * lensStep(lens.cell) + gap : 0);
  const [across, down] = [left + depth * cell + gap, top + depth * cell + gap];
  const height = down + rows * cell + 4;
  return { cell, left, top, across, down, width: room.width, height, lens };
}

/** How many pairs have met, with a rest at each. */
export function metBy({ depth }: Crossing, frame: number): number {
  const beats = Math.max(0, Math.min(depth, (depth * (frame - arrived)) / (met - arrived)));
  const whole = Math.floor(beats);
  return whole + part(beats - whole, 0.3, 1);
}

interface Crossed {
  /** Entries on their way; `left` of the row's, else the column's. Gone when they have met. */
  readonly entries: readonly (Box & { readonly entry: number; readonly left: boolean })[];
  /** Products, as far as they are there: from one sum to the next. */
  readonly products: readonly (Box & { readonly entry: number; readonly negative: boolean })[];
  /** Where sums are 0, and how many pixels are 1. */
  readonly zero: number;
  readonly unit: number;
  /** The sum on its way to its cell. */
  readonly sum: (Box & { readonly negative: boolean }) | null;
  /** Columns that come down to the row. */
  readonly falling: readonly (Box & { readonly col: number })[];
  /** How far the front has come, in cells from the corner: rows that run to the right, columns that run down. */
  readonly front: number;
  readonly isMade: (row: number, col: number) => boolean;
}

export function crossAt(crossing: Crossing, layout: Layout, frame: number): Crossed {
  const { rows, cols, depth, row, col, sums } = crossing;
  const { cell, left, top, across, down } = layout;
  const beats = metBy(crossing, frame);
  const approach = part(frame, 0, arrived);
  const right = approach * (across + (col - depth + 1) * cell - left) + beats * cell;
  const below = approach * (down + (row - depth + 1) * cell - top) + beats * cell;
  const entries = Array.from({ length: depth }, (_, entry) => entry)
    .filter((entry) => depth - entry > beats)
    .flatMap((entry) => [
      { entry, left: true, x: left + entry * cell + right, y: down + row * cell, ...side(cell) },
      { entry, left: false, x: across + col * cell, y: top + entry * cell + below, ...side(cell) },
    ]);

  const [least, most] = [Math.min(0, ...sums), Math.max(0, ...sums)];
  const unit = (depth * cell - 8) / (most - least || 1);
  const zero = left + 4 - least * unit;
  const flat = part(frame, met, together);
  const total = sums.at(-1) ?? 0;
  const low = top + (depth - 1) * cell + 3;
  const products = sums
    .map((sum, order) => {
      const [entry, before] = [depth - 1 - order, sums[order - 1] ?? 0];
      const until = between(before, sum, Math.max(0, Math.min(1, beats - order)));
      const [from, to] = [Math.min(before, until), Math.max(before, until)];
      return {
        ...{ entry, negative: sum < before, x: zero + from * unit },
        y: between(top + entry * cell + 3, low, flat),
        ...{ width: (to - from) * unit, height: cell - 6 },
      };
    })
    .filter((_, order) => beats > order && frame < together);
  const fly = part(frame, together, made);
  const sum =
    frame >= together && frame < made
      ? {
          negative: total < 0,
          x: between(zero + Math.min(0, total) * unit, across + col * cell + 1, fly),
          y: between(low, down + row * cell + 1, fly),
          width: between(Math.abs(total) * unit, cell - 2, fly),
          height: between(cell - 6, cell - 2, fly),
        }
      : null;

  const others = Array.from({ length: cols }, (_, one) => one).filter((one) => one !== col);
  const span = (rowMade - made) / 2;
  const begin = (order: number) => made + (span * order) / Math.max(1, cols - 2);
  const falling = others.flatMap((one, order) => {
    const fall = part(frame, begin(order), begin(order) + span);
    if (fall === 0 || fall === 1) return [];
    const height = between(depth * cell, cell, fall);
    const y = between(top, down + row * cell, fall);
    return [{ col: one, x: across + one * cell, y, width: cell, height }];
  });
  const front = ((rows + cols - 1) * Math.max(0, frame - rowMade)) / (done - rowMade);
  const isMade = (r: number, c: number) => {
    if (r === row && c === col) return frame >= made;
    if (r === row) return frame >= begin(others.indexOf(c)) + span;
    return front >= r + c + 1;
  };
  return { entries, products, zero, unit, sum, falling, front, isMade };
}

const side = (cell: number) => ({ width: cell, height: cell });
