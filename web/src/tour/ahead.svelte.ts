// Parts of a picture that comes while the page is scrolled. A part that is seen is there; the others are put there before, each in
// an idle moment of its own, so that no frame has much to do. From then on they stay, seen or not.
import { whenIdle } from '../figures/sight.svelte';

export class Ahead {
  /** So many of the parts, from the first, are there. */
  #there = $state(0);

  /** `wanted`: pictures that stand still have only what is seen. */
  constructor(parts: number, wanted: () => boolean) {
    $effect(() => {
      if (this.#there < parts && wanted()) return whenIdle(() => ++this.#there);
    });
  }

  has(part: number): boolean {
    return part < this.#there;
  }
}
