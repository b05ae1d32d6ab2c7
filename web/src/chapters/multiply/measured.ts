// What is made of the measured times: speeds as lines, an exponent each, and where Strassen takes over.
import type { Measured, Runner } from '../../compute/measure-protocol';

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

/** Of a pair that walks memory alike, the second is dashed. */
export const dashed: ReadonlySet<Runner> = new Set(['kji', 'jik', 'ikj', 'javascript']);

export function sizesUpTo(largest: number): number[] {
  const sizes: number[] = [];
  for (let n = 16; n <= largest; n *= 2) sizes.push(n);
  return sizes;
}

export function of(all: readonly Measured[], runner: Runner): Measured[] {
  return all.filter((one) => one.runner === runner).sort((a, b) => a.n - b.n);
}

/** Slope of log time over log n by least squares, over the larger half of the sizes; null below three. */
export function exponent(points: readonly Measured[]): number | null {
  const used = points.slice(Math.min(points.length - 3, Math.floor(points.length / 2)));
  if (points.length < 3) return null;
  const xs = used.map(({ n }) => Math.log(n));
  const ys = used.map(({ median }) => Math.log(median));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
  const [x, y] = [mean(xs), mean(ys)];
  const above = xs.reduce((sum, one, i) => sum + (one - x) * (ys[i] - y), 0);
  const below = xs.reduce((sum, one) => sum + (one - x) ** 2, 0);
  return above / below;
}

/** The size from which on Strassen was faster by more than one in fifty at every size; null if at none. */
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
