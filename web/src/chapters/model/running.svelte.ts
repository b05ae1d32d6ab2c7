// A question to the open model whose answer comes in parts: begun, followed and stopped.
import { opened } from '../../compute/page/opened/opened.svelte';
import { isSame } from '../../compute/page/kept';
import type { OpenedRequests, RequestKind } from '../../compute/shared/opened/protocol';

export class Running<K extends RequestKind> {
  state = $state.raw<'waiting' | 'running' | 'stopped' | 'finished' | 'failed'>('waiting');
  parts = $state.raw<readonly OpenedRequests[K]['part'][]>([]);
  answer = $state.raw<OpenedRequests[K]['answer'] | null>(null);
  why = $state.raw('');
  /** The question to which the parts belong. */
  asked = $state.raw<OpenedRequests[K]['ask'] | null>(null);

  readonly #kind: K;
  #drop: (() => void) | null = null;

  constructor(kind: K) {
    this.#kind = kind;
    $effect(() => () => this.stop());
    $effect(() => {
      // A change of the model discards everything.
      if (opened.about) return () => this.forget();
    });
  }

  /** The results belong to another question. */
  isOfAnother(ask: OpenedRequests[K]['ask'] | null): boolean {
    return this.asked !== null && !isSame(this.asked, ask);
  }

  begin(ask: OpenedRequests[K]['ask']): void {
    this.forget();
    this.state = 'running';
    this.asked = ask;
    this.#drop = opened.ask(
      this.#kind,
      ask,
      (answer, why) => {
        this.#drop = null;
        this.answer = answer;
        this.why = why ?? '';
        this.state = why === null ? 'finished' : 'failed';
      },
      (part) => (this.parts = [...this.parts, part]),
    );
  }

  /** Stops; results so far stay. */
  stop(): void {
    this.#drop?.();
    this.#drop = null;
    if (this.state === 'running') this.state = 'stopped';
  }

  forget(): void {
    this.stop();
    this.state = 'waiting';
    this.parts = [];
    this.answer = this.asked = null;
  }
}
