// What the chapter's figures show: what the model that is open makes of the text, or, before one is, what was computed of
// the opening sentence when the page was built.
import opening from '$opening';
import { getContext, setContext } from 'svelte';
import { opened, Reply } from '../../compute/opened/opened.svelte';
import { openingSampling, openingSeed, openingText } from '../../compute/opened/opening-text';
import type { About, Next, Reading, Sampling, TextAsk } from '../../compute/opened/protocol';
import { rootHref } from '../../shell/links';
import type { ModelState } from '../../state/model';
import { useModel } from './model';

/** Rows as long as the mask lets them be, in a square of zeros. */
function squares(packed: readonly number[], tokens: number, heads: number): Float32Array {
  const all = new Float32Array(heads * tokens * tokens);
  let from = 0;
  for (let row = 0; row < heads * tokens; ++row) {
    for (let col = 0; col <= row % tokens; ++col) all[row * tokens + col] = packed[from++];
  }
  return all;
}

const tokens = opening.reading.tokens.length;
const first: { about: About; reading: Reading; next: Next } = {
  about: opening.about,
  reading: {
    ...opening.reading,
    weights: opening.reading.weights.map((packed) =>
      squares(packed, tokens, opening.about.shape.heads),
    ),
  },
  next: opening.next,
};

/** Bytes that loading the shipped model takes. */
export const shippedBytes = opening.about.bytes;

/** Begins to load the shipped model. */
export function loadShipped(): void {
  const address = new URL(rootHref('models/gpt/'), location.href).href;
  opened.open({ address, bytes: opening.sizes });
}

const samplingOf = ({ temperature, topK, topP, minP }: ModelState): Sampling => ({
  ...{ temperature, topK, topP, minP },
});

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

  readonly #reading = new Reply('read', () => this.ask);
  readonly #nextAsk = $derived(
    this.ask && { ...this.ask, sampling: this.sampling, seed: this.seed },
  );
  readonly #next = new Reply('next', () => this.#nextAsk);

  readonly live = $derived(opened.about !== null && this.#reading.now !== null);
  readonly about = $derived(this.live ? opened.about! : first.about);
  readonly reading: Reading = $derived(this.#reading.now ?? first.reading);
  readonly next: Next = $derived(this.#next.now ?? first.next);
  /** What the figures show is what the address says. */
  readonly current = $derived(
    this.live
      ? this.#reading.asked === this.ask && this.#next.asked === this.#nextAsk
      : this.#text === openingText &&
          this.#then.length === 0 &&
          this.seed === openingSeed &&
          JSON.stringify(this.sampling) === JSON.stringify(openingSampling),
  );
  readonly why = $derived(this.#reading.why ?? this.#next.why);
}

const key = Symbol('shown');
export const provideShown = () => setContext(key, new Shown());
export const useShown = () => getContext<Shown>(key);
