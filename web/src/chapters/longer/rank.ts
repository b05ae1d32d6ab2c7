// The number of singular values needed, by their cumulative shares.
import type { RankResult } from '../../compute/worker/lessons/longer';

export const tokens = 64;
/** Number of averages of keys in the timed attention. */
export const timedRank = 16;

export function ninety({ sums }: RankResult): number {
  return 1 + sums.data.findIndex((sum) => sum >= 0.9);
}
