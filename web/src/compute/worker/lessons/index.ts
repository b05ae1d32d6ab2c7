// The answers of all chapters to the questions of lesson-protocol.ts, and their sessions.
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Answers, Later, Session } from '../answers';
import type { Kind, Lessons, SessionKind, Sessions } from '../../shared/lesson-protocol';
import { attendAnswers } from './attend';
import { blockAnswers } from './block';
import { callsAnswers } from './calls';
import { graphAnswers } from './graph';
import { headsAnswers } from './heads';
import { checkAnswers, checkLater } from './check';
import { checkCostAnswers } from './check-cost';
import { learnAnswers } from './learn';
import { longerAnswers } from './longer';
import { maskAnswers } from './mask';
import { measureLater } from './measure';
import { motionAnswers } from './motion';
import { multiplyAnswers } from './multiply';
import { ratesAnswers } from './rates';
import { softmaxAnswers } from './softmax';
import { towersAnswers } from './towers';
import { writeLater, type WriteLessons } from './write';

type LaterLessons = Pick<Lessons, 'files' | 'proof' | keyof WriteLessons>;
const later: Later<LaterLessons & Sessions> = { ...checkLater, ...measureLater, ...writeLater };
const answers: Answers<Omit<Lessons, keyof LaterLessons>> = {
  ...multiplyAnswers,
  ...graphAnswers,
  ...attendAnswers,
  ...softmaxAnswers,
  ...motionAnswers,
  ...blockAnswers,
  ...maskAnswers,
  ...headsAnswers,
  ...learnAnswers,
  ...longerAnswers,
  ...checkAnswers,
  ...checkCostAnswers,
  ...ratesAnswers,
  ...callsAnswers,
  ...towersAnswers,
};

type Work = (tril: Tril, ask: unknown, session: Session<unknown, unknown>) => unknown;

/** The answer of any kind, a question's or a session's, at once or later. */
export function work(
  tril: Tril,
  kind: string,
  ask: unknown,
  session: Session<unknown, unknown>,
): unknown {
  const answer = { ...answers, ...later }[kind as Kind | SessionKind] as Work;
  return kind in answers
    ? tril.scope(() => answer(tril, ask, session))
    : answer(tril, ask, session);
}
