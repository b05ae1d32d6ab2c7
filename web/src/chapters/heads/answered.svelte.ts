// The core's answer for the current words, asked once for all figures of the chapter.
import { getContext, setContext } from 'svelte';
import { divisions, headWidth, heads } from '../../compute/shared/handmade/heads-circuit';
import type { HeadsAnswer, HeadsAsk } from '../../compute/worker/lessons/heads';
import { Query, unchanging } from '../../compute/page/query.svelte';
import type { OpenChapter } from '../../shell/chapter.svelte';
import type { HeadsState } from '../../state/heads';
import { askOf, sequenceOf, type Sequence } from './model';

export interface Shown {
  readonly now: HeadsAnswer;
  readonly sequence: Sequence;
}

export class Answered {
  readonly #model: OpenChapter<HeadsState>;
  readonly #text = $derived.by(() => this.#model.state.text);
  readonly #batch = $derived.by(() => this.#model.state.batch);
  readonly #question = unchanging(() => askOf(this.#model.state));
  readonly #ask = $derived(this.#question());
  readonly #answer: Query<'heads'>;
  /** The current words. */
  readonly sequence: Sequence = $derived(sequenceOf(this.#text, this.#batch));
  /** The words of each question. */
  readonly #askedOf = new WeakMap<HeadsAsk, Sequence>();
  /** The newest answer: that for other words, until the current ones have theirs; null if there are no words. */
  readonly shown: Shown | null = $derived.by(() => {
    const { now, asked } = this.#answer;
    const sequence = asked && (asked === this.#ask ? this.sequence : this.#askedOf.get(asked));
    return this.#ask && now && sequence ? { now, sequence } : null;
  });

  /** Number of tokens with the start sign; null if there are no words. */
  readonly #tokens = $derived(this.#ask && this.#ask.ids.length + 1);
  /** The parameters on which the chapter's times depend. */
  readonly sizes = $derived(this.#tokens === null ? null : { tokens: this.#tokens });
  /** The sizes of attention alone, on one sequence, for every division. */
  readonly divided = $derived.by(() => {
    const tokens = this.#tokens;
    if (tokens === null) return null;
    const rest = { queries: tokens, keys: tokens, causal: true, method: 'full' } as const;
    return divisions.map((count) => ({
      ...rest,
      heads: count,
      width: (heads * headWidth) / count,
    }));
  });

  constructor(model: OpenChapter<HeadsState>) {
    this.#model = model;
    this.#answer = new Query('heads', () => {
      if (this.#ask) this.#askedOf.set(this.#ask, this.sequence);
      return this.#ask;
    });
  }
}

const key = Symbol('heads');

export const provideAnswered = (model: OpenChapter<HeadsState>): Answered =>
  setContext(key, new Answered(model));
export const useAnswered = (): Answered => getContext<Answered>(key);
