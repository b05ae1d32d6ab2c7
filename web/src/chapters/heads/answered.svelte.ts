// What the core has answered for the words at hand, asked once for all figures of the chapter.
import { getContext, setContext } from 'svelte';
import type { HeadsAnswer } from '../../compute/lessons/heads';
import { Answer } from '../../compute/lessons.svelte';
import type { OpenChapter } from '../../shell/chapter.svelte';
import type { HeadsState } from '../../state/heads';
import { askOf, inputsOf, sequenceOf, type Sequence } from './model';

export class Answered {
  readonly #model: OpenChapter<HeadsState>;
  readonly #text = $derived.by(() => this.#model.state.text);
  readonly #batch = $derived.by(() => this.#model.state.batch);
  readonly #inputs = $derived.by(() => inputsOf(this.#model.state));
  readonly #ask = $derived(askOf(this.#inputs));
  readonly #answer: Answer<'heads'>;
  readonly sequence: Sequence = $derived(sequenceOf(this.#text, this.#batch));
  /** Null while there is none for these words. */
  readonly now: HeadsAnswer | null = $derived.by(() => {
    const { now, asked } = this.#answer;
    const ask = this.#ask;
    const same = ask?.batch === asked?.batch && ask?.ids.join() === asked?.ids.join();
    return same ? now : null;
  });

  constructor(model: OpenChapter<HeadsState>) {
    this.#model = model;
    this.#answer = new Answer('heads', () => this.#ask);
  }

  /** Of the sequence that is looked at, start sign first. */
  get labels(): readonly string[] {
    return this.sequence.labels;
  }
}

const key = Symbol('heads');

export const provideAnswered = (model: OpenChapter<HeadsState>): Answered =>
  setContext(key, new Answered(model));
export const useAnswered = (): Answered => getContext<Answered>(key);
