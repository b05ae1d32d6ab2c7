// Equality of two values within the rounding of float32.
import type { NodeNumbers } from '../../graph/index.js';
import type { Tensor } from '../../tensor.js';

export const read = (tensor: Tensor): NodeNumbers => ({
  shape: tensor.shape,
  data: tensor.read(),
});

/**
 * The tolerance as a fraction of the largest number. Rounding in float32 stays ten times below; each of
 * the usual mistakes changes a result by a tenth or more.
 */
const tolerance = 1e-4;

export const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

/** The largest finite size of a value's numbers; 1 where all are 0. */
function largestOf({ data }: NodeNumbers): number {
  let largest = 0;
  for (const y of data) if (Number.isFinite(y)) largest = Math.max(largest, Math.abs(y));
  return largest || 1;
}

/** The difference of two numbers; infinite where one is finite and the other is not. */
const apart = (x: number, y: number) =>
  Object.is(x, y) ? 0 : Number.isFinite(x) && Number.isFinite(y) ? Math.abs(x - y) : Infinity;

/** The largest difference, as a fraction of the largest right number; infinite where shapes or NaN differ. */
export function distance(found: NodeNumbers, right: NodeNumbers): number {
  if (!sameShape(found.shape, right.shape)) return Infinity;
  let most = 0;
  for (const [i, y] of right.data.entries()) most = Math.max(most, apart(found.data[i]!, y));
  return most === 0 ? 0 : most / largestOf(right);
}

export const isClose = (found: NodeNumbers, right: NodeNumbers): boolean =>
  distance(found, right) <= tolerance;

/**
 * A mask of the numbers in which two values of one shape differ, in the order of the data: 1 where
 * they do.
 */
export function differences(found: NodeNumbers, right: NodeNumbers): Uint8Array {
  const least = tolerance * largestOf(right);
  return Uint8Array.from(right.data, (y, i) => Number(apart(found.data[i]!, y) > least));
}

/**
 * Whether a value has only two different numbers: such values are common, so that equality says
 * little.
 */
export const isPlain = ({ data }: NodeNumbers): boolean =>
  data.length > 2 && new Set(data).size < 3;
