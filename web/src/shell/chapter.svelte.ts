// A chapter that is open: what it shows follows from its address; changes go into the address, and nowhere else.
import { getContext, setContext } from 'svelte';
import { provideLessons, type LessonClient } from '../compute/lessons.svelte';
import { Address, type Codec } from '../state/address.svelte';

export class OpenChapter<State> {
  readonly address: Address<State>;
  readonly lessons: LessonClient = provideLessons();

  constructor(codec: Codec<State>) {
    this.address = new Address(codec);
    $effect(() => () => this.address.close());
  }

  get state(): State {
    return this.address.state;
  }

  /** A step along a figure, a pin, the movement of a slider: nothing to come back from. */
  look(change: Partial<State>): void {
    this.address.set(change, { undoable: false });
  }

  change(change: Partial<State>): void {
    this.address.set(change, { undoable: true });
  }
}

const key = Symbol('chapter');

export function openChapter<State>(codec: Codec<State>): OpenChapter<State> {
  return setContext(key, new OpenChapter(codec));
}

/** The chapter around a figure, of the state that it was opened with. */
export function useChapter<State>(): OpenChapter<State> {
  return getContext<OpenChapter<State>>(key);
}
