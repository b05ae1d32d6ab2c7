// The client of the open model while a copy of it learns a visitor's text.
import {
  every,
  steps,
  type Adapter,
  type FurtherPoint,
  type FurtherRequests,
} from '../../shared/opened/further-protocol';
import type { Begun, Outcome } from '../line';
import { opened } from './opened.svelte';
import type { About } from '../../shared/opened/protocol';
import text from '$texts/model-further.yaml';

type Files = FurtherRequests['furtherFiles']['answer'];

class Further {
  /** The text of the field; null: the default text. */
  typed = $state<string | null>(null);
  prompt = $state(text.first);
  why = $state.raw('');
  #state = $state.raw<'ready' | 'running' | 'waiting' | 'finished' | 'failed'>('ready');
  #done = $state.raw(0);
  #points = $state.raw<readonly FurtherPoint[]>([]);
  #text = $state.raw('');
  #lora = $state.raw<Adapter | null>(null);
  /** The model from which the copy began. */
  #of = $state.raw<About | null>(null);
  #begun: Begun<unknown> | null = null;

  readonly #isOfThis = $derived(this.#of !== null && this.#of === opened.about);
  readonly state = $derived(this.#isOfThis ? this.#state : 'ready');
  readonly points = $derived(this.#isOfThis ? this.#points : []);
  readonly done = $derived(this.#isOfThis ? this.#done : 0);
  /** The text that is learned. */
  readonly text = $derived(this.#isOfThis ? this.#text : null);
  /** The adapter that is trained; null: all weights. */
  readonly lora = $derived(this.#isOfThis ? this.#lora : null);

  begin(learned: string, lora: Adapter | null): void {
    this.#of = opened.about;
    this.#text = learned;
    this.#lora = lora;
    this.#points = [];
    this.#done = 0;
    this.#state = 'running';
    this.#ask(0);
  }

  go(): void {
    this.#state = 'running';
    this.#ask(this.#next());
  }

  /** Pauses, and shows the copy's current state. */
  wait(): void {
    this.#state = 'waiting';
    this.#ask(0);
  }

  /** Sets another prompt, which both models continue at once if no training is in progress. */
  write(prompt: string): void {
    this.prompt = prompt;
    if (this.state === 'running' || this.points.length === 0) return;
    this.#ask(0);
  }

  /** A file of the trained copy. */
  file(name: string): Promise<Uint8Array> {
    return new Promise((done, failed) => {
      opened.requests.begin('furtherFiles', {}, (outcome) => {
        if (outcome.what === 'answer') done((outcome.answer as Files)[name]);
        else failed(new Error(outcome.what === 'failed' ? outcome.failure.message : ''));
      });
    });
  }

  /** The step of the next report about the copy. */
  #next = () => every * (Math.floor(this.#done / every) + 1);

  #ask(upTo: number): void {
    const text = this.#points.length === 0 ? this.#text : null;
    const ask = { text, lora: this.#lora, prompt: this.prompt, upTo };
    this.#begun?.cancel();
    const hear = (outcome: Outcome) => this.#hear(outcome as Outcome<FurtherPoint>);
    const part = (done: unknown) => (this.#done = done as number);
    this.#begun = opened.requests.begin('further', ask, hear, part);
  }

  #hear(outcome: Outcome<FurtherPoint>): void {
    if (outcome.what === 'failed') {
      this.why = outcome.failure.message;
      this.#state = 'failed';
    }
    if (outcome.what !== 'answer') return;
    const point = outcome.answer;
    this.why = '';
    this.#done = point.step;
    this.#points = [...this.#points.filter(({ step }) => step !== point.step), point];
    if (this.#state !== 'running') return;
    if (point.step < steps) this.#ask(this.#next());
    else this.#state = 'finished';
  }
}

export const further = new Further();
