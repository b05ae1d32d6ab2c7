// Questions that keep the Worker busy for a while, such as times: asked once they are in sight and nothing changes any
// more.
import type { Kind, Lessons } from '../compute/shared/lesson-protocol';
import { Answer, unchanging, useLessons } from '../compute/page/lessons.svelte';
import { useSight } from './sight.svelte';

/**
 * Milliseconds for which a question must be unchanged before the Worker is kept busy with it; then it waits for its
 * turn.
 */
const quietMilliseconds = 500;

/** The answer to such a question. Outside of a figure it counts as in sight. */
export class LateAnswer<K extends Kind> {
  readonly #answer: Answer<K>;
  readonly #ask: () => Lessons[K]['ask'] | null;

  constructor(kind: K, ask: () => Lessons[K]['ask'] | null) {
    this.#ask = unchanging(ask);
    this.#answer = new Answer(kind, () => null);
    const client = useLessons();
    const sight = useSight();
    $effect(() => {
      const question = this.#ask();
      if (question === null || sight?.times === 0 || this.#answer.asked === question) return;
      let back = () => {};
      const timer = setTimeout(() => {
        back = client.whenIdle(() => this.#answer.put(question));
      }, quietMilliseconds);
      return () => {
        clearTimeout(timer);
        back();
      };
    });
  }

  /** Null until the current question is answered. */
  get now(): Lessons[K]['answer'] | null {
    return this.#answer.asked === this.#ask() ? this.#answer.now : null;
  }
}
