// Timing products at large sizes: the page and the Worker that is kept busy with it.
import type { MatmulMethod } from 'tril';

/** The core's methods, and three plain loops in JavaScript to compare them with. */
export type Runner = Exclude<MatmulMethod, 'auto'> | 'javascript';

export interface Plan {
  readonly runners: readonly Runner[];
  readonly sizes: readonly number[];
  /** A method goes no further where one product would take longer than this. */
  readonly longest: number;
}

export interface Measured {
  readonly runner: Runner;
  readonly n: number;
  /** Milliseconds of one product: the median of the batches, the shortest and the longest. */
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly gigaflops: number;
}

export type FromMeasuring =
  | { readonly kind: 'loaded'; readonly variant: string }
  | { readonly kind: 'peak'; readonly gigaflops: number }
  /** How much of the plan is done, 0 to 1, what is next, and about how long the rest will take. */
  | {
      readonly kind: 'progress';
      readonly done: number;
      readonly runner: Runner;
      readonly n: number;
      readonly remaining: number;
    }
  | { readonly kind: 'measured'; readonly measured: Measured }
  | { readonly kind: 'skipped'; readonly runner: Runner; readonly n: number }
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly message: string };
