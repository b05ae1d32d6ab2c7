// With which of its numbers a question begins: the first where it stands in its chapter, later ones where it is asked again.
import { getContext, setContext } from 'svelte';

/** Where a question is asked again. */
interface Again {
  readonly turn: number;
  readonly answer: (right: boolean) => void;
}
const key = Symbol('again');

export const provideAgain = (again: Again) => setContext(key, again);
export const firstTurn = (): number => getContext<Again | undefined>(key)?.turn ?? 0;
export const useAgain = () => getContext<Again | undefined>(key)?.answer;
