// Whether times can be believed. What else a machine does makes a call slower, never faster: where the usual time is
// well above the shortest, something was in the way.

/** How long one call takes. */
export interface Time {
  readonly milliseconds: number;
  /** Nothing was in the way: most batches took about as long as the quickest. */
  readonly steady: boolean;
}

/** And its billions of operations a second, by the core's count. */
export interface Speed extends Time {
  readonly gigaflops: number;
}

/**
 * The median may be so many times the shortest. Batches of 20 ms on a machine that does nothing else differ by a few
 * in a hundred; a second program on the same core makes them twice as long.
 */
export const steadyUpTo = 1.2;

export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

/** How many times the shortest the usual one takes, 1 at the least. */
export const unrest = (times: readonly number[], shortest = Math.min(...times)): number =>
  median(times) / shortest;

export const timeOf = (times: readonly number[]): Time => ({
  milliseconds: median(times),
  steady: unrest(times) <= steadyUpTo,
});
