// Timing at large sizes: what the page asks of the Worker that is kept busy with it, and what it hears.
import type { AttentionMethod, MatmulMethod } from 'tril';

/** The core's methods, and three plain loops in JavaScript to compare them with. */
export type Runner = Exclude<MatmulMethod, 'auto'> | 'javascript';

/** The exact methods, what attends to less, and what is not softmax attention any more. */
export type AttentionRunner =
  Exclude<AttentionMethod, 'auto'> | 'window' | 'linear' | 'linearScores' | 'lowRank';

/** A head's width, how far a window looks back, and to how many keys low rank attends. */
export const attentionSizes = { width: 64, window: 64, rank: 64 } as const;

/** What can be timed: who takes part, and what is said of each besides its time. */
export interface Subjects {
  products: {
    runner: Runner;
    facts: {
      /** Of the plain product's operations, whatever the method does; then of its own. */
      readonly gigaflops: number;
      readonly own: number;
    };
  };
  attention: {
    runner: AttentionRunner;
    facts: {
      readonly flops: number;
      readonly gigaflops: number;
      /** Read and written once. */
      readonly touched: number;
      /** Operations a byte. */
      readonly intensity: number;
      /** The most held at once between inputs and output. */
      readonly bytes: number;
      /** Norm of the distance from softmax attention, over its own norm. */
      readonly wrong: number;
    };
  };
}
export type Subject = keyof Subjects;

export interface Plan<S extends Subject = Subject> {
  readonly runners: readonly Subjects[S]['runner'][];
  readonly sizes: readonly number[];
  /** Milliseconds: who would take longer for one call goes no further. */
  readonly longest: number;
  /** A first look: few and short batches, less sure of what they find. */
  readonly brief?: boolean;
  /** Of attention: no query sees a key after its own position. */
  readonly causal?: boolean;
}

export type Measured<S extends Subject = 'products'> = {
  readonly runner: Subjects[S]['runner'];
  readonly n: number;
  /** Milliseconds of one call: the median of the batches, the shortest and the longest. */
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Whether nothing else was in the way, as far as the times themselves can tell. */
  readonly steady: boolean;
} & Subjects[S]['facts'];

export type Said<S extends Subject = 'products'> =
  /** Said again when a faster batch shows that it is higher. */
  | { readonly kind: 'peak'; readonly gigaflops: number }
  /** How much of the plan is done, 0 to 1, what is next, and about how long the rest will take. */
  | {
      readonly kind: 'progress';
      readonly done: number;
      readonly runner: Subjects[S]['runner'];
      readonly n: number;
      readonly remaining: number;
      /** The times at this size were unsteady: its turns are taken again. */
      readonly again: boolean;
    }
  | { readonly kind: 'measured'; readonly measured: Measured<S> }
  | { readonly kind: 'skipped'; readonly runner: Subjects[S]['runner']; readonly n: number };

/** A session for each subject. */
export type MeasureSessions = {
  readonly [S in Subject]: { ask: Plan<S>; said: Said<S>; told: never; answer: void };
};
