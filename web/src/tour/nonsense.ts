// Nonsense that a visitor types: as tokens, and what should come next in it.
import { vocabulary } from '../compute/shared/training/tasks';

/** The letters of a text, capitals as small ones. */
const lettersOf = (say: string) => [...say.toLowerCase()];

/** The letters of a text as the model's tokens, by the order in which they are met: none means anything to it. */
export function tokensOf(say: string): { tokens: readonly number[]; letters: readonly string[] } {
  const all = lettersOf(say);
  const letters = [...new Set(all)].slice(0, vocabulary);
  return { tokens: all.map((one) => letters.indexOf(one)).filter((id) => id >= 0), letters };
}

export interface Expected {
  /** What came after the longest ending that stood earlier: more than one where it stood there more than once. */
  readonly letters: readonly string[];
  /** From one such ending to the other no letter stands twice: the training had nothing else. */
  readonly isUsual: boolean;
}

/** What a reader would expect; null where nothing has come again. */
export function expectedOf(say: string): Expected | null {
  const all = lettersOf(say);
  /** How many letters before that place are those at the end. */
  const likeBefore = (place: number) => {
    let count = 0;
    while (count < place && all[place - 1 - count] === all[all.length - 1 - count]) ++count;
    return count;
  };
  const places = all.map((_, place) => place).slice(1);
  const longest = Math.max(0, ...places.map(likeBefore));
  if (longest === 0) return null;
  const found = places.filter((place) => likeBefore(place) === longest);
  const unit = all.slice(found.at(-1));
  return {
    letters: [...new Set(found.map((place) => all[place]))],
    isUsual: new Set(unit).size === unit.length,
  };
}
