// The example of the memory figure, and the layout of its lines.
import type { MemoryShape, MemoryTrace } from '../../compute/worker/lessons/multiply';

export const shape: MemoryShape = { n: 16, lineFloats: 4, lines: 8, block: 4 };

export const matrixNames = ['A', 'B', 'C'] as const;
export const matrixRoles = ['q', 'k', 'score'] as const;

export interface Line {
  readonly matrix: 0 | 1 | 2;
  readonly row: number;
  /** First and last column. */
  readonly from: number;
  readonly to: number;
}

/** The numbers in a line of memory: A, B and C lie one after the other, row by row. */
export function lineOf(index: number, { n, lineFloats }: MemoryShape): Line {
  const first = index * lineFloats;
  const inside = first % (n * n);
  const from = inside % n;
  return {
    matrix: Math.floor(first / (n * n)) as 0 | 1 | 2,
    row: Math.floor(inside / n),
    from,
    to: from + lineFloats - 1,
  };
}

interface Access {
  readonly matrix: 0 | 1 | 2;
  readonly write: boolean;
  readonly row: number;
  readonly col: number;
  readonly hit: boolean;
}

export function accessOf({ steps }: MemoryTrace, index: number): Access {
  const [matrix, write, row, col, hit] = steps.subarray(5 * index, 5 * index + 5);
  return { matrix: matrix as 0 | 1 | 2, write: write === 1, row, col, hit: hit === 1 };
}

/** Numbers of the lines in the cache after `done` accesses, the most recently used first. */
export function heldAfter(
  { held, shape: { lines } }: MemoryTrace,
  done: number,
): readonly number[] {
  if (done === 0) return Array.from({ length: lines }, () => -1);
  return Array.from(held.subarray((done - 1) * lines, done * lines));
}

/** Hits and misses in `done` accesses. */
export function totalsAfter({ totals }: MemoryTrace, done: number): readonly [number, number] {
  return done === 0 ? [0, 0] : [totals[2 * done - 2], totals[2 * done - 1]];
}

/** Misses of A, B and C in `done` accesses. */
export function missedAfter({ missed }: MemoryTrace, done: number): readonly number[] {
  return done === 0 ? [0, 0, 0] : Array.from(missed.subarray(3 * (done - 1), 3 * done));
}
