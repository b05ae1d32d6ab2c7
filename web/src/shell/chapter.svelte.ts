// A chapter that is open: what it shows follows from its address; changes go into the address, and nowhere else.
import { browser } from '$app/environment';
import { getContext, setContext, untrack } from 'svelte';
import { provideLessons, type LessonClient } from '../compute/lessons.svelte';
import { Address, type Codec } from '../state/address.svelte';
import { arrival } from './arrival';

/** Milliseconds after which the other figures do not wait for the first one's answers any longer. */
const patience = 1000;
/** Where something is to be seen already, the living page may take longer. */
const stillPatience = 5000;

const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

export class OpenChapter<State> {
  readonly address: Address<State>;
  readonly lessons: LessonClient = provideLessons();
  /** All figures are there, if not yet what is on them. */
  complete = $state(false);
  /** What was made with the page is still to be seen: the living one waits for its answers behind it. */
  still = $state(!arrival.over);
  #figures: (() => void)[] | null = null;

  constructor(codec: Codec<State>) {
    this.address = new Address(codec, { prerendered: !arrival.over });
    $effect(() => untrack(() => this.address.open()));
  }

  get state(): State {
    return this.address.state;
  }

  /** Whether a figure may be drawn at once; if not, it is told when. The first is not to wait for the others. */
  turn(draw: () => void): boolean {
    if (!this.#figures) {
      this.#figures = [];
      if (browser) void this.#begin(this.#figures);
      return true;
    }
    this.#figures.push(draw);
    return false;
  }

  async #begin(figures: (() => void)[]): Promise<void> {
    const most = this.still ? stillPatience : patience;
    await Promise.race([this.lessons.settled(), new Promise((done) => setTimeout(done, most))]);
    if (this.still) {
      await painted();
      delete document.documentElement.dataset.state;
      this.still = false;
    }
    for (const draw of figures) {
      await painted();
      draw();
    }
    this.complete = true;
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
