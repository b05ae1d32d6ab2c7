// What the chapters "Multiply" and "Average" ask of their Worker. Only plain data crosses.
import type { AverageMethod, MatmulMethod, Reading, StrassenSigns, TracedMethod } from 'tril';
import type { Failure, Loaded, MatrixData } from './protocol';

export interface Factors {
  readonly a: MatrixData;
  readonly b: MatrixData;
}

export interface ReadingResult {
  readonly output: MatrixData;
  /** What has been added up after every step. */
  readonly partial: readonly MatrixData[];
}

/** The example of the memory figure: square matrices and a fully associative cache. */
export interface MemoryShape {
  readonly n: number;
  readonly lineFloats: number;
  readonly lines: number;
  readonly block: number;
}

export interface MemoryTotals {
  readonly order: TracedMethod;
  readonly accesses: number;
  readonly misses: number;
  /** Counted on paper; null where that does not hold. */
  readonly expected: number | null;
}

export interface MemoryTrace extends MemoryTotals {
  readonly shape: MemoryShape;
  /** As traceProduct gives them. */
  readonly steps: Int32Array;
  readonly held: Int32Array;
  readonly missed: Int32Array;
}

export interface StrassenResult {
  readonly output: MatrixData;
  readonly left: readonly MatrixData[];
  readonly right: readonly MatrixData[];
  readonly products: readonly MatrixData[];
  readonly signs: readonly StrassenSigns[];
}

export interface ErrorMap {
  readonly method: MatmulMethod;
  readonly levels: number;
  readonly error: MatrixData;
  readonly largest: number;
  readonly rms: number;
}

export interface AverageOutcome {
  readonly method: AverageMethod;
  /** A batch of matrices [T, C]. */
  readonly output: readonly MatrixData[];
  readonly mask: MatrixData | null;
  readonly weights: MatrixData | null;
  /** Largest distance of its numbers from those by loops. */
  readonly apart: number;
}

export interface SeriesResult {
  /** Softmax of the scores, or the weights as they were given, [1, T]. */
  readonly weights: MatrixData;
  readonly sum: number;
  /** Weights times the series. */
  readonly blend: number;
  readonly averages: MatrixData;
}

/** Every kind of question with its answer. */
export interface Lessons {
  reading: { ask: Factors & { readonly reading: Reading }; answer: ReadingResult };
  memory: {
    ask: { readonly order: TracedMethod; readonly shape: MemoryShape };
    answer: MemoryTrace;
  };
  totals: {
    ask: { readonly orders: readonly TracedMethod[]; readonly shape: MemoryShape };
    answer: readonly MemoryTotals[];
  };
  strassen: { ask: Factors; answer: StrassenResult };
  errors: { ask: { readonly n: number; readonly seed: number }; answer: readonly ErrorMap[] };
  average: {
    ask: { readonly x: readonly MatrixData[]; readonly sum: boolean; readonly hidden: number };
    answer: readonly AverageOutcome[];
  };
  series: {
    ask: {
      readonly values: readonly number[];
      readonly weights: readonly number[];
      readonly free: boolean;
    };
    answer: SeriesResult;
  };
}
export type Kind = keyof Lessons;

export interface Question<K extends Kind = Kind> {
  readonly id: number;
  readonly kind: K;
  readonly ask: Lessons[K]['ask'];
}

export type FromLessons =
  | { readonly kind: 'loaded'; readonly loaded: Loaded }
  | { readonly kind: 'notLoaded'; readonly failure: Failure }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Lessons[Kind]['answer'] }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };
