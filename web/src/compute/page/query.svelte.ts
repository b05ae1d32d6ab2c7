// A question to a Worker, as it changes, and its answer.
import { browser } from '$app/environment';
import { untrack } from 'svelte';
import { isSame } from './kept';
import { useLessons } from './lessons.svelte';
import type { Begun, Channel, Outcome } from './line';
import { made } from './made';
import type { Failure } from './protocol';
import type { OwnAsk } from '../worker/lessons/check';
import type { Kind, Lessons, Sessions } from '../shared/lesson-protocol';
import type { OpenedRequests } from '../shared/opened/protocol';
import type { TrainingQuestions } from '../shared/training/protocol';

/** Every kind of question with its answer, and with the parts before it if it has any. */
interface Questions extends Lessons, OpenedRequests, TrainingQuestions {
  own: Pick<Sessions['own'], 'part' | 'answer'> & { ask: OwnAsk };
}

type Ask<K extends keyof Questions> = Questions[K]['ask'];
type Answer<K extends keyof Questions> = Questions[K]['answer'];
type Part<K extends keyof Questions> = Questions[K] extends { part: infer Part } ? Part : never;

interface Options<K extends keyof Questions> {
  /** Default: the lessons' client. */
  readonly to?: Channel;
  /** Calls `ask` when the question may be asked (default: at once). The result cancels that. */
  readonly when?: (ask: () => void) => (() => void) | undefined;
  /**
   * Converts a question with parts to the message for the Worker. Such a question takes long: a newer one cancels it,
   * and so can the visitor.
   */
  readonly parts?: (ask: Ask<K>) => unknown;
}

/** The value of `make`, which stays the same object as long as its content is equal. */
export function unchanging<T>(make: () => T): () => T {
  let last: T;
  const now = $derived.by(() => {
    const next = make();
    return isSame(next, last) ? last : (last = next);
  });
  return () => now;
}

/**
 * The answer to a changing question stays until the next one is there. Only the newest question is sent when the Worker
 * is free, so that a slider never queues up.
 */
export class Query<K extends keyof Questions> {
  state = $state.raw<'idle' | 'running' | 'answered' | 'failed' | 'cancelled'>('idle');
  /** The last part before the next answer. */
  part = $state.raw<Part<K> | null>(null);
  /** The reason why the last question has no answer. */
  error = $state.raw<Failure | null>(null);
  /** The last answer, and its question. */
  #found = $state.raw<{ readonly answer: Answer<K> | null; readonly asked: Ask<K> } | null>(null);

  readonly #kind: K;
  readonly #to: Channel;
  readonly #ask: () => Ask<K> | null;
  readonly #question: Ask<K> | null = $derived.by(() => this.#ask());
  readonly #parts: Options<K>['parts'];
  #begun: Begun<unknown> | null = null;
  /** The question to be answered, in its newest version; null if it has failed. */
  #wanted: Ask<K> | null = null;
  /** The newest question, until the Worker is free. */
  #next: Ask<K> | null = null;

  /** `ask` returns the question, or null if there is nothing to ask: then the last answer stays. */
  constructor(
    kind: K,
    ask: () => Ask<K> | null,
    { to = useLessons(), when, parts }: Options<K> = {},
  ) {
    this.#kind = kind;
    this.#to = to;
    this.#parts = parts;
    this.#ask = when ? unchanging(ask) : ask;
    if (!browser && !when && !parts) this.#make(ask());
    $effect(() => {
      void to.tries;
      const question = this.#question;
      if (question === null) return untrack(() => parts && this.cancel());
      if (when) return when(() => this.#put(question));
      untrack(() => this.#put(question));
    });
    $effect(() => () => this.cancel());
  }

  /** The last answer. */
  get now(): Answer<K> | null {
    return this.#found?.answer ?? null;
  }
  /** Its question. */
  get asked(): Ask<K> | null {
    return this.#found?.asked ?? null;
  }
  /** The answer to the current question; null until it is there. */
  get current(): Answer<K> | null {
    return isSame(this.asked, this.#question) ? this.now : null;
  }

  cancel(): void {
    this.#next = null;
    this.#begun?.cancel();
  }

  /** Forgets the last answer. */
  reset(): void {
    this.cancel();
    this.#found = this.#wanted = null;
  }

  /** Asks the current question once more. */
  again(): void {
    this.#wanted = null;
    if (this.#question !== null) this.#put(this.#question);
  }

  /** Answers during prerendering, where there is no Worker, and effects do not run. */
  #make(question: Ask<K> | null): void {
    if (question === null) return;
    const answer = made.answer(this.#kind as Kind, question as never) as Answer<K> | null;
    this.#found = { answer, asked: question };
  }

  /** A question equal to the last is not asked again, unless it had no answer. */
  #put(question: Ask<K>): void {
    const isNew = !(this.#parts ? Object.is : isSame)(question, this.#wanted);
    if (isNew && this.#parts) this.cancel();
    this.#wanted = question;
    if (isNew) {
      this.#next = question;
      this.#send();
    } else if (!this.#begun && this.#found) {
      this.#found = { ...this.#found, asked: question };
    }
  }

  #send(): void {
    const question = this.#next;
    if (this.#begun || question === null) return;
    this.#next = null;
    this.state = 'running';
    this.part = null;
    if (this.#parts) this.error = null;
    let over = false;
    const hear = (outcome: Outcome) => {
      over = true;
      this.#begun = null;
      this.#settle(question, outcome);
      this.#send();
    };
    const parts = this.#parts && ((part: unknown) => (this.part = part as Part<K>));
    const message = this.#parts ? this.#parts(question) : question;
    const begun = this.#to.begin(this.#kind, message, hear, parts);
    if (!over) this.#begun = begun;
  }

  #settle(question: Ask<K>, outcome: Outcome): void {
    const isLast = this.#next === null;
    this.state = outcome.what === 'answer' ? 'answered' : outcome.what;
    if (outcome.what === 'answer') {
      this.error = null;
      const asked = isLast ? this.#wanted! : question;
      this.#found = { answer: outcome.answer as Answer<K>, asked };
      return;
    }
    if (outcome.what === 'failed') this.error = outcome.failure;
    if (isLast) this.#wanted = null;
  }
}
