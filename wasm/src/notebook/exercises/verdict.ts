// What is said of code that was written for an exercise.
import type { ProgramError, ProgramRun } from '../program-run.js';
import type { Departure } from './departure.js';

/** What `checkExercise` found. */
export interface Verdict {
  /**
   * `right`; `mistake`, one of the usual ones; `shape` and `different`, results that are wrong in a way that has no name;
   * `missing`, no such function, or nothing that it returns; `error`, a program that stops.
   */
  readonly kind: 'right' | 'mistake' | 'shape' | 'different' | 'missing' | 'error';
  /** The whole of it, as a sentence. */
  readonly message: string;
  /** Of `right`: to how many digits, as float32 has them. */
  readonly digits?: number;
  /** Of `mistake`: its name. */
  readonly mistake?: string;
  /** The line that it comes from, counted from 1, where that is known. */
  readonly line?: number;
  /** The case that shows it. */
  readonly case?: string;
  /** Of `error`. */
  readonly error?: ProgramError;
  /**
   * Of `different`: the first element that is another one than the right computation's, and both values. It is one of the line's
   * where it is known what is right there, else one of the result's.
   */
  readonly departure?: Departure;
  /** Of `{ withRun: true }`: what the code made of the first case's numbers, as `runExercise` gives it. */
  readonly run?: ProgramRun;
}
