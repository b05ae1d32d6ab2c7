// Nonsense that a visitor types: its tokens, and its expected continuation.
import { vocabulary } from '../compute/shared/training/tasks';

/** The letters of a text in lower case. */
const lettersOf = (say: string) => [...say.toLowerCase()];

/**
 * The letters of a text as the model's tokens, numbered in order of appearance: letters have no meaning to the model.
 */
export function tokensOf(say: string): { tokens: readonly number[]; letters: readonly string[] } {
  const all = lettersOf(say);
  const letters = [...new Set(all)].slice(0, vocabulary);
  return { tokens: all.map((one) => letters.indexOf(one)).filter((id) => id >= 0), letters };
}

export interface Expected {
  /** The letters that followed earlier occurrences of the longest repeated ending; several if they differ. */
  readonly letters: readonly string[];
  /** No letter is repeated between one such ending and the next, as in the training texts. */
  readonly isUsual: boolean;
}

/** The continuation that a reader would expect; null if nothing is repeated. */
export function expectedOf(say: string): Expected | null {
  const all = lettersOf(say);
  /** Length of the longest common ending of the letters before that index and of the complete text. */
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
