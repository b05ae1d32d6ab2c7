// The data of the chapter's figures: the open model's results for the text, or, before a model is open, prerendered
// results for the opening sentence.
import opening from '$opening';
import { getContext, setContext } from 'svelte';
import { opened } from '../../compute/page/opened/opened.svelte';
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

/** The model used for prerendering. */
export const shipped = first.about;

/** Begins to load the shipped model. */
export function loadShipped(): void {
  const address = new URL(rootHref('models/gpt/'), location.href).href;
  opened.open({ address, bytes: first.sizes });
}

const samplingOf = ({ temperature, topK, topP, minP }: ModelState): Sampling => ({
  ...{ temperature, topK, topP, minP },
});

/** A reading of a text; without the weights if no model is open. */
export type Shows = Omit<Reading, 'weights'> & Partial<Pick<Reading, 'weights'>>;

export class Shown {
  readonly #model = useModel();
  readonly #text = $derived(this.#model.state.text);
  readonly #then = $derived(this.#model.state.then);
  /** The text in the address; null if it has no token. */
  readonly ask: TextAsk | null = $derived(
    this.#text.trim() === '' && this.#then.length === 0
      ? null
      : { text: this.#text, then: this.#then },
  );
  readonly sampling = $derived(samplingOf(this.#model.state));
  /** Each token has its own random number. */
  readonly seed = $derived(this.#model.state.seed + this.#then.length);

  /** Parts of the open model that are switched off. */
  readonly off: readonly string[] = $derived(
    opened.about ? offOf(this.#model.state.off, opened.about.shape) : [],
  );
  readonly #cutAsk: TextAsk | null = $derived(
    this.ask && this.off.length > 0
      ? { ...this.ask, changes: { without: this.off.map(partOf) } }
      : null,
  );
  readonly #reading = opened.query('read', () => this.ask);
  readonly #cutReading = opened.query('read', () => this.#cutAsk);
  readonly #nextAsk = $derived.by(() => {
    const ask = this.#cutAsk ?? this.ask;
    return ask && { ...ask, sampling: this.sampling, seed: this.seed };
  });
  readonly #next = opened.query('next', () => this.#nextAsk);

  readonly live = $derived(opened.about !== null && this.#reading.now !== null);
  readonly about = $derived(this.live ? opened.about! : first.about);
  /** The reading with every part on; without its weights before a model is open. */
  readonly whole: Shows = $derived(this.#reading.now ?? first.reading);
  /** The reading with parts off, if it belongs to the same text as `whole`. */
  readonly #cut = $derived(
    this.#cutAsk &&
      this.#cutReading.asked?.text === this.#reading.asked?.text &&
      this.#cutReading.asked?.then.join() === this.#reading.asked?.then.join()
      ? this.#cutReading.now
      : null,
  );
  readonly reading: Shows = $derived(this.#cut ?? this.whole);
  /** The reading to compare with `reading` while parts are off. */
  readonly before: Shows | null = $derived(this.#cut && this.whole);
  readonly next: Next = $derived(this.#next.now ?? first.next);
  /** The figures show the state in the address. */
  readonly current = $derived(
    this.live
      ? this.#reading.current !== null &&
          (this.#cutAsk === null || this.#cutReading.current !== null) &&
          this.#next.current !== null
      : this.#text === openingText &&
          this.#then.length === 0 &&
          this.seed === openingSeed &&
          JSON.stringify(this.sampling) === JSON.stringify(openingSampling),
  );
  /** No model is open, or the shipped one is and the text is the opening sentence. */
  readonly first = $derived(
    opened.about === null ||
      (opened.name === null && this.#text === openingText && this.#then.length === 0),
  );
  readonly why = $derived(
    (this.#reading.error ?? this.#cutReading.error ?? this.#next.error)?.message,
  );
}

const key = Symbol('shown');
export const provideShown = () => setContext(key, new Shown());
export const useShown = () => getContext<Shown>(key);
