// A figure of the values of graphs. The reader of graphs is larger than what draws the values, and is loaded when a cell is pointed at
// for the first time.
import type { Cell } from '../state/cell';
import { Figure, type FigureOptions } from './figure.svelte';
import type { GraphScene } from './graph';
import { drawnFrom, saidAt, type Showing } from './graph-values';
import type { Drawn } from './matrix';
import type { Mark } from './pointing.svelte';
import { foundAt, type Why } from './why';

interface Options<Id extends string> extends Pick<FigureOptions<Id>, 'pin' | 'narrow' | 'resting'> {
  /** What the figure shows of each of its graphs; null until their values are computed. */
  readonly showing: () => readonly Showing<Id>[] | null;
  /** The marks of the cell at rest, until the reader is loaded. */
  readonly marks?: (cell: Cell<Id>) => readonly Mark[];
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

  constructor({ marks = () => [], ...options }: Options<Id>) {
    const of = (id: Id) => this.#readers.find(({ drawn }) => id in drawn);
    super({
      ...options,
      there: (cell) => foundAt(this.drawn?.[cell.matrix], cell) !== null,
      why: (cell) => (this.#Reader ? (of(cell.matrix)?.why(cell) ?? null) : this.#said(cell)),
      sources: (cell) => of(cell.matrix)?.sources(cell) ?? (this.#isTouched() ? [] : marks(cell)),
    });
    this.#showing = options.showing;
    $effect(() => {
      if (this.#isTouched() && !this.#Reader) void this.#load();
    });
  }

  #isTouched(): boolean {
    const { pinned, active, example } = this.pointing;
    return (pinned ?? active ?? example) !== null;
  }

  /** Before the reader is loaded, the explanation of a cell whose matrix has its own words for it; null for other cells. */
  #said(cell: Cell<Id>): Why | null {
    const shown = this.#showing()?.find((each) => cell.matrix in each.shown)?.shown[cell.matrix];
    return shown ? saidAt(this.drawn?.[cell.matrix], shown, cell) : null;
  }

  async #load() {
    const { reader } = await import('./late-reader');
    this.#Reader = (await reader()).GraphScene;
  }
}
