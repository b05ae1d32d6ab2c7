// The open story: its position, the values of its head, and the pinned cell.
import { Query } from '../compute/page/query.svelte';
import { openChapter, type OpenChapter } from '../shell/chapter.svelte';
import { decode, encode, type TourState } from '../state/tour';
import { inputsOf, story, type StoryId } from './graphs';

export class TourModel {
  readonly chapter: OpenChapter<TourState> = openChapter({ encode, decode });
  readonly state: TourState = $derived(this.chapter.address.state);
  // Derived separately: the scroll position changes with every frame, and must not cause a query.
  readonly #pulls = $derived(this.state.pulls);
  readonly #strict = $derived(this.state.strict);
  readonly #inputs = $derived(inputsOf({ pulls: this.#pulls, strict: this.#strict }));
  readonly #answer = new Query('graph', () => ({ graph: story, inputs: this.#inputs }));
  readonly values = $derived(this.#answer.now);
  readonly pinned = $derived(
    this.state.pin as { matrix: StoryId; row: number; col: number } | null,
  );

  look = (change: Partial<TourState>): void => this.chapter.look(change);

  choose = (word: number): void => this.look({ word: word + 1 });

  pull = (place: number, to: number): void =>
    this.look({ pulls: this.state.pulls.map((old, i) => (i === place ? to : old)) });

  /** Pins a cell; the same cell again unpins. */
  pin = (matrix: 'scores' | 'weights', col: number): void => {
    const { pinned } = this;
    const same = pinned?.matrix === matrix && pinned.col === col;
    this.look({ pin: same ? null : { matrix, row: 0, col } });
  };
}
