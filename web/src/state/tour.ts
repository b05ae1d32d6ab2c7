// The state of the tour as its address holds it: /tour/#?at=2.4&strict=1&seed=7&...
import { cell, codecOf, number, numbers, text, whole, type StateOf } from './fields';

/** Its words; the last asks for the next one. */
export const sentence = 'the cat saw the dog chase the cat'.split(' ');

export const screens = ['blank', 'alike', 'cards', 'shares', 'train'] as const;
export type ScreenId = (typeof screens)[number];

/** Maximum strictness of a question, and maximum pull of a thread. */
export const mostStrict = 3;
export const mostPull = 4;
export const headCount = 4;
/** Maximum number of letters of nonsense for the trained head: the model's context. */
export const mostLetters = 32;

const fields = {
  /** Progress of the story: the screen, from 0, and the fraction of it that has passed. */
  at: number(0, screens.length, 0),
  /** The word chosen for the gap, from 1 in the order of `sentence`; 0: none. */
  word: whole(0, sentence.length, 0),
  /** Pull of each thread of the even head. */
  pulls: numbers(sentence.map(() => 0)),
  strict: number(0, mostStrict, 0.5),
  pin: cell(['q', 'before', 'scores', 'weights'] as const),
  seed: whole(1, 999, 1),
  say: text('zubaflo zubaf', mostLetters),
  /** Heads that are switched off, one bit each. */
  off: whole(0, 2 ** headCount - 1, 0),
  /** The result of this link's training: the beginning of the hash of the head's weights. */
  is: text('', 8),
};

export type TourState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
