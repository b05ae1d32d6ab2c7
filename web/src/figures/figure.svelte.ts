// Common state of figures with matrices: their place and its width, the current cell, the pinned cell, and the
// explanation of its value.
import type { Cell } from '../state/cell';
import { card } from './card';
import { providePointing, type Mark, type Pointing } from './pointing.svelte';
import type { Why } from './why';

/** Storage of the pinned cell. */
interface Pin<Id extends string> {
  readonly get: () => Cell<Id> | null;
  readonly set: (cell: Cell<Id> | null) => void;
}

export interface FigureOptions<Id extends string> {
  /** Created by pinOf(), in the address (default: kept while the page is open). */
  readonly pin?: Pin<Id>;
  /** Explains a cell; null for a cell that does not exist. */
  readonly why?: (cell: Cell<Id>) => Why | null;
  /** Whether a cell exists, if nothing explains it. */
  readonly there?: (cell: Cell<Id>) => boolean;
  /** The highlights of an existing cell. */
  readonly sources?: (cell: Cell<Id>) => readonly Mark[];
  /** The highlights while there is no current cell. */
  readonly idle?: () => readonly Mark[];
  /** The cell shown while the visitor points at nothing. */
  readonly resting?: () => Cell<Id> | null;
  /** Below this width in pixels, the layout is that of a phone. */
  readonly narrow?: number;
}

export class Figure<Id extends string = string> {
  /** Width of its place in pixels. */
  width = $state(card.width);
  /** The element that contains the drawing. */
  place = $state<HTMLElement>();
  /** The element that a picture shows (default: the place). */
  element = $state<HTMLElement>();
  readonly #options: FigureOptions<Id>;
  #local = $state.raw<Cell<Id> | null>(null);
  readonly pointing: Pointing<Id>;
  readonly narrow: boolean = $derived.by(() => this.width < (this.#options.narrow ?? 560));
  readonly why: Why | null = $derived.by(() => {
    const { shown } = this.pointing;
    return shown && this.pointing.explain(shown);
  });

  constructor(options: FigureOptions<Id>) {
    this.#options = options;
    const pin = options.pin ?? { get: () => this.#local, set: (cell) => (this.#local = cell) };
    const { why = () => null, there = (cell) => why(cell) !== null } = options;
    this.pointing = providePointing<Id>({
      pinned: () => {
        const cell = pin.get();
        return cell && there(cell) ? cell : null;
      },
      pin: pin.set,
      explain: why,
      sources: (cell) => (there(cell) ? (options.sources?.(cell) ?? []) : []),
      ...(options.idle && { idle: options.idle }),
      ...(options.resting && { resting: options.resting }),
    });
  }

  get pinned(): Cell<Id> | null {
    return this.pointing.pinned;
  }
}

/** The place of a figure, its width, and what a picture of it shows. */
export type Place = Pick<Figure, 'width' | 'place' | 'element'>;

export const useFigure = <Id extends string>(options: FigureOptions<Id> = {}): Figure<Id> =>
  new Figure(options);

interface Chapter<State> {
  readonly state: State;
  look(change: Partial<State>): void;
}

type IdOf<Field> = NonNullable<Field> extends Cell<infer Id> ? Id : never;

/** The pin of that name in the address of a chapter. */
export const pinOf = <State, Name extends keyof State>(
  chapter: Chapter<State>,
  name: Name,
): Pin<IdOf<State[Name]>> => ({
  get: () => chapter.state[name] as Cell<IdOf<State[Name]>> | null,
  set: (cell) => chapter.look({ [name]: cell } as Partial<State>),
});
