// One sentence, read by four heads: the queries to the core follow from the address, as everywhere.
import { getContext, setContext } from 'svelte';
import { Query } from '../../compute/page/query.svelte';
import {
  contentWidth,
  headIds,
  headWeights,
  type HeadId,
} from '../../compute/shared/handmade/attend-heads';
import type { AttendRequest } from '../../compute/page/protocol';
import { tokenize, type Tokens } from '../../entered/tokens';
import { openChapter, type OpenChapter } from '../../shell/chapter.svelte';
import { decode, encode, mostWords, strict, type HomeState } from '../../state/home';
import { requestOf } from '../../entered/attend';
import { sceneOf, type Scene } from '../../scenes/attend/scene';

/** The first words, as many as fit on one line. */
function wordsOf(typed: string): Tokens {
  const { tokens, ids, ...rest } = tokenize(typed, 'words');
  return { ...rest, tokens: tokens.slice(0, mostWords), ids: ids.slice(0, mostWords) };
}

/** One head's reading, which keeps the last answer until the core has the next. */
class Reader {
  readonly #unedited;
  readonly #entered = new WeakMap<AttendRequest, Tokens>();
  readonly #answer: Query<'attend'>;

  constructor(head: HeadId, words: () => Tokens) {
    const weights = headWeights(head, contentWidth, true, { strict });
    this.#unedited = weights;
    this.#answer = new Query('attend', () => {
      const entered = words();
      if (entered.tokens.length === 0) return null;
      const request = requestOf(entered, weights, true);
      this.#entered.set(request, entered);
      return request;
    });
  }

  readonly scene: Scene | null = $derived.by(() => {
    const { asked, now } = this.#answer;
    if (!asked || !now) return null;
    const entered = this.#entered.get(asked)!;
    return sceneOf({ entered, causal: true, result: now, before: null, unedited: this.#unedited });
  });
}

class HomeModel {
  readonly chapter: OpenChapter<HomeState> = openChapter({ encode, decode });
  readonly state: HomeState = $derived(this.chapter.address.state);
  readonly #say = $derived(this.state.say);
  readonly words: Tokens = $derived(wordsOf(this.#say));
  readonly readers: Readonly<Record<HeadId, Reader>>;
  readonly scene = $derived.by(() => this.readers[this.state.like].scene);
  /** Indices of the touched word, and of the one whose weight is explained (or -1). */
  readonly row = $derived(Math.min(this.state.word || Infinity, this.scene?.length ?? 1) - 1);
  readonly asked = $derived(Math.min(this.state.why - 1, this.row));

  constructor() {
    const entries = headIds.map((head) => [head, new Reader(head, () => this.words)]);
    this.readers = Object.fromEntries(entries) as Record<HeadId, Reader>;
  }
}

const key = Symbol('home');
export const provideModel = (): HomeModel => setContext(key, new HomeModel());
export const useModel = (): HomeModel => getContext<HomeModel>(key);
