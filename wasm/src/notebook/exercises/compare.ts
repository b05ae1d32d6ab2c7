// When two values are the same, as far as float32 goes.
import type { NodeNumbers } from '../../graph/index.js';
import type { Tensor } from '../../tensor.js';

export const read = (tensor: Tensor): NodeNumbers => ({
  shape: tensor.shape,
  data: tensor.read(),
});

/**
 * As a part of the largest number. Rounding in float32 stays ten times below; each of the usual mistakes
 * changes a result by a tenth and more.
 */
const tolerance = 1e-4;

export const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

/** The largest of a value's numbers, as far as they are finite; 1 of noughts. */
function largestOf({ data }: NodeNumbers): number {
  let largest = 0;
  for (const y of data) if (Number.isFinite(y)) largest = Math.max(largest, Math.abs(y));
  return largest || 1;
}

/** The difference of two numbers; infinite where one is finite and the other is not. */
const apart = (x: number, y: number) =>
  Object.is(x, y) ? 0 : Number.isFinite(x) && Number.isFinite(y) ? Math.abs(x - y) : Infinity;

/** The largest difference, as a part of the largest right number; infinite where shapes or what is no number differ. */
export function distance(found: NodeNumbers, right: NodeNumbers): number {
  if (!sameShape(found.shape, right.shape)) return Infinity;
  let most = 0;
  for (const [i, y] of right.data.entries()) most = Math.max(most, apart(found.data[i]!, y));
  return most === 0 ? 0 : most / largestOf(right);
}

export const isClose = (found: NodeNumbers, right: NodeNumbers): boolean =>
  distance(found, right) <= tolerance;

/** Which numbers of two values of one shape differ, as they lie in the data: 1 where they do. */
export function differences(found: NodeNumbers, right: NodeNumbers): Uint8Array {
  const least = tolerance * largestOf(right);
  return Uint8Array.from(right.data, (y, i) => Number(apart(found.data[i]!, y) > least));
}

/** Ones and noughts: of such values there are many, and that two are the same says little. */
export const isPlain = ({ data }: NodeNumbers): boolean =>
  data.length > 2 && new Set(data).size < 3;
