// An open chapter: its state follows from its address; changes go into the address, and nowhere else.
import { browser } from '$app/environment';
import { flushSync, getContext, setContext, untrack } from 'svelte';
import { provideLessons, type LessonClient } from '../compute/page/lessons.svelte';
import { Address, type Codec } from '../state/address.svelte';
import { figureAlone } from '../state/alone';
import { afterFrame } from '../compute/page/frames';
import { allInTurn } from '../figures/turns';
import { veils } from '../figures/veils.svelte';
import { arrival } from './arrival';
import { whenIdle, type Sight } from '../figures/sight.svelte';

/** Milliseconds after which the other figures wait no longer for the first one's answers. */
const patience = 1000;
/** If a still is visible already, the live page may take longer. */
const stillPatience = 5000;

const painted = () => new Promise((done) => afterFrame(done));

/** A figure that is not drawn yet. */
interface Undrawn {
  readonly draw: () => void;
  readonly sight: Sight;
}

/**
 * Draws figures one after another, each in a turn of its own: those near the visible area first, the others in page
 * order when the browser is idle, so that its search finds their words and links find their targets.
 */
async function drawAll(figures: readonly Undrawn[]): Promise<void> {
  const left = new Set(figures);
  const draw = (figure: Undrawn) => {
    left.delete(figure);
    figure.draw();
  };
  /** Paper shows all figures, even those not seen. Runs before the figures are fitted to the paper. */
  const print = () => flushSync(() => left.forEach(draw));
  addEventListener('beforeprint', print, { capture: true });
  while (left.size > 0) {
    await painted(); // then it is known which figures are near
    const near = () => [...left].find(({ sight }) => sight.near);
    if (!near()) {
      await new Promise<void>((done) => {
        left.forEach(({ sight }) => (sight.changed = done));
        whenIdle(done);
      });
    }
    const next = near() ?? [...left][0];
    if (next) draw(next);
  }
  removeEventListener('beforeprint', print, { capture: true });
}

interface Options {
  /** The training Worker answers its questions, too. */
  readonly trains?: boolean;
  /** Further work that its first figure waits for, besides answers. */
  readonly first?: Promise<unknown>;
}

export class OpenChapter<State> {
  readonly address: Address<State>;
  readonly lessons: LessonClient;
  /** All figures are there, if not yet their content. */
  complete = $state(false);
  /** The prerendered still is visible: the live figure waits for its answers behind it. */
  still = $state(!arrival.over);
  #figures: Undrawn[] | null = null;
  #sliding = false;
  readonly #first: Promise<unknown> | undefined;

  constructor(codec: Codec<State>, { trains = false, first }: Options) {
    this.#first = first;
    this.lessons = provideLessons(trains);
    veils.linked = browser && (location.hash.includes('?') || figureAlone() !== undefined);
    this.address = new Address(codec, { prerendered: !arrival.over });
    $effect(() => untrack(() => this.address.open()));
  }

  get state(): State {
    return this.address.state;
  }

  /** Whether a figure may be drawn at once; otherwise it is drawn later. The first does not wait for the others. */
  turn(figure: Undrawn): boolean {
    if (!this.#figures) {
      this.#figures = [];
      if (browser) void this.#begin(this.#figures);
      return true;
    }
    this.#figures.push(figure);
    return false;
  }

  async #begin(figures: readonly Undrawn[]): Promise<void> {
    const most = this.still ? stillPatience : patience;
    const answered = Promise.all([this.lessons.settled(), this.#first]);
    await Promise.race([answered, new Promise((done) => setTimeout(done, most))]);
    if (this.still) {
      await painted();
      delete document.documentElement.dataset.state;
      this.still = false;
    }
    await drawAll(figures);
    await allInTurn();
    this.complete = true;
  }

  /** Changes that are not worth undoing: a step along a figure, a pin, the movement of a slider. */
  look(change: Partial<State>): void {
    this.address.set(change, { undoable: false });
  }

  change(change: Partial<State>): void {
    this.address.set(change, { undoable: true });
  }

  /** All changes of a slider until it comes to rest count as one. */
  slide(change: Partial<State>): void {
    this.address.set(change, { undoable: !this.#sliding });
    this.#sliding = true;
  }
  rest(): void {
    this.#sliding = false;
  }
}

const key = Symbol('chapter');

export function openChapter<State>(codec: Codec<State>, options: Options = {}): OpenChapter<State> {
  return setContext(key, new OpenChapter(codec, options));
}

/** The chapter around a figure, with the state type with which it was opened. */
export function useChapter<State>(): OpenChapter<State> {
  return getContext<OpenChapter<State>>(key);
}
