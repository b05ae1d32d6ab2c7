// What the Worker that trains can be asked for: trainings, and the questions of their chapter.
import type { Tril } from 'tril';
import type { Answers, Held, Session } from '../answers';
import { learnAnswers, type LearnLessons } from '../lessons/learn';
import { ratesAnswers, type RatesLessons } from '../lessons/rates';
import { born } from './born';
import { own } from './own';
import type { TrainingSessions } from './protocol';
import { whatIf } from './what-if';

const trainings: Held<TrainingSessions> = { born, own, whatIf };

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
