// The common part of every entry with lessons, which adds its loadTril.
import type { LessonCalls } from './calls.js';
import type { Tril } from './load.js';

export {
  readings,
  type CacheShape,
  type ErrorOptions,
  type ErrorResult,
  type ProductTrace,
  type Reading,
  type ReadingResult,
  type StrassenResult,
  type StrassenSigns,
  type TracedMethod,
  type TraceOptions,
} from './calls/lessons.js';
export type { OnlineOptions, OnlineResult, OnlineTrace } from './calls/online-attention.js';
export type { Concentration, SoftmaxSteps } from './calls/softmax-steps.js';

/**
 * A loaded module with calls that take computations apart: every step, every access to memory, every intermediate
 * sum; and with Eigen's product among the methods of `matmul`. All else is as in {@link Tril}.
 */
export interface LessonsTril extends Omit<Tril, keyof LessonCalls>, LessonCalls {}
