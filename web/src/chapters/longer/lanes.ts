// A block of keys as a motion, a lane for each query: m grows to the block's largest score, ℓ and o shrink by the
// factor, and the block's terms are added. Every length is one of the core's numbers, or an interpolation between two
// of them.
import { at, type MatrixData } from '../../compute/page/protocol';
import { between, part } from '../../figures/motion';
import type { OnlineSteps } from '../../compute/worker/lessons/longer';
import type { Phase, Step } from './scene-online';

/** Number of frames of a block: m has grown by the first of the other two, ℓ and o have shrunk by the second. */
export const blockFrames = 48;
const [grown, shrunk] = [14, 30];

/** Phase of a frame within a block, from 1 to blockFrames. */
export const phaseOf = (frame: number): Phase =>
  frame < shrunk ? 'before' : frame < blockFrames ? 'rescaled' : 'done';

/** A value before the block, after the factor, and after the addition. */
export interface Kept {
  readonly before: number;
  readonly rescaled: number;
  readonly after: number;
  readonly now: number;
}

interface Lane {
  readonly query: number;
  /** The scores of this block that the mask leaves visible. */
  readonly scores: readonly number[];
  /** The maximum so far; null before the first. */
  readonly maximum: number | null;
  readonly grew: boolean;
  readonly sum: Kept;
  /** One value for each element of o. */
  readonly output: readonly Kept[];
}

export function lanesAt(run: OnlineSteps, step: Step, frame: number): Lane[] {
  const grow = part(frame, 0, grown);
  const shrink = part(frame, grown, shrunk);
  const add = part(frame, shrunk, blockFrames);
  const { keyBlock, queries, keys } = step;
  const kept = (before: number, rescaled: number, after: number): Kept => ({
    ...{ before, rescaled, after },
    now: between(between(before, rescaled, shrink), after, add),
  });
  return Array.from({ length: queries.to - queries.from }, (_, i): Lane => {
    const query = queries.from + i;
    const first = keyBlock === 0;
    const was = first ? -Infinity : at(run.maximum, query, keyBlock - 1);
    const is = at(run.maximum, query, keyBlock);
    const scores = Array.from({ length: keys.to - keys.from }, (__, key) =>
      at(run.masked, query, keys.from + key),
    ).filter((score) => score > -Infinity);
    const maximum =
      was > -Infinity ? between(was, is, grow) : grow > 0 && is > -Infinity ? is : null;
    return {
      ...{ query, scores, maximum, grew: was > -Infinity && is > was },
      sum: kept(
        first ? 0 : at(run.sum, query, keyBlock - 1),
        at(run.rescaled.sum, query, keyBlock),
        at(run.sum, query, keyBlock),
      ),
      output: Array.from({ length: run.v.cols }, (__, col) =>
        kept(
          first ? 0 : at(run.partial[keyBlock - 1], query, col),
          at(run.rescaled.partial[keyBlock], query, col),
          at(run.partial[keyBlock], query, col),
        ),
      ),
    };
  });
}

/**
 * Ends of the scales, the same for all blocks of keys: scores from the smallest to the largest, sums, elements of o.
 */
export function scalesOf({ masked, sum, partial }: OnlineSteps, { from, to }: Step['queries']) {
  const finite = [...masked.data].filter(Number.isFinite);
  /** The largest magnitude among these queries. */
  const largest = (...matrices: readonly MatrixData[]) =>
    matrices
      .flatMap(({ cols, data }) => [...data.subarray(from * cols, to * cols)])
      .reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0) || 1;
  return {
    scores: [Math.min(0, ...finite), Math.max(0, ...finite)] as const,
    ...{ sum: largest(sum), output: largest(...partial) },
  };
}
