// Conclusions from the measured times: the size at which one method overtakes another.
import type { AttentionRunner, Measured, Plan } from '../../compute/shared/measure-protocol';
import { of, sizesBetween } from '../../compute/page/measured';

export const runners: readonly AttentionRunner[] = [
  ...(['full', 'blocked', 'online', 'window', 'linearScores', 'linear', 'lowRank'] as const),
];
const exact: readonly AttentionRunner[] = ['full', 'blocked', 'online'];

export const colours: Readonly<Record<AttentionRunner, string>> = {
  full: 'var(--q)',
  blocked: 'var(--x)',
  online: 'var(--weight)',
  window: 'var(--score)',
  linear: 'var(--v)',
  linearScores: 'var(--neg)',
  lowRank: 'var(--k)',
};

export const shows = ['time', 'memory', 'error'] as const;
export type Show = (typeof shows)[number];

type One = Measured<'attention'>;

export const value: Readonly<Record<Show, (one: One) => number>> = {
  time: ({ median }) => median,
  memory: ({ bytes }) => bytes,
  error: ({ wrong }) => wrong,
};

export const sizesUpTo = (largest: number): number[] => sizesBetween(32, largest);

/** The preview: only exact methods, so that no question is answered. */
export const glanced = {
  runners: exact,
  sizes: [32, 64, 128],
  longest: 1000,
} as const satisfies Plan<'attention'>;

/** Whether the times of linear attention are comparable with those of the exact methods. */
export const comparable = (all: readonly One[]): boolean =>
  all.every(({ runner, steady }) => steady || (runner !== 'linear' && !exact.includes(runner)));

/** The T from which on linear attention was faster than every exact method; null if there is none. */
export function linearWins(all: readonly One[]): number | null {
  let from: number | null = null;
  for (const { n, median } of of(all, 'linear')) {
    const others = all.filter((one) => one.n === n && exact.includes(one.runner));
    const faster = others.length > 0 && others.every((one) => median < one.median);
    from = faster ? (from ?? n) : null;
  }
  return from;
}

/** Times of online and full attention, at the largest T that both have. */
export function onlineToFull(
  all: readonly One[],
): { n: number; number: number; of: number; steady: boolean } | null {
  const both = of(all, 'online').flatMap((online) => {
    const full = all.find((one) => one.runner === 'full' && one.n === online.n);
    if (!full) return [];
    const steady = online.steady && full.steady;
    return [{ n: online.n, number: online.median, of: full.median, steady }];
  });
  return both.at(-1) ?? null;
}

/** The fastest exact method at the largest T. */
export function fastest(all: readonly One[]): One | null {
  const largest = Math.max(...all.map(({ n }) => n));
  const there = all.filter(({ n, runner }) => n === largest && exact.includes(runner));
  return there.sort((one, other) => one.median - other.median)[0] ?? null;
}
