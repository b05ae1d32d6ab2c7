// Reads the hatching of a mask: lines and one edge, as paths.
import type { Locator } from '@playwright/test';
import { expect } from './fixtures.ts';

interface Hatch {
  /** The path of its lines, and that of its edge. */
  readonly lines: string;
  readonly edge: string;
  /** Side of a cell. */
  readonly side: number;
}

/** A function of row and column of the view: the length of the hatch's lines in that cell, across, in pixels. */
export function hatchedIn({ lines, side }: Hatch): (row: number, col: number) => number {
  const pieces = [...lines.matchAll(/M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)/gu)].map((found) => {
    const [left, low, right, high] = found.slice(1).map(Number);
    expect(Math.abs(left + low - right - high), 'they all slant alike').toBeLessThan(0.21);
    return { left, right, sum: left + low };
  });
  return (row, col) =>
    pieces.reduce((all, { left, right, sum }) => {
      const from = Math.max(left, col * side, sum - (row + 1) * side);
      const to = Math.min(right, (col + 1) * side, sum - row * side);
      return all + Math.max(0, to - from);
    }, 0);
}

/** The length of the hidden area's edge, in sides of a cell. */
export function edgeIn({ edge, side }: Hatch): number {
  const pieces = [...edge.matchAll(/M([\d.]+) ([\d.]+)([HV])([\d.]+)/gu)];
  const lengths = pieces.map(([, x, y, way, to]) => Number(to) - Number(way === 'H' ? x : y));
  return lengths.reduce((sum, length) => sum + length, 0) / side;
}

/** The hidden area of a matrix, of elements or on a canvas; null without one. Its position matches the cells. */
export async function readHatch(matrix: Locator): Promise<Hatch | null> {
  const found = await matrix.evaluate((figure) => {
    const hatch = figure.querySelector('[data-hatch]');
    if (!hatch) return null;
    const grid = figure.querySelector('[role=grid]')!.getBoundingClientRect();
    const { left, top } = hatch.getBoundingClientRect();
    const [lines, edge] = [...hatch.querySelectorAll('path')].map((path) =>
      path.getAttribute('d')!,
    );
    const body = figure.querySelector('.body')!;
    const side = parseFloat(getComputedStyle(body).getPropertyValue('--cell'));
    return { lines, edge, side, off: Math.hypot(left - grid.left, top - grid.top) };
  });
  if (found) expect(found.off, 'the hatch lies on its matrix').toBeLessThan(0.1);
  return found;
}
