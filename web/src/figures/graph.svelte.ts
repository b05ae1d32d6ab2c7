// A figure of what a graph computes: the core is asked for its values, and matrices, what lights up, reasons, programs and costs
// are read from it.
import { GraphAnswer } from '../compute/page/lessons.svelte';
import type { Lessons } from '../compute/shared/lesson-protocol';
import { Figure, type FigureOptions } from './figure.svelte';
import { costOf, GraphScene, programsOf, type Found, type Shown } from './graph';

interface Options<Id extends string> extends Pick<FigureOptions<Id>, 'pin' | 'narrow'> {
  /** What is computed, and of what. */
  readonly ask: () => Lessons['graph']['ask'];
  /** Its matrices, in the order in which they are made. */
  readonly shown: (found: Found) => Readonly<Partial<Record<Id, Shown>>>;
  /** Where they are in the axes before rows and columns. */
  readonly front?: () => readonly number[];
}

export class GraphFigure<Id extends string> extends Figure<Id> {
  readonly #answer: GraphAnswer;
  readonly #options: Options<Id>;
  /** Null until its values are there. */
  readonly scene: GraphScene<Id> | null = $derived.by(() => {
    const { found } = this;
    const { shown, front } = this.#options;
    return found && new GraphScene({ ...found, front: front?.(), shown: shown(found) });
  });

  constructor(options: Options<Id>) {
    super({
      ...options,
      why: (cell) => this.scene && this.scene.why(cell),
      sources: (cell) => this.scene!.sources(cell),
    });
    this.#options = options;
    this.#answer = new GraphAnswer(options.ask);
  }

  get found(): Found | null {
    return this.#answer.found;
  }
  /** Of all that is computed. */
  get cost() {
    return this.found && costOf(this.found);
  }

  /** Programs elsewhere that compute some of its values. */
  programs(about: string, show: readonly string[]) {
    return this.found ? programsOf(about, this.found, show) : {};
  }
}
