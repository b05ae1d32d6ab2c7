// A mask from a visitor's file. Libraries disagree about the meaning of its numbers, and about its axes.
import type { Mask, Tril } from 'tril';
import { shaped, tensorOf, type TensorData } from './layouts';

/** 1 lets a query look; 1 hides; the number is added to the score. */
export const maskReadings = ['look', 'hide', 'add'] as const;
export type MaskReading = (typeof maskReadings)[number];

/** The reading with which each is most often confused. */
export const otherReading = { look: 'hide', hide: 'look', add: 'look' } as const;

/** [T, S], [H, T, S] or [B, H, T, S], with axes of 1, for any common shape. */
function axesOf(shape: readonly number[], scores: readonly number[]): readonly number[] {
  const [batches, heads, queries] = scores;
  const keys = shape[shape.length - 1];
  const [first] = shape;
  if (shape.length === 1) return [1, keys];
  // [B, S]: the padding keys of every batch.
  if (shape.length === 2 && first === batches && first !== queries) return [batches, 1, 1, keys];
  if (shape.length !== 3) return shape;
  if (first === batches * heads) return [batches, heads, shape[1], keys];
  return first === batches && first !== heads ? [batches, 1, shape[1], keys] : shape;
}

/** Four axes that broadcast to scores [B, H, T, S]. */
export function maskAxes(shape: readonly number[], scores: readonly number[]): readonly number[] {
  const axes = axesOf(shape, scores);
  return [...Array<number>(Math.max(0, 4 - axes.length)).fill(1), ...axes];
}

/** `scores` is [B, H, T, S]. */
export function asMask(
  tril: Tril,
  mask: TensorData,
  reading: MaskReading,
  scores: readonly number[],
): Mask {
  const data = reading === 'hide' ? mask.data.map((hides) => (hides === 0 ? 1 : 0)) : mask.data;
  const tensor = tensorOf(tril, shaped({ ...mask, data }, maskAxes(mask.shape, scores)));
  return tril.mask.dense(tensor, { kind: reading === 'add' ? 'additive' : 'boolean' });
}
