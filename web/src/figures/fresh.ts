// The variant of its numbers with which a question begins: the first in its chapter, later ones in repetitions.
import { getContext, setContext } from 'svelte';

/** The context of a repeated question. */
interface Again {
  readonly turn: number;
  readonly answer: (right: boolean) => void;
}
const key = Symbol('again');

export const provideAgain = (again: Again) => setContext(key, again);
export const firstTurn = (): number => getContext<Again | undefined>(key)?.turn ?? 0;
export const useAgain = () => getContext<Again | undefined>(key)?.answer;
