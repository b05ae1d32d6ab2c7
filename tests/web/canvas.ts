// Reads canvases back pixel by pixel: the squares of large matrices, and thumbnails of matrices.
import type { Locator } from '@playwright/test';
import { colourOf, inCellsOf } from './drawn.ts';
import { expect } from './fixtures.ts';
import type { Rows } from './lessons.ts';
import { readCanvas, type Picture } from './pixels.ts';

/** The colour channels, 0 to 255, and the opacity, 0 to 1. */
type Pixel = readonly [r: number, g: number, b: number, a: number];

const pixel = ({ width, data }: Picture, x: number, y: number): Pixel => {
  const [r, g, b, a] = data.slice(4 * (y * width + x), 4 * (y * width + x) + 4);
  return [r, g, b, a / 255];
};

const channels = (name: string) => colourOf(name).match(/\d+/gu)!.map(Number);

/** Blends a named colour of this opacity over a pixel. */
function over(name: string, strength: number, below: Pixel): Pixel {
  const top = channels(name);
  const alpha = strength + below[3] * (1 - strength);
  if (alpha === 0) return [0, 0, 0, 0];
  const mixed = top.map(
    (channel, i) => (channel * strength + below[i] * below[3] * (1 - strength)) / alpha,
  );
  return [mixed[0], mixed[1], mixed[2], alpha];
}

/** Channels are integers, and nearly transparent pixels have lost their last digits. */
function expectPixel(found: Pixel, wanted: Pixel, place: string): void {
  expect(Math.abs(found[3] - wanted[3]), `${place}: strength`).toBeLessThan(0.012);
  for (const i of [0, 1, 2]) {
    expect(Math.abs(found[i] - wanted[i]) * found[3], `${place}: ${found.join()}`).toBeLessThan(3);
  }
}

interface Look {
  readonly role: string;
  /** The magnitude of a full cell. */
  readonly end: number;
  readonly hidden?: (row: number, col: number) => boolean;
}

const shareOf = (value: number, end: number) =>
  Number.isNaN(value) ? 0 : Math.min(1, Math.abs(value) / end);
const strengthOf = (share: number) => (share > 0 ? 0.2 + 0.8 * share : 0);

/**
 * Expects the thumbnail of a matrix: every cell has the strength and the colour of its number, or is blank if it is
 * hidden.
 */
export async function expectThumb(canvas: Locator, rows: Rows, look: Look): Promise<void> {
  const picture = await readCanvas(canvas);
  const step = picture.width / rows[0].length;
  // In narrower cells no pixel would lie entirely in one cell.
  expect(step, 'pixels a cell').toBeGreaterThanOrEqual(2);
  for (const [row, numbers] of rows.entries()) {
    for (const [col, value] of numbers.entries()) {
      const [x, y] = [col, row].map((at) => Math.ceil((at + 0.5) * step) - 1);
      const hidden = look.hidden?.(row, col) ?? false;
      const strength = strengthOf(shareOf(value, look.end));
      const ground = over('line', 0.1, [0, 0, 0, 0]);
      const wanted: Pixel = hidden
        ? [0, 0, 0, 0]
        : over(value < 0 ? 'neg' : look.role, strength, ground);
      expectPixel(pixel(picture, x, y), wanted, `[${row}, ${col}], ${value}`);
    }
  }
}

/**
 * Expects the squares of a matrix without digits. Along the middle line of a cell the amount of colour equals the width
 * of its square, or of the frame of a hollow square (negative numbers). Strength and colour follow the number; hidden
 * cells are blank.
 */
export async function expectSquares(canvas: Locator, rows: Rows, look: Look): Promise<void> {
  const picture = await readCanvas(canvas);
  const cell = picture.width / rows[0].length;
  expect(cell, 'without numbers').toBeLessThan(inCellsOf.numbers);
  expect(picture.height).toBe(Math.round(cell * rows.length));
  const inside = cell - (cell > 16 ? 2 : 1);
  const paper: Pixel = [...(channels('paper') as [number, number, number]), 1];
  for (const [row, numbers] of rows.entries()) {
    for (const [col, value] of numbers.entries()) {
      const place = `[${row}, ${col}], ${value} of ${look.end}`;
      const y = Math.floor(row * cell + inside / 2);
      const line = Array.from({ length: Math.floor(inside) }, (_, x) =>
        pixel(picture, Math.round(col * cell) + x, y),
      );
      if (look.hidden?.(row, col)) {
        expect(line.filter((one) => one[3] > 0).length, place).toBe(0);
        continue;
      }
      const share = shareOf(value, look.end);
      const full = over(value < 0 ? 'neg' : look.role, strengthOf(share), paper);
      const width = Math.sqrt(share) * inside * (value < 0 ? 1 - 0.56 : 1);
      const far = (one: Pixel, other: Pixel) =>
        Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
      // The edges of a square cover parts of pixels.
      const covered = line.map((one) => far(one, paper) / Math.max(1, far(full, paper)));
      const sum = covered.reduce((all, part) => all + part, 0);
      // The canvas measures the coverage of a path in quarters of pixels, at each edge; a frame has four edges.
      const blur = 0.175 * (value < 0 ? 4 : 2);
      // A square of less than two pixels may not cover any whole pixel.
      const less = Math.sqrt(share) * inside < 2 ? width : blur;
      expect(sum - width, `${place}: ${sum.toFixed(2)} wide`).toBeLessThan(blur);
      expect(width - sum, `${place}: ${sum.toFixed(2)} wide`).toBeLessThanOrEqual(less);
      if (width > 3 && value > 0) {
        expectPixel(line[Math.floor(inside / 2)], full, `${place}: colour`);
      }
    }
  }
}
