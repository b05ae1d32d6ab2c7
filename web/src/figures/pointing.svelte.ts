// Which cell of a figure is looked at: pinned by a click, else under the pointer or the keyboard, else the
// one that the player shows. And which cells light up because of it.
import { getContext, setContext } from 'svelte';
import type { Cell } from '../state/attend';
import type { MatrixId } from '../compute/protocol';

/** A block of cells of one matrix, ends included, in the matrix's own rows and columns. */
export interface Mark {
  readonly matrix: MatrixId;
  readonly rows: readonly [number, number];
  readonly cols: readonly [number, number];
}

export interface PointingOptions {
  readonly pinned: () => Cell | null;
  readonly pin: (cell: Cell | null) => void;
  readonly sources: (cell: Cell) => readonly Mark[];
}

export class Pointing {
  /** Under the pointer, or the keyboard. */
  active = $state.raw<Cell | null>(null);
  /** The player's example. */
  example = $state.raw<Cell | null>(null);
  /** The pinned cell's editor is to take the keyboard, beginning with what was typed at the cell. */
  editing = $state.raw<{ readonly typed: string } | null>(null);
  readonly #options: PointingOptions;

  readonly shown: Cell | null = $derived.by(
    () => this.#options.pinned() ?? this.active ?? this.example,
  );
  readonly marks: readonly Mark[] = $derived.by(() =>
    this.shown ? this.#options.sources(this.shown) : [],
  );

  constructor(options: PointingOptions) {
    this.#options = options;
  }

  get pinned(): Cell | null {
    return this.#options.pinned();
  }

  pin(cell: Cell | null): void {
    this.#options.pin(cell);
  }

  edit(cell: Cell, typed = ''): void {
    this.#options.pin(cell);
    this.editing = { typed };
  }

  toggle(cell: Cell): void {
    this.pin(same(cell, this.pinned) ? null : cell);
  }
}

export function same(a: Cell | null, b: Cell | null): boolean {
  return a?.matrix === b?.matrix && a?.row === b?.row && a?.col === b?.col;
}

const key = Symbol('pointing');

export function providePointing(options: PointingOptions): Pointing {
  return setContext(key, new Pointing(options));
}

export function usePointing(): Pointing {
  return getContext<Pointing>(key);
}
