// The questions for repetition, kept in this browser alone, under one key.
import { browser } from '$app/environment';
import { keep, kept } from '../state/kept';
import { answered, isKnown, met, readCards, writeCards, type Cards } from './cards';

const place = 'tril.cards';

class KeptCards {
  all = $state.raw<Cards>(new Map());

  constructor() {
    if (!browser) return;
    this.#read();
    addEventListener('storage', ({ key }) => (key === place || key === null) && this.#read());
  }

  meet(id: string): void {
    this.#change((all) => met(all, id, Date.now()));
  }

  answer(id: string, right: boolean): void {
    this.#change((all) => answered(all, id, right, Date.now()));
  }

  /** Replaces the cards by those of an exported text. */
  take(text: string): boolean {
    const taken = readCards(text);
    if (taken) this.#change(() => taken);
    return taken !== null;
  }

  forget(): void {
    this.all = new Map();
    keep(place, null);
  }

  /** Time of the next question that is not due yet. */
  get next(): number | null {
    const waiting = [...this.all.values()].filter((card) => !isKnown(card));
    return waiting.length > 0 ? Math.min(...waiting.map(({ due }) => due)) : null;
  }

  #read(): void {
    this.all = readCards(kept(place) ?? '') ?? new Map();
  }

  #change(how: (all: Cards) => Cards): void {
    const before = this.all;
    this.#read(); // another tab may have written
    if (this.all.size === 0) this.all = before;
    const all = how(this.all);
    if (all === this.all) return;
    this.all = all;
    keep(place, writeCards(all));
  }
}

export const cards = new KeptCards();
