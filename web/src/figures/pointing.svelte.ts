// The current cell of a figure: the pinned cell, else the one under the pointer or the keyboard, else the player's. And
// the cells that light up with it.
import { getContext, setContext } from 'svelte';
import type { Cell } from '../state/cell';
import type { Why } from './why';

/** A block of cells of one matrix, ends included, in the matrix's own rows and columns. */
export interface Mark {
  readonly matrix: string;
  readonly rows: readonly [number, number];
  readonly cols: readonly [number, number];
}

interface PointingOptions<Id extends string> {
  readonly pinned: () => Cell<Id> | null;
  readonly pin: (cell: Cell<Id> | null) => void;
  readonly sources: (cell: Cell<Id>) => readonly Mark[];
  /** Explains a cell; null for a cell that does not exist. */
  readonly explain?: (cell: Cell<Id>) => Why | null;
  /** The cell shown while the visitor points at nothing. */
  readonly resting?: () => Cell<Id> | null;
  /** The highlights while there is no current cell. */
  readonly idle?: () => readonly Mark[];
}

export class Pointing<Id extends string = string> {
  /** The cell under the pointer or the keyboard. */
  #active = $state.raw<Cell<Id> | null>(null);
  /** Keys have led to the cell: it has the focus and is announced, so nothing else may announce it at the same time. */
  keyed = $state(false);
  /** The player's example. */
  example = $state.raw<Cell<Id> | null>(null);
  /** The pinned cell's editor takes the keyboard, beginning with the text typed at the cell. */
  editing = $state.raw<{ readonly typed: string } | null>(null);
  readonly #options: PointingOptions<Id>;

  readonly shown: Cell<Id> | null = $derived.by(
    () =>
      this.#options.pinned() ?? this.active ?? this.example ?? this.#options.resting?.() ?? null,
  );
  readonly marks: readonly Mark[] = $derived.by(() =>
    this.shown ? this.#options.sources(this.shown) : (this.#options.idle?.() ?? []),
  );

  /** The cell under the pointer while another is pinned. */
  readonly other: Cell<Id> | null = $derived.by(() =>
    this.pinned && !same(this.pinned, this.active) ? this.active : null,
  );

  constructor(options: PointingOptions<Id>) {
    this.#options = options;
  }

  get active(): Cell<Id> | null {
    return this.#active;
  }

  /** Sets the cell by pointer. */
  set active(cell: Cell<Id> | null) {
    this.#active = cell;
    this.keyed = false;
  }

  /**
   * Sets the cell under the pointer. When the page scrolls below a resting pointer, browsers report a move of 0 pixels,
   * which takes nothing from the keys.
   */
  over(cell: Cell<Id> | null, { type, movementX, movementY }: PointerEvent): void {
    const isResting = type === 'pointermove' && movementX === 0 && movementY === 0;
    if (same(cell, this.#active) || (isResting && this.keyed)) return;
    this.active = cell;
  }

  /** Sets the cell by keys or by focus. */
  reach(cell: Cell<Id>): void {
    this.#active = cell;
    this.keyed = true;
  }

  explain(cell: Cell<Id>): Why | null {
    return this.#options.explain?.(cell) ?? null;
  }

  get pinned(): Cell<Id> | null {
    return this.#options.pinned();
  }

  pin(cell: Cell<Id> | null): void {
    this.#options.pin(cell);
  }

  edit(cell: Cell<Id>, typed = ''): void {
    this.#options.pin(cell);
    this.editing = { typed };
  }

  toggle(cell: Cell<Id>): void {
    this.keyed = false; // the visitor asks for the explanation
    this.pin(same(cell, this.pinned) ? null : cell);
  }
}

export function same(a: Cell | null, b: Cell | null): boolean {
  return a?.matrix === b?.matrix && a?.row === b?.row && a?.col === b?.col;
}

const key = Symbol('pointing');

export function providePointing<Id extends string>(options: PointingOptions<Id>): Pointing<Id> {
  return setContext(key, new Pointing(options));
}

/** The nearest one in the context; `Id` must be the type with which it was provided. */
export function usePointing<Id extends string = string>(): Pointing<Id> {
  return getContext<Pointing<Id>>(key);
}
