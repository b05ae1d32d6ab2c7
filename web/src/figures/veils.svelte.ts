// What is not to be seen before a question about it is answered: by name, open once guessed or asked for. Nothing is covered
// where the visitor wants no covers, or has come by a link to a state, which shows what it is a link to, or where a figure stands alone.
import { SvelteSet } from 'svelte/reactivity';
import { keep, kept } from '../state/kept';

const place = 'tril.veils';

class Veils {
  #none = $state(kept(place) === 'none');
  /** The open chapter was opened by a link to a state, or for one of its figures. */
  linked = $state(false);
  readonly #lifted = new SvelteSet<string>();

  /** On every page, from now on, and on the next visit. */
  get none(): boolean {
    return this.#none;
  }
  set none(none: boolean) {
    this.#none = none;
    keep(place, none ? 'none' : null);
  }

  /** Questions stand by themselves, and cover nothing. */
  get off(): boolean {
    return this.#none || this.linked;
  }

  covers(name: string): boolean {
    return !this.off && !this.#lifted.has(name);
  }

  lift(name: string): void {
    this.#lifted.add(name);
  }

  /** Before another question about the same. */
  lower(name: string): void {
    this.#lifted.delete(name);
  }
}

export const veils = new Veils();
