// On a phone one part of a figure stands there, not all below each other: that of the pinned cell, else the chosen one.

/** Pixels across a figure from which on there is room for all of its parts. */
export const phone = 480;

export class OnePart<Id extends string> {
  #chosen: Id = $state()!;
  readonly #pinned: () => Id | undefined;
  readonly #free: () => void;

  /** `pinned` says in which part a cell is pinned, and `free` frees it. */
  constructor(first: Id, pinned: () => Id | undefined, free: () => void) {
    this.#chosen = first;
    this.#pinned = pinned;
    this.#free = free;
  }

  get id(): Id {
    return this.#pinned() ?? this.#chosen;
  }

  choose(id: Id): void {
    this.#chosen = id;
    const pinned = this.#pinned();
    if (pinned && pinned !== id) this.#free();
  }
}
