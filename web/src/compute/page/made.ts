// Answers that are there without a Worker, while pages are made: hooks.server.ts has the core and gives them.
import type { Kind, Lessons } from '../shared/lesson-protocol';
import type { BornSaid } from '../shared/training/protocol';

type AnswerAtOnce = <K extends Kind>(
  kind: K,
  ask: Lessons[K]['ask'],
) => Lessons[K]['answer'] | null;

/** In a browser nothing is known before it is computed. */
export const made: {
  answer: AnswerAtOnce;
  /** Heads that have not learned anything. */
  unborn: BornSaid | null;
  /** A style whose mask is as strong as each of the values, row by row: nothing paints a canvas there. */
  mask: ((cols: number, strengths: readonly number[]) => string) | null;
} = { answer: () => null, unborn: null, mask: null };
