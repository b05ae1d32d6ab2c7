// Common client of the sessions of chapter "Meaning": each loads, describes itself, and shows the view that is asked
// for.
import { untrack } from 'svelte';
import { Looking } from '../asking';
import type { Progress } from '../../worker/fetched';
import { unchanging } from '../query.svelte';
import type { Begun } from '../line';
import { trainingLine, whyOf } from '../training/run.svelte';
import type { MeaningSessions } from '../../shared/meaning/protocol';

type Kind = keyof MeaningSessions;
type Said<K extends Kind> = MeaningSessions[K]['said'];
type Query<K extends Kind> = MeaningSessions[K]['ask']['query'];

/** `State` adds to the states that all have. */
export abstract class Looked<K extends Kind, State extends string> {
  state: State | 'loading' | 'failed';
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<Extract<Said<K>, { about: unknown }>['about'] | null>(null);
  view = $state.raw<Extract<Said<K>, { view: unknown }>['view'] | null>(null);
  failure = $state.raw('');

  readonly #kind: K;
  #session: Begun<MeaningSessions[K]['told']> | null = null;
  #run = 0;
  readonly #looking = new Looking<Query<K>>();

  constructor(kind: K, first: State) {
    this.#kind = kind;
    this.state = $state.raw<State | 'loading' | 'failed'>(first);
  }

  /** Ends the previous session, and starts another. */
  protected start(ask: MeaningSessions[K]['ask']): void {
    this.leave();
    const run = this.#run;
    this.state = 'loading';
    this.#session = trainingLine.line.begin(
      this.#kind,
      ask,
      (outcome) => {
        if (this.#run !== run || outcome.what !== 'failed') return;
        this.#looking.over();
        this.failure = whyOf(outcome.failure);
        this.state = 'failed';
      },
      (message) => this.#run === run && this.hear(message as Said<K>),
    ) as Begun<MeaningSessions[K]['told']>;
  }

  protected leave(): void {
    ++this.#run;
    this.#session?.cancel();
    this.#session = null;
    this.#looking.over();
    this.progress = this.about = null;
  }

  protected hear(said: Said<K>): void {
    if ('progress' in said) this.progress = said.progress;
    else if ('about' in said) this.about = said.about as typeof this.about;
    else if ('view' in said) {
      this.view = said.view as typeof this.view;
      this.#looking.shows(said.view.query as Query<K>);
    }
  }

  protected tell(told: MeaningSessions[K]['told']): void {
    this.#session?.tell(told);
  }

  look(query: Query<K>): void {
    if (!this.#session || this.state === 'failed') return;
    this.#looking.at(query);
    this.tell(query);
  }

  /** Shows the view for a query, as it changes. */
  follow(query: () => Query<K>): void {
    const asked = unchanging(query);
    $effect(() => {
      const now = asked();
      untrack(() => this.look(now));
    });
  }
}
