// Judges the reliability of times. Other activity of the machine makes a call slower, never faster: if the median is
// well above the minimum, something disturbed it.

/** Duration of one call. */
export interface Time {
  readonly milliseconds: number;
  /** Nothing disturbed it: most batches took about as long as the fastest. */
  readonly steady: boolean;
}

/** The time, and the billions of operations per second, by the core's count. */
export interface Speed extends Time {
  readonly gigaflops: number;
}

/**
 * Maximum ratio of the median to the minimum. Batches of 20 ms on an idle machine differ by a few percent; a second
 * program on the same core doubles them.
 */
export const steadyUpTo = 1.2;

export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

/** Ratio of the median time to the minimum, at least 1. */
export const unrest = (times: readonly number[], shortest = Math.min(...times)): number =>
  median(times) / shortest;

export const timeOf = (times: readonly number[]): Time => ({
  milliseconds: median(times),
  steady: unrest(times) <= steadyUpTo,
});
