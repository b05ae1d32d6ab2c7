// The answers of all chapters to the questions of lesson-protocol.ts.
import type { Tril } from 'tril';
import type { Answers, Kind, Lessons } from '../lesson-protocol';
import { attendAnswers } from './attend';
import { averageAnswers } from './average';
import { blockAnswers } from './block';
import { headsAnswers } from './heads';
import { checkAnswers } from './check';
import { longerAnswers } from './longer';
import { maskAnswers } from './mask';
import { multiplyAnswers } from './multiply';
import { softmaxAnswers } from './softmax';
import { towersAnswers } from './towers';

const answers: Answers<Lessons> = {
  ...multiplyAnswers,
  ...averageAnswers,
  ...attendAnswers,
  ...softmaxAnswers,
  ...blockAnswers,
  ...maskAnswers,
  ...headsAnswers,
  ...longerAnswers,
  ...checkAnswers,
  ...towersAnswers,
};

export function answer<K extends Kind>(tril: Tril, kind: K, ask: Lessons[K]['ask']) {
  const own = answers[kind] as (tril: Tril, ask: Lessons[K]['ask']) => Lessons[K]['answer'];
  return tril.scope(() => own(tril, ask));
}
