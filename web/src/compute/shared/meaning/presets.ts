// The opening state of the chapter.
import { bank } from '../../../../../models/meaning.mjs';
import type { Analogy, Direction, SensesQuery, WordsQuery } from './protocol';

/** Analogies, with the word that an English speaker would expect. */
export const presets: readonly { readonly ask: Analogy; readonly expected: string }[] = [
  { ask: ['france', 'french', 'spain'], expected: 'spanish' },
  { ask: ['high', 'higher', 'low'], expected: 'lower' },
  { ask: ['first', 'second', 'third'], expected: 'fourth' },
  { ask: ['army', 'soldiers', 'navy'], expected: 'sailors' },
  { ask: ['man', 'men', 'woman'], expected: 'women' },
  { ask: ['great', 'greater', 'small'], expected: 'smaller' },
  { ask: ['river', 'rivers', 'bank'], expected: 'banks' },
  { ask: ['germany', 'german', 'japan'], expected: 'japanese' },
];

export const beside = ['river', 'money'] as const;
export const axes: readonly [Direction, Direction] = [
  ['river', 'money'],
  ['war', 'peace'],
];

export const opening: WordsQuery = {
  ...{ word: bank.word, beside, axes: null },
  analogies: presets.map(({ ask }) => ask),
};

export const openingSenses: SensesQuery = {
  ...{ word: bank.word, cues: bank.cues },
  sentence: 'We sat down on the bank of the river and watched the boats go by.',
};

/** One sentence per line: similar meanings have different words, and similar words have different meanings. */
export const openingSentences = [
  'A man is playing the guitar.',
  'Somebody makes music on a guitar.',
  'The bank raised its interest rates.',
  'Borrowing money has become more expensive.',
  'We had a picnic on the bank of the river.',
  'The children swam near the shore.',
  'How do I reset my password?',
  'I forgot my login, what now?',
] as const;
