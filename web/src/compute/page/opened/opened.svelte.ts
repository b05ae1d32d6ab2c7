// The client of the open model: one at a time, for all figures of its chapter.
import type { Progress } from '../../worker/fetched';
import type { Begun, Outcome } from '../line';
import { Query, type Respondent } from '../query.svelte';
import { Session, type Part } from '../session.svelte';
import { trainingLine } from '../training/run.svelte';
import type { About, OpenedRequests, RequestKind, Source } from '../../shared/opened/protocol';

class OpenedModel extends Session<'opened', 'closed' | 'loading' | 'open' | 'failed'> {
  /** Bytes read so far, and their total. */
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<About | null>(null);
  /** The visitor's name of the model; null: the page's own model. */
  name = $state.raw<string | null>(null);

  /** The Worker's handle of the model; null until it is open. */
  #model: number | null = null;
  readonly #waiting = new Set<Begun<unknown>>();

  /** Takes requests about the model, which end with it. */
  readonly requests: Respondent = {
    about: () => this.about,
    begin: (kind, ask, hear, part) => {
      let begun: Begun<unknown> = { tell() {}, cancel() {} };
      if (this.#model === null) {
        hear({ what: 'cancelled' });
        return begun;
      }
      const settle = (outcome: Outcome) => {
        this.#waiting.delete(begun);
        hear(outcome);
      };
      begun = trainingLine.begin(kind, { model: this.#model, ask }, settle, part);
      this.#waiting.add(begun);
      return begun;
    },
  };

  constructor() {
    super('opened', trainingLine);
    this.state = 'closed';
  }

  open(source: Source, name: string | null = null): void {
    this.close();
    this.name = name;
    this.launch(source, 'loading');
  }

  close(): void {
    this.#end('closed');
    this.cancel();
  }

  /** The answer to a changing question; without a model no question is asked. */
  query<K extends RequestKind>(kind: K, ask: () => OpenedRequests[K]['ask'] | null): Query<K> {
    return new Query<K>(kind, () => this.about && (ask() as never), { to: this.requests });
  }

  /** A request in parts, of the component that is being created. Another model discards everything. */
  session<K extends RequestKind>(kind: K): Session<K> {
    const session = new Session(kind, this.requests);
    $effect(() => {
      void this.about;
      return () => session.reset();
    });
    return session;
  }

  protected override hear(part: Part<'opened'>): void {
    if (part.what === 'loading') {
      this.progress = part.progress;
      return;
    }
    this.#model = part.model;
    this.about = part.about;
    this.state = 'open';
  }

  protected override settle(outcome: Outcome<never>): void {
    if (outcome.what === 'cancelled') return;
    super.settle(outcome);
    this.#end('failed');
  }

  #end(state: 'closed' | 'failed'): void {
    this.state = state;
    this.about = this.progress = this.#model = null;
    for (const begun of this.#waiting) begun.cancel();
  }
}

/** The model stays open when the visitor leaves its chapter. */
export const opened = new OpenedModel();
