// The state of the home page as its address holds it: #?say=...&head... It shares no name with chapter Attend, which
// was once at this address: the names tell an old link to Attend from a link to this page.
import { headIds } from '../compute/shared/handmade/attend-heads';
import { choice, codecOf, text, whole, type StateOf } from './fields';

export const mostWords = 24;
/** Strictness of the heads: the found words stand out, and the others still have a visible share. */
export const strict = 6;
export const maxSentence = 400;

const fields = {
  say: text('the cat saw the dog chase the cat', maxSentence),
  like: choice(headIds, 'same'),
  /** The touched word, from 1; 0: the last. */
  word: whole(0, mostWords, 0),
  /** The word whose weight is explained, from 1; 0: none. */
  why: whole(0, mostWords, 0),
};

export type HomeState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
