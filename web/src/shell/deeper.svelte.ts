// Sections that go deeper are folded behind their ledes until they are asked for. Who has unfolded one finds it unfolded at
// the next visit; who comes by a link to a state finds all unfolded, as it may be theirs.
import { browser } from '$app/environment';
import { SvelteSet } from 'svelte/reactivity';
import { veils } from '../figures/veils.svelte';

const place = 'tril.deeper';
/** Instead of names. */
const everything = 'all';

function remembered(): string[] {
  try {
    return browser ? (localStorage.getItem(place) ?? '').split(' ').filter(Boolean) : [];
  } catch {
    return []; // storage may be forbidden
  }
}

class Deeper {
  readonly #names = new SvelteSet(remembered());

  has(name: string): boolean {
    return veils.linked || this.#names.has(name) || this.#names.has(everything);
  }

  open(name: string): void {
    this.#names.add(name);
    try {
      localStorage.setItem(place, [...this.#names].join(' '));
    } catch {
      // Then for this visit.
    }
  }
}

export const deeper = new Deeper();
