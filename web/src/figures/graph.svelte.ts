// A figure of a graph: it asks the core for the values, and reads matrices, highlights, explanations, programs and
// costs from the graph.
import { Query } from '../compute/page/query.svelte';
import type { Lessons } from '../compute/shared/lesson-protocol';
import { Figure, type FigureOptions } from './figure.svelte';
import { costOf, foundOf, GraphScene, programsOf, type Found, type Shown } from './graph';

interface Options<Id extends string> extends Pick<FigureOptions<Id>, 'pin' | 'narrow'> {
  /** The graph to compute, and its inputs. */
  readonly ask: () => Lessons['graph']['ask'];
  /** Its matrices, in the order in which they are computed. */
  readonly shown: (found: Found) => Readonly<Partial<Record<Id, Shown>>>;
  /** Their index in the axes before rows and columns. */
  readonly front?: () => readonly number[];
}

export class GraphFigure<Id extends string> extends Figure<Id> {
  readonly #answer: Query<'graph'>;
  readonly #options: Options<Id>;
  /** Null until its values are computed. */
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
    this.#answer = new Query('graph', options.ask);
  }

  get found(): Found | null {
    return foundOf(this.#answer);
  }
  /** The cost of all computed values. */
  get cost() {
    return this.found && costOf(this.found);
  }

  /** Programs elsewhere that compute some of its values. */
  programs(about: string, show: readonly string[]) {
    return this.found ? programsOf(about, this.found, show) : {};
  }
}
