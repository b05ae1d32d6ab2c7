// Measurements at large sizes: the page's queries, and the messages of the Worker that they keep busy.
import type { AttentionMethod, MatmulMethod } from 'tril';

/** The core's methods, and three plain loops in JavaScript to compare them with. */
export type Runner = Exclude<MatmulMethod, 'auto'> | 'javascript';

/** The exact methods, those with fewer keys, and those that are not softmax attention any more. */
export type AttentionRunner =
  Exclude<AttentionMethod, 'auto'> | 'window' | 'linear' | 'linearScores' | 'lowRank';

/** Width of a head, number of earlier keys in a window, and number of keys in low-rank attention. */
export const attentionSizes = { width: 64, window: 64, rank: 64 } as const;

/** The measurements: the runners, and the facts about each besides its time. */
export interface Subjects {
  products: {
    runner: Runner;
    facts: {
      /** Speed in operations of the plain product, whatever the method does; then in its own operations. */
      readonly gigaflops: number;
      readonly own: number;
    };
  };
  attention: {
    runner: AttentionRunner;
    facts: {
      readonly flops: number;
      readonly gigaflops: number;
      /** Bytes, read and written once. */
      readonly touched: number;
      /** Operations per byte. */
      readonly intensity: number;
      /** Peak memory between inputs and output. */
      readonly bytes: number;
      /** Norm of the distance from softmax attention, divided by its own norm. */
      readonly wrong: number;
    };
  };
}
export type Subject = keyof Subjects;

export interface Plan<S extends Subject = Subject> {
  readonly runners: readonly Subjects[S]['runner'][];
  readonly sizes: readonly number[];
  /** Milliseconds: a runner whose call would take longer is skipped. */
  readonly longest: number;
  /** A preview: few and short batches, with less certain results. */
  readonly brief?: boolean;
  /** For attention: no query sees a key after its own position. */
  readonly causal?: boolean;
}

export type Measured<S extends Subject = 'products'> = {
  readonly runner: Subjects[S]['runner'];
  readonly n: number;
  /** Milliseconds of one call: the median of the batches, the shortest and the longest. */
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Nothing else disturbed it, as far as the times show. */
  readonly steady: boolean;
} & Subjects[S]['facts'];

export type Said<S extends Subject = 'products'> =
  /** Sent again when a faster batch shows a higher value. */
  | { readonly kind: 'peak'; readonly gigaflops: number }
  /** Progress of the plan, 0 to 1, the next measurement, and the estimated rest in milliseconds. */
  | {
      readonly kind: 'progress';
      readonly done: number;
      readonly runner: Subjects[S]['runner'];
      readonly n: number;
      readonly remaining: number;
      /** The times at this size were unsteady: its turns are repeated. */
      readonly again: boolean;
    }
  | { readonly kind: 'measured'; readonly measured: Measured<S> }
  | { readonly kind: 'skipped'; readonly runner: Subjects[S]['runner']; readonly n: number };

/** A session for each subject. */
export type MeasureSessions = {
  readonly [S in Subject]: { ask: Plan<S>; part: Said<S>; answer: void };
};
