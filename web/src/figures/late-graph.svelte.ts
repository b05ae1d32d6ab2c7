// A figure of the values of graphs. The reader of graphs is larger than what draws the values, and is loaded when a cell is pointed at
// for the first time.
import { Figure, type FigureOptions } from './figure.svelte';
import type { GraphScene } from './graph';
import { drawnFrom, type Showing } from './graph-values';
import type { Drawn } from './matrix';
import { foundAt } from './why';

interface Options<Id extends string> extends Pick<FigureOptions<Id>, 'pin' | 'narrow'> {
  /** What the figure shows of each of its graphs; null until their values are computed. */
  readonly showing: () => readonly Showing<Id>[] | null;
}

export class LateGraphFigure<Id extends string> extends Figure<Id> {
  readonly #showing: Options<Id>['showing'];
  /** The matrices of all graphs; null until their values are computed. */
  readonly drawn: Readonly<Partial<Record<Id, Drawn>>> | null = $derived.by(() => {
    const all = this.#showing()?.map(drawnFrom);
    return all ? Object.assign({}, ...all) : null;
  });
  #Reader = $state.raw<typeof GraphScene<Id> | null>(null);
  readonly #readers: readonly GraphScene<Id>[] = $derived.by(() => {
    const Reader = this.#Reader;
    return (Reader && this.#showing()?.map((each) => new Reader(each))) ?? [];
  });

  constructor(options: Options<Id>) {
    const of = (id: Id) => this.#readers.find(({ drawn }) => id in drawn);
    super({
      ...options,
      there: (cell) => foundAt(this.drawn?.[cell.matrix], cell) !== null,
      why: (cell) => of(cell.matrix)?.why(cell) ?? null,
      sources: (cell) => of(cell.matrix)?.sources(cell) ?? [],
    });
    this.#showing = options.showing;
    $effect(() => {
      if (this.pointing.shown && !this.#Reader) void this.#load();
    });
  }

  async #load() {
    const { reader } = await import('./late-reader');
    this.#Reader = (await reader()).GraphScene;
  }
}
