// The state of the page that everything begins with, as its address holds it: #?say=...&head... Its names are none of
// chapter Attend's, which once stood at this address: an old link to there is told from one to here by them.
import { headIds } from '../compute/shared/handmade/attend-heads';
import { choice, codecOf, text, whole, type StateOf } from './fields';

export const mostWords = 24;
/** How strict the heads are: what a head finds stands out, and the others still get a share that can be seen. */
export const strict = 6;
export const maxSentence = 400;

const fields = {
  say: text('the cat saw the dog chase the cat', maxSentence),
  like: choice(headIds, 'same'),
  /** The word that is touched, from 1; 0: the last. */
  word: whole(0, mostWords, 0),
  /** The word whose weight is asked about, from 1; 0: none. */
  why: whole(0, mostWords, 0),
};

export type HomeState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
