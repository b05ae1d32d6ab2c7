// Conclusions from the measured times: speeds as lines, an exponent for each, and the size at which Strassen takes
// over.
import type { Measured, Plan, Runner } from '../../compute/shared/measure-protocol';
import type { Speed } from '../../compute/shared/steady';
import { of, sizesBetween } from '../../compute/page/measured';

export const runners: readonly Runner[] = [
  'javascript',
  ...(['jki', 'kji', 'ijk', 'jik', 'kij', 'ikj'] as const),
  ...(['blocked', 'eigen', 'tiled', 'strassen'] as const),
];

export const colours: Readonly<Record<Runner, string>> = {
  javascript: 'var(--soft)',
  jki: 'var(--neg)',
  kji: 'var(--neg)',
  ijk: 'var(--q)',
  jik: 'var(--q)',
  kij: 'var(--k)',
  ikj: 'var(--k)',
  blocked: 'var(--x)',
  eigen: 'var(--v)',
  tiled: 'var(--weight)',
  strassen: 'var(--score)',
};

/** Runners with a dashed line: the second of each pair with the same memory pattern. */
export const dashed: ReadonlySet<Runner> = new Set(['kji', 'jik', 'ikj', 'javascript']);

export const sizesUpTo = (largest: number): number[] => sizesBetween(16, largest);

/** The preview: other methods and smaller sizes than a question asks about. */
export const glanced = {
  runners: ['javascript', 'ikj', 'blocked', 'eigen'],
  sizes: [16, 32, 64],
  longest: 1000,
} as const satisfies Plan<'products'>;

/** The time, with the speed in the method's own operations. */
export const timeOf = ({ median, steady, own }: Measured): Speed => ({
  ...{ milliseconds: median, steady, gigaflops: own },
});

/** The points for the exponent: the larger half of the sizes, and at least three of them. */
export function fitted(points: readonly Measured[]): readonly Measured[] {
  return points.slice(Math.min(points.length - 3, Math.floor(points.length / 2)));
}

/** Whether the times of these runners, at every size, are comparable. */
export const comparable = (all: readonly Measured[], ...those: readonly Runner[]): boolean =>
  all.every(({ runner, steady }) => steady || !those.includes(runner));

/** The size from which on Strassen was faster by more than 2 % at every size; null if there is none. */
export function crossover(all: readonly Measured[]): number | null {
  const [tiled, strassen] = [of(all, 'tiled'), of(all, 'strassen')];
  let from: number | null = null;
  for (const { n, median } of strassen) {
    const other = tiled.find((one) => one.n === n);
    const faster = other && median < 0.98 * other.median;
    from = faster ? (from ?? n) : null;
  }
  return from;
}
