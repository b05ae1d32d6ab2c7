// Matrices of this chapter as the figures draw them.
import type { MatrixData } from '../../compute/page/protocol';
import { numbered, type Drawn } from '../../figures/matrix';
import type { Role } from '../../figures/palette.svelte';
import { drawnOf as drawn, word } from '../../figures/scene';

interface Options {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly axes: { readonly down: string; readonly across: string };
}

export const drawnOf = (matrix: MatrixData, { id, name, role, axes }: Options): Drawn =>
  drawn(id, matrix, {
    ...{ role, symbol: word(name) },
    ...numbered(matrix, axes.down, axes.across),
  });

/** [1, 3, 7]: indices count from 1, as everywhere on this page. */
export const placeOf = (index: readonly number[]) => `[${index.map((i) => i + 1).join(', ')}]`;

/** Maximum height; a taller matrix is drawn narrower. */
export const tallest = 420;

export function mapWidth({ rows, cols }: MatrixData, room: number): number {
  return Math.max(200, Math.min(room, tallest, (tallest * cols) / rows));
}

/** The cell of an element in the map of a tensor of that shape. */
export function cellAt(index: readonly number[], shape: readonly number[], { cols }: MatrixData) {
  const place = index.reduce((sum, i, axis) => sum * shape[axis] + i, 0);
  return { row: Math.floor(place / cols), col: place % cols };
}

/** The inverse: the element of a cell in the map. */
export function indexAt(
  { row, col }: { readonly row: number; readonly col: number },
  shape: readonly number[],
  { cols }: MatrixData,
): number[] {
  let place = row * cols + col;
  const index = [...shape];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index[axis] = place % shape[axis];
    place = Math.floor(place / shape[axis]);
  }
  return index;
}
