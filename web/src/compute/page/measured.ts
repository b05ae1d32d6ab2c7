// Common functions of races, whatever competes in them.

/** Sizes that double from `least` to `most`. */
export function sizesBetween(least: number, most: number): number[] {
  const sizes: number[] = [];
  for (let n = least; n <= most; n *= 2) sizes.push(n);
  return sizes;
}

/** The results of one runner, by ascending size. */
export const of = <One extends { readonly n: number; readonly runner: string }>(
  all: readonly One[],
  runner: One['runner'],
): One[] => all.filter((one) => one.runner === runner).sort((a, b) => a.n - b.n);
