// A session of chapter "Meaning": it loads, describes itself, and shows the view that is asked for.
import { untrack } from 'svelte';
import { asks } from '../asking';
import type { Progress } from '../../worker/fetched';
import type { Outcome } from '../line';
import { unchanging } from '../query.svelte';
import { Session, type Ask, type Part, type Told } from '../session.svelte';
import { trainingLine } from '../training/run.svelte';
import type { MeaningSessions } from '../../shared/meaning/protocol';

type Kind = keyof MeaningSessions;
type Query<K extends Kind> = MeaningSessions[K]['ask']['query'];

/** `State` adds to the states that all of them have. */
export abstract class Looked<K extends Kind, State extends string> extends Session<
  K,
  State | 'loading' | 'failed'
> {
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<Extract<Part<K>, { about: unknown }>['about'] | null>(null);
  view = $state.raw<Extract<Part<K>, { view: unknown }>['view'] | null>(null);

  /** The newest query. Nothing answers it by itself: sooner or later a view of it is shown. */
  #newest = '';

  constructor(kind: K, first: State) {
    super(kind, trainingLine);
    this.state = first;
  }

  /** Ends the previous session, and starts another. */
  protected load(ask: Ask<K>): void {
    this.leave();
    this.launch(ask, 'loading');
  }

  protected leave(): void {
    this.cancel();
    asks(this, false);
    this.progress = this.about = null;
  }

  protected override settle(outcome: Outcome<never>): void {
    if (outcome.what === 'cancelled') return;
    asks(this, false);
    super.settle(outcome);
  }

  protected override hear(part: Part<K>): void {
    if ('progress' in part) this.progress = part.progress;
    else if ('about' in part) this.about = part.about as typeof this.about;
    else if ('view' in part) {
      this.view = part.view as typeof this.view;
      if (JSON.stringify(part.view.query) === this.#newest) asks(this, false);
    }
  }

  look(query: Query<K>): void {
    if (!this.isOpen) return;
    this.#newest = JSON.stringify(query);
    asks(this, true);
    this.tell(query as Told<K>);
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
