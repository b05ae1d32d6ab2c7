// What the Worker that trains can be asked for: trainings, and the questions of their chapter.
import type { Tril } from 'tril';
import type { Answers, Held, Session } from '../answers';
import { learnAnswers, type LearnLessons } from '../lessons/learn';
import { ratesAnswers, type RatesLessons } from '../lessons/rates';
import { born } from './born';
import type { TrainingSessions } from './protocol';

/** Those further down are fetched where somebody comes near. */
const trainings: Held<TrainingSessions> = {
  born,
  own: async (...given) => (await import('./own')).own(...given),
  whatIf: async (...given) => (await import('./what-if')).whatIf(...given),
  price: async (...given) => (await import('./price')).price(...given),
};

type Own = LearnLessons & RatesLessons;
const answers: Answers<Own> = { ...learnAnswers, ...ratesAnswers };

/** The answer of any kind, as a training's or a question's, later or at once. */
export function work(
  tril: Tril,
  kind: string,
  ask: unknown,
  session: Session<unknown, unknown>,
): unknown {
  return kind in answers
    ? tril.scope(() => answers[kind as keyof Own](tril, ask as never))
    : trainings[kind as keyof TrainingSessions](tril, ask as never, session as never);
}
