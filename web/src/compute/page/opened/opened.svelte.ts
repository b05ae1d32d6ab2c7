// The client of the open model: one at a time, for all figures of its chapter.
import { untrack } from 'svelte';
import { asks } from '../asking';
import type { Progress } from '../../worker/fetched';
import type { Begun } from '../line';
import { whyOf } from '../session.svelte';
import { trainingLine } from '../training/run.svelte';
import type {
  About,
  OpenedRequests,
  OpenedSaid,
  OpenedTold,
  RequestKind,
  Source,
} from '../../shared/opened/protocol';

interface Waiting {
  readonly hear: (answer: unknown, why: string | null) => void;
  readonly part: ((part: unknown) => void) | undefined;
}

class OpenedModel {
  state = $state.raw<'closed' | 'loading' | 'open' | 'failed'>('closed');
  /** Bytes read so far, and their total. */
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<About | null>(null);
  failure = $state.raw('');
  /** The visitor's name of the model; null: the page's own model. */
  name = $state.raw<string | null>(null);

  #session: Begun<unknown> | null = null;
  #run = 0;
  #newest = 0;
  readonly #waiting = new Map<number, Waiting>();

  open(source: Source, name: string | null = null): void {
    this.close();
    const run = ++this.#run;
    this.state = 'loading';
    this.name = name;
    this.#session = trainingLine.begin(
      'opened',
      source,
      (outcome) => {
        if (this.#run !== run || outcome.what === 'cancelled') return;
        this.failure = outcome.what === 'failed' ? whyOf(outcome.failure) : '';
        this.#ended('failed');
      },
      (message) => this.#run === run && this.#hear(message as OpenedSaid),
    );
  }

  close(): void {
    ++this.#run;
    this.#session?.cancel();
    this.#session = null;
    this.#ended('closed');
  }

  /** Calls `hear` with the answer, or with the reason why there is none; the result drops the question. */
  ask<K extends RequestKind>(
    kind: K,
    ask: OpenedRequests[K]['ask'],
    hear: (answer: OpenedRequests[K]['answer'] | null, why: string | null) => void,
    part?: (part: OpenedRequests[K]['part']) => void,
  ): () => void {
    const id = ++this.#newest;
    this.#waiting.set(id, { hear: hear as Waiting['hear'], part: part as Waiting['part'] });
    this.#changed();
    this.#tell({ what: 'ask', id, kind, ask });
    return () => {
      if (this.#leave(id)) this.#tell({ what: 'drop', id });
    };
  }

  #leave(id: number): boolean {
    const waited = this.#waiting.delete(id);
    this.#changed();
    return waited;
  }

  /** A question that is answered part by part may take long, so it does not count as waiting. */
  #changed(): void {
    asks(
      this,
      [...this.#waiting.values()].some(({ part }) => !part),
    );
  }

  #tell(told: OpenedTold): void {
    this.#session?.tell(told);
  }

  #ended(state: 'closed' | 'failed'): void {
    this.state = state;
    this.about = null;
    this.progress = null;
    this.#waiting.clear();
    this.#changed();
  }

  #hear(message: OpenedSaid): void {
    if (message.what === 'loading') {
      this.progress = message.progress;
    } else if (message.what === 'open') {
      this.about = message.about;
      this.state = 'open';
    } else {
      const waiting = this.#waiting.get(message.id);
      if (message.what === 'part') return waiting?.part?.(message.part);
      this.#leave(message.id);
      if (message.what === 'answer') waiting?.hear(message.answer, null);
      else waiting?.hear(null, message.why);
    }
  }
}

/** The model stays open when the visitor leaves its chapter. */
export const opened = new OpenedModel();

/** The answer to a changing question: it stays until the next one is there. Only the newest question is asked. */
export class Reply<K extends RequestKind> {
  now = $state.raw<OpenedRequests[K]['answer'] | null>(null);
  /** The question of the current answer. */
  asked = $state.raw<OpenedRequests[K]['ask'] | null>(null);
  why = $state.raw<string | null>(null);
  busy = $state.raw(false);

  readonly #kind: K;
  #next: OpenedRequests[K]['ask'] | null = null;
  #drop: (() => void) | null = null;

  /** `ask` returns the question, or null if there is nothing to ask; without a model no question is asked. */
  constructor(kind: K, ask: () => OpenedRequests[K]['ask'] | null) {
    this.#kind = kind;
    $effect(() => {
      const about = opened.about;
      const question = ask();
      untrack(() => {
        if (!about) {
          this.now = this.asked = null;
          this.#end();
        } else if (question !== null) this.#put(question);
      });
    });
    $effect(() => () => this.#end());
  }

  #end(): void {
    this.#drop?.();
    this.#drop = this.#next = null;
    this.busy = false;
  }

  #put(question: OpenedRequests[K]['ask']): void {
    this.#next = question;
    if (!this.#drop) this.#send();
  }

  #send(): void {
    const question = this.#next;
    this.#next = null;
    this.busy = question !== null;
    if (question === null) return;
    this.#drop = opened.ask(this.#kind, question, (answer, why) => {
      this.#drop = null;
      this.why = why;
      if (answer !== null) {
        this.now = answer;
        this.asked = question;
      }
      this.#send();
    });
  }
}
