// The client of the open model while a copy of it learns a visitor's text.
import {
  every,
  steps,
  type Adapter,
  type FurtherPoint,
  type FurtherRequests,
} from '../../shared/opened/further-protocol';
import type { Outcome } from '../line';
import { Session } from '../session.svelte';
import { opened } from './opened.svelte';
import text from '$texts/model-further.yaml';

type Files = FurtherRequests['furtherFiles']['answer'];
type State = 'ready' | 'running' | 'waiting' | 'finished' | 'failed';

class Further extends Session<'further', State> {
  /** The text of the field; null: the default text. */
  typed = $state<string | null>(null);
  prompt = $state(text.first);
  points = $state.raw<readonly FurtherPoint[]>([]);
  /** Number of steps done. */
  done = $state.raw(0);
  /** The text that is learned. */
  text = $state.raw<string | null>(null);
  /** The adapter that is trained; null: all weights. */
  lora = $state.raw<Adapter | null>(null);

  constructor() {
    super('further', opened.requests);
    this.state = 'ready';
    opened.dependents.add(this);
  }

  override reset(): void {
    super.reset();
    this.state = 'ready';
    this.points = [];
    this.done = 0;
    this.text = this.lora = null;
  }

  train(learned: string, lora: Adapter | null): void {
    this.reset();
    this.text = learned;
    this.lora = lora;
    this.#ask(0, 'running');
  }

  go(): void {
    this.#ask(this.#next(), 'running');
  }

  /** Pauses, and shows the copy's current state. */
  wait(): void {
    this.#ask(0, 'waiting');
  }

  /** Sets another prompt, which both models continue at once if no training is in progress. */
  write(prompt: string): void {
    this.prompt = prompt;
    if (this.state !== 'running' && this.points.length > 0) this.#ask(0, this.state);
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
  #next = () => every * (Math.floor(this.done / every) + 1);

  #ask(upTo: number, state: State): void {
    const text = this.points.length === 0 ? this.text! : null;
    this.launch({ text, lora: this.lora, prompt: this.prompt, upTo }, state);
  }

  protected override hear(done: number): void {
    this.done = done;
  }

  protected override settle(outcome: Outcome<FurtherPoint>): void {
    if (outcome.what === 'failed') super.settle(outcome);
    if (outcome.what !== 'answer') return;
    const point = outcome.answer;
    this.done = point.step;
    this.points = [...this.points.filter(({ step }) => step !== point.step), point];
    if (this.state !== 'running') return;
    if (point.step < steps) this.go();
    else this.state = 'finished';
  }
}

export const further = new Further();
