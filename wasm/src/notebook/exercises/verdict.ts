// The verdict on code written for an exercise.
import type { ProgramError, ProgramRun } from '../program-run.js';
import type { Departure } from './departure.js';

/** The result of `checkExercise`. */
export interface Verdict {
  /**
   * `right`; `mistake`, one of the usual ones; `shape` and `different`, results that are wrong in an unknown way;
   * `missing`, no such function, or no returned value; `error`, a program that stops.
   */
  readonly kind: 'right' | 'mistake' | 'shape' | 'different' | 'missing' | 'error';
  /** The whole verdict, as a sentence. */
  readonly message: string;
  /** For `right`: number of digits in agreement, in float32. */
  readonly digits?: number;
  /** For `mistake`: its name. */
  readonly mistake?: string;
  /** The line of the mistake or error, counted from 1, if known. */
  readonly line?: number;
  /** The case that shows it. */
  readonly case?: string;
  /** For `error`: the error. */
  readonly error?: ProgramError;
  /**
   * For `different`: the first element that differs from the right computation, and both values. It belongs to the line where
   * the line's right value is known, else to the result.
   */
  readonly departure?: Departure;
  /** For `{ withRun: true }`: the run on the first case, as `runExercise` gives it. */
  readonly run?: ProgramRun;
}
