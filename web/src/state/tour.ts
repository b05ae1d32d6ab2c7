// The state of the tour as its address holds it: /tour/#?at=2.4&strict=1&seed=7&...
import { cell, codecOf, number, numbers, text, whole, type StateOf } from './fields';

/** Its words, the last of which asks what comes next. */
export const sentence = 'the cat saw the dog chase the cat'.split(' ');

export const screens = ['blank', 'alike', 'cards', 'shares', 'train'] as const;
export type ScreenId = (typeof screens)[number];

/** How strict a question may be, and how far a thread may be pulled. */
export const mostStrict = 3;
export const mostPull = 4;
export const headCount = 4;
/** Letters of the nonsense that the trained head is given: the model reads no more. */
export const mostLetters = 32;

const fields = {
  /** How far the story is: the screen, from 0, and how much of it has gone by. */
  at: number(0, screens.length, 0),
  /** The word that was chosen for the gap, from 1 in the order of `sentence`; 0: none. */
  word: whole(0, sentence.length, 0),
  /** How far each thread of the even head was pulled. */
  pulls: numbers(sentence.map(() => 0)),
  strict: number(0, mostStrict, 0.5),
  pin: cell(['q', 'before', 'scores', 'weights'] as const),
  seed: whole(1, 999, 1),
  say: text('zubaflo zubaf', mostLetters),
  /** Heads that are switched off, a bit each. */
  off: whole(0, 2 ** headCount - 1, 0),
  /** What the head of this link came to: the beginning of the hash of its weights. */
  is: text('', 8),
};

export type TourState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
