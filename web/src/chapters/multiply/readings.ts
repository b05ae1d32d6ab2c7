// The steps of a reading: the rows and columns of a step, and the number of added terms.
import type { Reading } from 'tril/lessons';
import type { Mark } from '../../figures/pointing.svelte';

export interface Sizes {
  readonly rows: number;
  readonly depth: number;
  readonly cols: number;
}

/** The indices of step `index`; null stands for a complete axis. */
export interface Place {
  readonly row: number | null;
  readonly col: number | null;
  readonly depth: number | null;
}

export function stepCount(reading: Reading, { rows, depth, cols }: Sizes): number {
  return { dots: rows * cols, rows: rows * depth, columns: cols * depth, outer: depth }[reading];
}

export function placeOf(reading: Reading, { cols, depth }: Sizes, index: number): Place {
  const by = (size: number) => [Math.floor(index / size), index % size] as const;
  switch (reading) {
    case 'dots':
      return { row: by(cols)[0], col: by(cols)[1], depth: null };
    case 'rows':
      return { row: by(depth)[0], col: null, depth: by(depth)[1] };
    case 'columns':
      return { row: null, col: by(depth)[0], depth: by(depth)[1] };
    case 'outer':
      return { row: null, col: null, depth: index };
  }
}

/** Number of terms of c[row, col] that are added after `done` steps. */
export function termsIn(
  reading: Reading,
  sizes: Sizes,
  done: number,
  row: number,
  col: number,
): number {
  const { depth, cols } = sizes;
  const within = (terms: number) => Math.max(0, Math.min(depth, terms));
  switch (reading) {
    case 'dots':
      return done > row * cols + col ? depth : 0;
    case 'rows':
      return within(done - row * depth);
    case 'columns':
      return within(done - col * depth);
    case 'outer':
      return within(done);
  }
}

/** The cells that a step reads and writes. */
export function marksOf({ row, col, depth }: Place, sizes: Sizes): Mark[] {
  const range = (at: number | null, size: number): readonly [number, number] =>
    at === null ? [0, size - 1] : [at, at];
  const rows = range(row, sizes.rows);
  const cols = range(col, sizes.cols);
  const depths = range(depth, sizes.depth);
  return [
    { matrix: 'a', rows, cols: depths },
    { matrix: 'b', rows: depths, cols },
    { matrix: 'c', rows, cols },
  ];
}
