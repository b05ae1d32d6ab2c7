// What races have in common, whatever it is that runs.

/** Each twice the one before. */
export function sizesBetween(least: number, most: number): number[] {
  const sizes: number[] = [];
  for (let n = least; n <= most; n *= 2) sizes.push(n);
  return sizes;
}

/** Those of one runner, the smallest first. */
export const of = <One extends { readonly n: number; readonly runner: string }>(
  all: readonly One[],
  runner: One['runner'],
): One[] => all.filter((one) => one.runner === runner).sort((a, b) => a.n - b.n);
