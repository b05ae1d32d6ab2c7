// Answers without a Worker, for prerendering: hooks.server.ts has the core and provides them.
import type { Kind, Lessons } from '../shared/lesson-protocol';
import type { BornSaid } from '../shared/training/protocol';

type AnswerAtOnce = <K extends Kind>(
  kind: K,
  ask: Lessons[K]['ask'],
) => Lessons[K]['answer'] | null;

/** Empty in a browser: there nothing is known before it is computed. */
export const made: {
  answer: AnswerAtOnce;
  /** The first frame of heads that have not learned anything. */
  unborn: BornSaid | null;
  /** A style whose mask is as strong as each of the values, row by row, since prerendering cannot paint a canvas. */
  mask: ((cols: number, strengths: readonly number[]) => string) | null;
} = { answer: () => null, unborn: null, mask: null };
