// Creates the parts of a picture while the page is scrolled. A visible part exists; each other part is created in
// advance in an idle moment of its own, so that no frame has much to do. From then on all parts stay, visible or not.
import { whenIdle } from '../figures/sight.svelte';

export class Ahead {
  /** Number of parts, from the first, that exist. */
  #there = $state(0);

  /** `wanted`: false for stills, which have only the visible parts. */
  constructor(parts: number, wanted: () => boolean) {
    $effect(() => {
      if (this.#there < parts && wanted()) return whenIdle(() => ++this.#there);
    });
  }

  has(part: number): boolean {
    return part < this.#there;
  }
}
