// What figures with matrices have in common: their place and its width, the cell that is looked at, where it is pinned, and
// why it has its value.
import type { Cell } from '../state/cell';
import { card } from './card';
import { providePointing, type Mark, type Pointing } from './pointing.svelte';
import type { Why } from './why';

/** Where the pinned cell is kept. */
interface Pin<Id extends string> {
  readonly get: () => Cell<Id> | null;
  readonly set: (cell: Cell<Id> | null) => void;
}

export interface FigureOptions<Id extends string> {
  /** By pinOf() in the address; else as long as the page is open. */
  readonly pin?: Pin<Id>;
  /** Null for a cell that is not there. */
  readonly why?: (cell: Cell<Id>) => Why | null;
  /** Whether a cell is there, where nothing explains it. */
  readonly there?: (cell: Cell<Id>) => boolean;
  /** What lights up with a cell that is there. */
  readonly sources?: (cell: Cell<Id>) => readonly Mark[];
  /** What lights up while no cell is looked at. */
  readonly idle?: () => readonly Mark[];
  /** What is shown while nobody points at anything. */
  readonly resting?: () => Cell<Id> | null;
  /** Below so many pixels it is laid out for a phone. */
  readonly narrow?: number;
}

export class Figure<Id extends string = string> {
  /** Pixels across its place. */
  width = $state(card.width);
  /** Where it is drawn. */
  place = $state<HTMLElement>();
  /** What a picture of it shows, if not all of that. */
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
