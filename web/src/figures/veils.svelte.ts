// Covers over content that answers a question: by name, lifted once the visitor has guessed or asked for it. Nothing is
// covered if the visitor wants no covers, has followed a link to a state, which shows that state, or sees a figure that
// stands alone.
import { SvelteSet } from 'svelte/reactivity';
import { keep, kept } from '../state/kept';

const place = 'tril.veils';

class Veils {
  #none = $state(kept(place) === 'none');
  /** The current chapter was opened by a link to a state, or for one of its figures. */
  linked = $state(false);
  readonly #lifted = new SvelteSet<string>();

  /** No covers on any page, from now on and on the next visit. */
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

  /** Lowers the cover before another question about the same content. */
  lower(name: string): void {
    this.#lifted.delete(name);
  }
}

export const veils = new Veils();
