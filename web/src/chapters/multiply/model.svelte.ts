// What the chapter shows follows from the address; changes go into the address, and nowhere else.
import { getContext, setContext } from 'svelte';
import { provideLessons, type LessonClient } from '../../compute/lessons.svelte';
import { Address } from '../../state/address.svelte';
import { decode, encode, type MultiplyState } from '../../state/multiply';
import type { Problem } from '../../state/fields';

export class MultiplyModel {
  readonly address = new Address<MultiplyState, Problem>({ chapter: 'multiply', encode, decode });
  readonly lessons: LessonClient = provideLessons();
  readonly state: MultiplyState = $derived(this.address.state);

  constructor() {
    $effect(() => () => this.address.close());
  }

  /** A step along a figure, or a pin: nothing to come back from. */
  look(change: Partial<MultiplyState>): void {
    this.address.set(change, { undoable: false });
  }

  change(change: Partial<MultiplyState>): void {
    this.address.set(change, { undoable: true });
  }
}

const key = Symbol('multiply');

export function provideModel(): MultiplyModel {
  return setContext(key, new MultiplyModel());
}

export function useModel(): MultiplyModel {
  return getContext<MultiplyModel>(key);
}
