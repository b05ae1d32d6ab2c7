// The client of the open model: one at a time, for all figures of its chapter.
import type { Progress } from '../../worker/fetched';
import type { Channel, Outcome } from '../line';
import { Query } from '../query.svelte';
import { Session, type Part } from '../session.svelte';
import { trainingLine } from '../training/run.svelte';
import type {
  About,
  OpenedParts,
  OpenedRequests,
  RequestKind,
  Source,
} from '../../shared/opened/protocol';

class OpenedModel extends Session<'opened', 'closed' | 'loading' | 'open' | 'failed'> {
  /** Bytes read so far, and their total. */
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<About | null>(null);
  /** The visitor's name of the model; null: the page's own model. */
  name = $state.raw<string | null>(null);

  /** The Worker's handle of the model; null until it is open. */
  #model: number | null = null;
  /** Queries and sessions about the model. */
  readonly dependents = new Set<{ reset(): void }>();
  /** Takes requests about the model. */
  readonly requests: Channel = {
    begin: (kind, ask, hear, part) =>
      trainingLine.begin(kind, { model: this.#model, ask }, hear, part),
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
    return this.#attach(
      new Query<K>(kind, () => this.about && (ask() as never), { to: this.requests }),
    );
  }

  /** A request in parts. */
  session<K extends keyof OpenedParts>(kind: K): Session<K> {
    return this.#attach(new Session(kind, this.requests));
  }

  /** It belongs to the component that is being created. */
  #attach<One extends { reset(): void }>(one: One): One {
    $effect(() => {
      this.dependents.add(one);
      return () => {
        this.dependents.delete(one);
        one.reset();
      };
    });
    return one;
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
    for (const one of this.dependents) one.reset();
  }
}

/** The model stays open when the visitor leaves its chapter. */
export const opened = new OpenedModel();
