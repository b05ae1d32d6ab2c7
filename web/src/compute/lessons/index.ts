// The answers of all chapters to the questions of lesson-protocol.ts.
import type { Tril } from 'tril';
import type { Answers, Later } from '../answers';
import type { Kind, Lessons } from '../lesson-protocol';
import { attendAnswers } from './attend';
import { averageAnswers } from './average';
import { blockAnswers } from './block';
import { headsAnswers } from './heads';
import { checkAnswers, checkLater } from './check';
import { checkCostAnswers } from './check-cost';
import { longerAnswers } from './longer';
import { longerCostAnswers } from './longer-cost';
import { maskAnswers } from './mask';
import { multiplyAnswers } from './multiply';
import { ratesAnswers } from './rates';
import { softmaxAnswers } from './softmax';
import { timesAnswers } from './times';
import { towersAnswers } from './towers';
import { towersCostAnswers } from './towers-cost';

const later: Later<Pick<Lessons, 'files' | 'proof'>> = checkLater;
const answers: Answers<Omit<Lessons, keyof typeof later>> = {
  ...multiplyAnswers,
  ...averageAnswers,
  ...attendAnswers,
  ...softmaxAnswers,
  ...blockAnswers,
  ...maskAnswers,
  ...headsAnswers,
  ...longerAnswers,
  ...longerCostAnswers,
  ...checkAnswers,
  ...checkCostAnswers,
  ...ratesAnswers,
  ...timesAnswers,
  ...towersAnswers,
  ...towersCostAnswers,
};

type Answer<K extends Kind> = Lessons[K]['answer'];

export function answer<K extends Kind>(
  tril: Tril,
  kind: K,
  ask: Lessons[K]['ask'],
): Answer<K> | Promise<Answer<K>> {
  type Own<Result> = (tril: Tril, ask: Lessons[K]['ask']) => Result;
  if (kind in later) {
    return (later[kind as keyof typeof later] as Own<Promise<Answer<K>>>)(tril, ask);
  }
  const own = answers[kind as keyof typeof answers] as Own<Answer<K>>;
  return tril.scope(() => own(tril, ask));
}
