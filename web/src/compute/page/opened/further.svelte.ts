// The model that is open while a copy of it learns a visitor's text, as the page has it.
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
  /** What stands in the field; null: the text that is there at first. */
  typed = $state<string | null>(null);
  prompt = $state(text.first);
  why = $state.raw('');
  #state = $state.raw<'ready' | 'running' | 'waiting' | 'finished' | 'failed'>('ready');
  #done = $state.raw(0);
  #points = $state.raw<readonly FurtherPoint[]>([]);
  #text = $state.raw('');
  #lora = $state.raw<Adapter | null>(null);
  /** The model that it began from. */
  #of = $state.raw<About | null>(null);
  #drop: (() => void) | null = null;

  readonly #isOfThis = $derived(this.#of !== null && this.#of === opened.about);
  readonly state = $derived(this.#isOfThis ? this.#state : 'ready');
  readonly points = $derived(this.#isOfThis ? this.#points : []);
  readonly done = $derived(this.#isOfThis ? this.#done : 0);
  /** What it learns. */
  readonly text = $derived(this.#isOfThis ? this.#text : null);
  /** As what; null: with all its weights. */
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

  /** What it has become until now is shown. */
  wait(): void {
    this.#state = 'waiting';
    this.#ask(0);
  }

  /** Both go on from another prompt, at once where no training is under way. */
  write(prompt: string): void {
    this.prompt = prompt;
    if (this.state === 'running' || this.points.length === 0) return;
    this.#ask(0);
  }

  /** What it has become, as files. */
  file(name: string): Promise<Uint8Array> {
    return new Promise((done, failed) => {
      opened.ask('furtherFiles', {}, (files, why) => {
        if (files) done(files[name]);
        else failed(new Error(why ?? ''));
      });
    });
  }

  /** Where it is looked at next. */
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
