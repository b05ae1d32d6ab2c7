// Data that this browser keeps from visit to visit. If storage is forbidden nothing is kept, and a choice holds for the
// visit.
import { browser } from '$app/environment';
import { SvelteSet } from 'svelte/reactivity';

/** Null if there is nothing, and while a page is prerendered. */
export function kept(name: string): string | null {
  try {
    return browser ? localStorage.getItem(name) : null;
  } catch {
    return null;
  }
}

/** Stores a value from now on; null deletes it. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // The value then holds for this visit.
  }
}

/** Stands for all names. */
const everything = 'all';

/** A stored set of names, such as those of the figures that a visitor has seen. */
export class KeptNames {
  readonly #place: string;
  readonly #names: SvelteSet<string>;

  constructor(place: string) {
    this.#place = place;
    this.#names = new SvelteSet((kept(place) ?? '').split(' ').filter(Boolean));
  }

  has(name: string): boolean {
    return this.#names.has(name) || this.#names.has(everything);
  }

  add(name: string): void {
    this.#names.add(name);
    keep(this.#place, [...this.#names].join(' '));
  }
}
