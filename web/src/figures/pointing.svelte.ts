// Which cell of a figure is looked at: pinned by a click, else under the pointer or the keyboard, else the
// one that the player shows. And which cells light up because of it.
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
  /** Null for a cell that is not there. */
  readonly explain?: (cell: Cell<Id>) => Why | null;
  /** What is shown while nobody points at anything. */
  readonly resting?: () => Cell<Id> | null;
  /** What lights up while no cell is looked at. */
  readonly idle?: () => readonly Mark[];
}

export class Pointing<Id extends string = string> {
  /** Under the pointer, or the keyboard. */
  #active = $state.raw<Cell<Id> | null>(null);
  /** Keys have led to it: its cell has the focus and says what it is, so nothing else is to say it at the same time. */
  keyed = $state(false);
  /** The player's example. */
  example = $state.raw<Cell<Id> | null>(null);
  /** The pinned cell's editor is to take the keyboard, beginning with what was typed at the cell. */
  editing = $state.raw<{ readonly typed: string } | null>(null);
  readonly #options: PointingOptions<Id>;

  readonly shown: Cell<Id> | null = $derived.by(
    () =>
      this.#options.pinned() ?? this.active ?? this.example ?? this.#options.resting?.() ?? null,
  );
  readonly marks: readonly Mark[] = $derived.by(() =>
    this.shown ? this.#options.sources(this.shown) : (this.#options.idle?.() ?? []),
  );

  /** Pointed at while another one is pinned. */
  readonly other: Cell<Id> | null = $derived.by(() =>
    this.pinned && !same(this.pinned, this.active) ? this.active : null,
  );

  constructor(options: PointingOptions<Id>) {
    this.#options = options;
  }

  get active(): Cell<Id> | null {
    return this.#active;
  }

  /** By a pointer. */
  set active(cell: Cell<Id> | null) {
    this.#active = cell;
    this.keyed = false;
  }

  /** By keys, or by the focus. */
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
    this.keyed = false; // it is asked why
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

/** The nearest one around; `Id` as it was provided with. */
export function usePointing<Id extends string = string>(): Pointing<Id> {
  return getContext<Pointing<Id>>(key);
}
