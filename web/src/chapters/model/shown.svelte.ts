// What the chapter's figures show: what the model that is open makes of the text, or, before one is, what was computed of
// the opening sentence when the page was built.
import opening from '$opening';
import { getContext, setContext } from 'svelte';
import { opened, Reply } from '../../compute/page/opened/opened.svelte';
import {
  openingSampling,
  openingSeed,
  openingText,
} from '../../compute/shared/opened/opening-text';
import { unpacked } from '../../compute/shared/opened/packed';
import type { Next, Reading, Sampling, TextAsk } from '../../compute/shared/opened/protocol';
import { rootHref } from '../../shell/links';
import type { ModelState } from '../../state/model';
import { offOf, partOf } from './parts';
import { useModel } from './model';

const first = unpacked(opening);

/** The model that the page was made with. */
export const shipped = first.about;

/** Begins to load the shipped model. */
export function loadShipped(): void {
  const address = new URL(rootHref('models/gpt/'), location.href).href;
  opened.open({ address, bytes: first.sizes });
}

const samplingOf = ({ temperature, topK, topP, minP }: ModelState): Sampling => ({
  ...{ temperature, topK, topP, minP },
});

/** A text as it was read; without all weights where no model is open. */
export type Shows = Omit<Reading, 'weights'> & Partial<Pick<Reading, 'weights'>>;

export class Shown {
  readonly #model = useModel();
  readonly #text = $derived(this.#model.state.text);
  readonly #then = $derived(this.#model.state.then);
  /** The text that stands in the address; null where it has no token. */
  readonly ask: TextAsk | null = $derived(
    this.#text.trim() === '' && this.#then.length === 0
      ? null
      : { text: this.#text, then: this.#then },
  );
  readonly sampling = $derived(samplingOf(this.#model.state));
  /** Each token has a die of its own. */
  readonly seed = $derived(this.#model.state.seed + this.#then.length);

  /** Parts that the open model has, and that are switched off. */
  readonly off: readonly string[] = $derived(
    opened.about ? offOf(this.#model.state.off, opened.about.shape) : [],
  );
  readonly #cutAsk: TextAsk | null = $derived(
    this.ask && this.off.length > 0
      ? { ...this.ask, changes: { without: this.off.map(partOf) } }
      : null,
  );
  readonly #reading = new Reply('read', () => this.ask);
  readonly #cutReading = new Reply('read', () => this.#cutAsk);
  readonly #nextAsk = $derived.by(() => {
    const ask = this.#cutAsk ?? this.ask;
    return ask && { ...ask, sampling: this.sampling, seed: this.seed };
  });
  readonly #next = new Reply('next', () => this.#nextAsk);

  readonly live = $derived(opened.about !== null && this.#reading.now !== null);
  readonly about = $derived(this.live ? opened.about! : first.about);
  /** With every part on; without its weights before a model is open. */
  readonly whole: Shows = $derived(this.#reading.now ?? first.reading);
  /** Of the same text as `whole`. */
  readonly #cut = $derived(
    this.#cutAsk &&
      this.#cutReading.asked?.text === this.#reading.asked?.text &&
      this.#cutReading.asked?.then.join() === this.#reading.asked?.then.join()
      ? this.#cutReading.now
      : null,
  );
  readonly reading: Shows = $derived(this.#cut ?? this.whole);
  /** What to hold `reading` against while parts are off. */
  readonly before: Shows | null = $derived(this.#cut && this.whole);
  readonly next: Next = $derived(this.#next.now ?? first.next);
  /** What the figures show is what the address says. */
  readonly current = $derived(
    this.live
      ? this.#reading.asked === this.ask &&
          (this.#cutAsk === null || this.#cutReading.asked === this.#cutAsk) &&
          this.#next.asked === this.#nextAsk
      : this.#text === openingText &&
          this.#then.length === 0 &&
          this.seed === openingSeed &&
          JSON.stringify(this.sampling) === JSON.stringify(openingSampling),
  );
  /** The opening sentence stands there, and no other model is open than the one that the page was made with. */
  readonly first = $derived(
    opened.about === null ||
      (opened.name === null && this.#text === openingText && this.#then.length === 0),
  );
  readonly why = $derived(this.#reading.why ?? this.#cutReading.why ?? this.#next.why);
}

const key = Symbol('shown');
export const provideShown = () => setContext(key, new Shown());
export const useShown = () => getContext<Shown>(key);
