// What the chapter shows follows from the address; changes go into the address, and nowhere else.
import { getContext, setContext } from 'svelte';
import { provideLessons, type LessonClient } from '../../compute/lessons.svelte';
import { Address } from '../../state/address.svelte';
import { decode, encode, type AverageState } from '../../state/average';
import type { Problem } from '../../state/fields';

export class AverageModel {
  readonly address = new Address<AverageState, Problem>({ chapter: 'average', encode, decode });
  readonly lessons: LessonClient = provideLessons();
  readonly state: AverageState = $derived(this.address.state);

  constructor() {
    $effect(() => () => this.address.close());
  }

  /** A pin, or the movement of a slider: nothing to come back from. */
  look(change: Partial<AverageState>): void {
    this.address.set(change, { undoable: false });
  }

  change(change: Partial<AverageState>): void {
    this.address.set(change, { undoable: true });
  }
}

const key = Symbol('average');

export function provideModel(): AverageModel {
  return setContext(key, new AverageModel());
}

export function useModel(): AverageModel {
  return getContext<AverageModel>(key);
}
