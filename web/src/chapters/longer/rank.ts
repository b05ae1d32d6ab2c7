// How many singular values it takes, by their running sum of shares.
import type { RankResult } from '../../compute/worker/lessons/longer';

export const tokens = 64;
/** Attention to so many averages of keys is timed. */
export const timedRank = 16;

export function ninety({ sums }: RankResult): number {
  return 1 + sums.data.findIndex((sum) => sum >= 0.9);
}
