// The requests that the training Worker handles: trainings, an open model, and the questions of their chapters.
import type { TrainingTril } from 'tril/training';
import type { Answers, Later, Session } from '../answers';
import type { CallAsk, CallsLessons } from '../lessons/calls';
import { learnAnswers, stepCall, type LearnLessons } from '../lessons/learn';
import { ratesAnswers, type RatesLessons } from '../lessons/rates';
import { callAnswers } from '../lessons/timed';
import { born } from '../../shared/training/born';
import type { MeaningSessions } from '../../shared/meaning/protocol';
import type { OpenedAsk, OpenedSession, RequestKind } from '../../shared/opened/protocol';
import type { TrainingQuestions, TrainingSessions } from '../../shared/training/protocol';

type Sessions = TrainingSessions & TrainingQuestions & OpenedSession & MeaningSessions;
/** Trainings of later figures are loaded when a visitor comes near. */
const trainings: Later<Sessions, TrainingTril> = {
  born,
  own: async (...given) => (await import('./own')).own(...given),
  whatIf: async (...given) => (await import('./what-if')).whatIf(...given),
  words: async (...given) => (await import('../meaning/words')).words(...given),
  senses: async (...given) => (await import('../meaning/senses')).senses(...given),
  sentences: async (...given) => (await import('../meaning/sentences')).sentences(...given),
  recall: async (tril, ask) => (await import('./recall')).recall(tril, ask),
  price: async (...given) => (await import('./price')).price(...given),
  opened: async (...given) => (await import('../opened/session')).opened(...given),
};

/** The cost and time of the one call that Learn shows. */
interface StepLessons {
  cost: { ask: Extract<CallAsk, { call: 'step' }>; answer: CallsLessons['cost']['answer'] };
  time: { ask: Extract<CallAsk, { call: 'step' }>; answer: CallsLessons['time']['answer'] };
}
type Own = LearnLessons & RatesLessons & StepLessons;
const answers: Answers<Own, TrainingTril> = {
  ...learnAnswers,
  ...ratesAnswers,
  ...callAnswers<StepLessons['cost']['ask']>({ step: stepCall }),
};

/** The answer of any kind, a training's or a question's, later or at once; all other kinds are about an open model. */
export function work(
  tril: TrainingTril,
  kind: string,
  ask: unknown,
  session: Session<unknown, unknown>,
): unknown {
  if (kind in answers) return tril.scope(() => answers[kind as keyof Own](tril, ask as never));
  return kind in trainings
    ? trainings[kind as keyof typeof trainings](tril, ask as never, session as never)
    : import('../opened/session').then(({ answer }) =>
        answer(kind as RequestKind, ask as OpenedAsk, session),
      );
}
