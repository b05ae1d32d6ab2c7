// What is not to be seen before a question about it is answered: by name, open once guessed or asked for, or all of them
// for who does not want to be asked.
import { browser } from '$app/environment';
import { SvelteSet } from 'svelte/reactivity';

const place = 'tril.veils';

function wantsNone(): boolean {
  try {
    return browser && localStorage.getItem(place) === 'none';
  } catch {
    return false; // storage may be forbidden
  }
}

class Veils {
  none = $state(wantsNone());
  readonly #lifted = new SvelteSet<string>();

  covers(name: string): boolean {
    return !this.none && !this.#lifted.has(name);
  }

  lift(name: string): void {
    this.#lifted.add(name);
  }

  /** Before another question about the same. */
  lower(name: string): void {
    this.#lifted.delete(name);
  }

  /** From now on, and on the next visit. */
  never(): void {
    this.none = true;
    try {
      localStorage.setItem(place, 'none');
    } catch {
      // Then for this visit.
    }
  }
}

export const veils = new Veils();
