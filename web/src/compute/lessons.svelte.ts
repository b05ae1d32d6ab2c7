// The page's side of the lessons' Worker: questions by kind; of each kind the newest answer counts.
import { getContext, setContext } from 'svelte';
import type { FromLessons, Kind, Lessons, Question } from './lesson-protocol';
import type { Failure, Loaded } from './protocol';

type Hear = (answer: unknown) => void;

export class LessonClient {
  loaded = $state.raw<Loaded | null>(null);
  failure = $state.raw<Failure | null>(null);

  readonly #worker = new Worker(new URL('./lesson-worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, Hear>();
  #newest = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromLessons>) => {
      if (data.kind === 'loaded') this.loaded = data.loaded;
      else if (data.kind === 'answer') this.#waiting.get(data.id)?.(data.answer);
      else this.failure = data.failure;
      if ('id' in data) this.#waiting.delete(data.id);
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.failure = { message: event.message || 'The Worker that computes could not be started.' };
    });
  }

  ask<K extends Kind>(
    kind: K,
    ask: Lessons[K]['ask'],
    hear: (answer: Lessons[K]['answer']) => void,
  ) {
    const question: Question<K> = { id: ++this.#newest, kind, ask };
    this.#waiting.set(question.id, hear as Hear);
    this.#worker.postMessage(question);
    return () => this.#waiting.delete(question.id);
  }

  close(): void {
    this.#worker.terminate();
  }
}

/** The answer to a question that changes: stays until the next one is there. */
export class Answer<K extends Kind> {
  now = $state.raw<Lessons[K]['answer'] | null>(null);
  /** What it is the answer to. */
  asked = $state.raw<Lessons[K]['ask'] | null>(null);

  constructor(kind: K, ask: () => Lessons[K]['ask']) {
    const client = useLessons();
    $effect(() => {
      const question = ask();
      return client.ask(kind, question, (answer) => {
        this.now = answer;
        this.asked = question;
      });
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
