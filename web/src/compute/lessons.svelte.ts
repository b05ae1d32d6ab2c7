// The page's side of the lessons' Worker: questions by kind, answered in order.
import { getContext, setContext } from 'svelte';
import type { FromLessons, Kind, Lessons, Question } from './lesson-protocol';
import { takeLessonWorker } from './lesson-worker-start';
import type { Failure, Loaded } from './protocol';

let tell: () => void;
/** Settles when a chapter has its first answers. */
export const firstAnswers = new Promise<void>((resolve) => (tell = resolve));

interface Waiting {
  readonly kind: Kind;
  readonly hear: (answer: unknown) => void;
}

export class LessonClient {
  loaded = $state.raw<Loaded | null>(null);
  /** Why the newest question of some kind has no answer. */
  failure = $state.raw<(Failure & { readonly kind?: Kind }) | null>(null);

  #tell!: () => void;
  /** Settles when all that was asked at first is answered, or when it is known that there will be no answer. */
  readonly answered = new Promise<void>((resolve) => (this.#tell = resolve));

  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #newest = 0;

  constructor() {
    void this.answered.then(tell);
    this.#worker = takeLessonWorker((message) => {
      if (message.kind === 'loaded') this.loaded = message.loaded;
      else if (message.kind === 'notLoaded') this.failure = message.failure;
      else this.#settle(message);
      if (message.kind === 'notLoaded' || (message.kind !== 'loaded' && !this.busy)) this.#tell();
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

  /** Some question has not been answered yet. */
  get busy(): boolean {
    return this.#waiting.size > 0;
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

/** How long a question must stand before the Worker is kept busy with measuring; then it waits for its turn. */
const quietMilliseconds = 500;
const turnMilliseconds = 50;

/** The answer to a question that takes the Worker a while, such as a time: asked once nothing changes any more. */
export class LateAnswer<K extends Kind> {
  #settled = $state.raw<Lessons[K]['ask'] | null>(null);
  readonly #answer: Answer<K>;
  readonly #ask: () => Lessons[K]['ask'] | null;

  /** `ask` gives the same object as long as the question is the same. */
  constructor(kind: K, ask: () => Lessons[K]['ask'] | null) {
    this.#ask = ask;
    this.#answer = new Answer(kind, () => this.#settled);
    const client = useLessons();
    $effect(() => {
      const question = ask();
      let timer: ReturnType<typeof setTimeout>;
      const settle = () => {
        if (client.busy) timer = setTimeout(settle, turnMilliseconds);
        else this.#settled = question;
      };
      timer = setTimeout(settle, quietMilliseconds);
      return () => clearTimeout(timer);
    });
  }

  /** Null until the question that stands now is answered. */
  get now(): Lessons[K]['answer'] | null {
    return this.#answer.asked === this.#ask() ? this.#answer.now : null;
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
