// Moves through the steps of a figure: by hand, or playing, at first slowly and then faster and faster. While it plays
// only the figure changes; where it stops is written to the address.
import { pace } from './pace.svelte';
import { afterFrame } from '../compute/page/frames';

interface StepperOptions {
  /** The step in the address. */
  readonly from: () => number;
  readonly last: () => number;
  readonly commit: (at: number) => void;
  /** Duration of a step in milliseconds, by the number of steps since the start. */
  readonly pace: (since: number) => number;
  /** Ends of the steps by hand, from 0 to the last, if the steps are too fine to be taken one by one. */
  readonly stops?: readonly number[];
  /** Number of steps in one step by hand, if all steps are alike. */
  readonly grain?: number;
}

/** Created with a component. It follows the address from the first rendering on, except while it plays. */
export class Stepper {
  at = $state(0);
  playing = $state(false);
  readonly #options: StepperOptions;
  #back = () => {};

  constructor(options: StepperOptions) {
    this.#options = options;
    this.#follow(options.from());
    $effect(() => this.#follow(options.from()));
  }

  get last(): number {
    return this.#options.last();
  }

  #follow(at: number): void {
    if (!this.playing) this.at = Math.max(0, Math.min(this.last, at));
  }

  go(at: number): void {
    this.#stop();
    this.#follow(at);
    this.#options.commit(this.at);
  }

  by(offset: number): void {
    const { stops, grain = 1 } = this.#options;
    if (!stops) {
      const from = offset > 0 ? Math.floor(this.at / grain) : Math.ceil(this.at / grain);
      return this.go((from + offset) * grain);
    }
    const ahead = stops.filter((one) => (offset > 0 ? one > this.at : one < this.at));
    this.go((offset > 0 ? ahead[0] : ahead.at(-1)) ?? this.at);
  }

  /** Whether steps by hand are longer than those of playing. */
  get fine(): boolean {
    const { stops, grain = 1 } = this.#options;
    return stops !== undefined || grain > 1;
  }

  /** The current step, or the one it is moving to, from 0, and the last step. */
  get counted(): { readonly at: number; readonly last: number } {
    const { stops, grain = 1 } = this.#options;
    if (!stops) {
      const at = Math.ceil(Math.min(this.at, this.last) / grain);
      return { at, last: this.last / grain };
    }
    return { at: stops.findLastIndex((one) => one <= this.at), last: stops.length - 1 };
  }

  pause(): void {
    if (!this.playing) return;
    this.#stop();
    this.#options.commit(this.at);
  }

  play(): void {
    this.#stop();
    if (this.at >= this.last) this.at = 0;
    this.playing = true;
    let since = 0;
    let due = performance.now();
    const show = (now: number) => {
      while (due <= now && this.at < this.last) {
        this.at += 1;
        due += this.#options.pace(since++) / pace.times;
      }
      if (this.at >= this.last && due <= now) return this.pause();
      next();
    };
    const next = () => (this.#back = afterFrame(show));
    next();
  }

  close(): void {
    this.#stop();
  }

  #stop(): void {
    this.#back();
    this.playing = false;
  }
}
