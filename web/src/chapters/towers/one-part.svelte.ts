// On a phone one part of a figure stands there, not all below each other: that of the pinned cell, else the chosen one.
import type { Figure } from '../../figures/figure.svelte';
import type { Control } from '../../shell/controls';
import type { TowersId } from '../../state/towers';

/** Pixels across a figure from which on there is room for all of its parts. */
export const phone = 480;

interface Options<Id extends string> {
  readonly label: string;
  readonly parts: readonly { readonly id: Id; readonly name: string }[];
  readonly first: Id;
  /** In which part a matrix is. */
  readonly partOf: (matrix: TowersId) => Id | undefined;
}

export class OnePart<Id extends string> {
  #chosen: Id = $state()!;
  readonly #figure: Figure<TowersId>;
  readonly #options: Options<Id>;

  constructor(figure: Figure<TowersId>, options: Options<Id>) {
    this.#chosen = options.first;
    this.#figure = figure;
    this.#options = options;
  }

  get #pinned(): Id | undefined {
    const { pinned } = this.#figure;
    return pinned ? this.#options.partOf(pinned.matrix) : undefined;
  }
  get #now(): Id {
    return this.#pinned ?? this.#chosen;
  }

  shows(id: Id): boolean {
    return this.#figure.width >= phone || id === this.#now;
  }

  /** Which part it is. */
  get controls(): readonly Control[] {
    if (this.#figure.width >= phone) return [];
    const { label, parts } = this.#options;
    return [{ label, options: parts, chosen: this.#now, choose: (id) => this.#choose(id as Id) }];
  }
  #choose(id: Id): void {
    this.#chosen = id;
    if (this.#pinned && this.#pinned !== id) this.#figure.pointing.pin(null);
  }
}
