// The answers of all chapters to the questions of lesson-protocol.ts.
import type { Tril } from 'tril';
import type { Answers, Kind, Lessons } from '../lesson-protocol';
import { blockAnswers } from './block';
import { averageAnswers } from './average';
import { multiplyAnswers } from './multiply';

const answers: Answers<Lessons> = { ...multiplyAnswers, ...averageAnswers, ...blockAnswers };

export function answer<K extends Kind>(tril: Tril, kind: K, ask: Lessons[K]['ask']) {
  const own = answers[kind] as (tril: Tril, ask: Lessons[K]['ask']) => Lessons[K]['answer'];
  return tril.scope(() => own(tril, ask));
}
