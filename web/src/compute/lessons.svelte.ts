// The page's side of the lessons' Worker: questions by kind, answered in order.
import { getContext, setContext } from 'svelte';
import type { FromLessons, Kind, Lessons, Question } from './lesson-protocol';
import type { Failure, Loaded } from './protocol';

interface Waiting {
  readonly kind: Kind;
  readonly hear: (answer: unknown) => void;
}

export class LessonClient {
  loaded = $state.raw<Loaded | null>(null);
  /** Why the newest question of some kind has no answer. */
  failure = $state.raw<(Failure & { readonly kind?: Kind }) | null>(null);

  readonly #worker = new Worker(new URL('./lesson-worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, Waiting>();
  #newest = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromLessons>) => {
      if (data.kind === 'loaded') this.loaded = data.loaded;
      else if (data.kind === 'notLoaded') this.failure = data.failure;
      else this.#settle(data);
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.failure = { message: event.message || 'The Worker that computes could not be started.' };
    });
  }

  /** `hear` gets the answer, or null where there is none. */
  ask<K extends Kind>(
    kind: K,
    ask: Lessons[K]['ask'],
    hear: (answer: Lessons[K]['answer'] | null) => void,
  ): void {
    const question: Question<K> = { id: ++this.#newest, kind, ask };
    this.#waiting.set(question.id, { kind, hear: hear as Waiting['hear'] });
    this.#worker.postMessage(question);
  }

  close(): void {
    this.#worker.terminate();
  }

  #settle(message: Extract<FromLessons, { id: number }>): void {
    const { kind, hear } = this.#waiting.get(message.id)!;
    this.#waiting.delete(message.id);
    if (message.kind === 'failed') this.failure = { ...message.failure, kind };
    else if (this.failure?.kind === kind) this.failure = null;
    hear(message.kind === 'answer' ? message.answer : null);
  }
}

/** The answer to a question that changes: stays until the next one is there. */
export class Answer<K extends Kind> {
  now = $state.raw<Lessons[K]['answer'] | null>(null);
  /** What it is the answer to. */
  asked = $state.raw<Lessons[K]['ask'] | null>(null);

  readonly #client = useLessons();
  readonly #kind: K;
  #busy = false;
  /** Asked meanwhile: only the newest is sent when the Worker is free, so that a slider never queues up. */
  #next: Lessons[K]['ask'] | null = null;
  #gone = false;

  /** `ask` gives the question, or null where there is nothing to ask: then what was answered stays. */
  constructor(kind: K, ask: () => Lessons[K]['ask'] | null) {
    this.#kind = kind;
    $effect(() => {
      const question = ask();
      if (question === null) return;
      this.#next = question;
      this.#send();
    });
    $effect(() => () => {
      this.#gone = true;
    });
  }

  #send(): void {
    if (this.#busy || this.#next === null) return;
    const question = this.#next;
    this.#next = null;
    this.#busy = true;
    this.#client.ask(this.#kind, question, (answer) => {
      this.#busy = false;
      if (this.#gone) return;
      if (answer !== null) {
        this.now = answer;
        this.asked = question;
      }
      this.#send();
    });
  }
}

const key = Symbol('lessons');

export function provideLessons(): LessonClient {
  const client = setContext(key, new LessonClient());
  $effect(() => () => client.close());
  return client;
}

export function useLessons(): LessonClient {
  return getContext<LessonClient>(key);
}
