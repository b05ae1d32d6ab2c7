// The client of the open model while a copy of it learns a visitor's text.
import {
  every,
  steps,
  type Adapter,
  type FurtherPoint,
} from '../../shared/opened/further-protocol';
import { opened } from './opened.svelte';
import type { About } from '../../shared/opened/protocol';
import text from '$texts/model-further.yaml';

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
  #drop: (() => void) | null = null;

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
      opened.ask('furtherFiles', {}, (files, why) => {
        if (files) done(files[name]);
        else failed(new Error(why ?? ''));
      });
    });
  }

  /** The step of the next report about the copy. */
  #next = () => every * (Math.floor(this.#done / every) + 1);

  #ask(upTo: number): void {
    const text = this.#points.length === 0 ? this.#text : null;
    const ask = { text, lora: this.#lora, prompt: this.prompt, upTo };
    this.#drop?.();
    this.#drop = opened.ask(
      'further',
      ask,
      (point, why) => {
        this.#drop = null;
        if (point) {
          this.why = '';
          this.#done = point.step;
          this.#points = [...this.#points.filter(({ step }) => step !== point.step), point];
          if (this.#state !== 'running') return;
          if (point.step < steps) this.#ask(this.#next());
          else this.#state = 'finished';
        } else {
          this.why = why ?? '';
          this.#state = 'failed';
        }
      },
      (done) => (this.#done = done),
    );
  }
}

export const further = new Further();
