// Goes through the steps of a figure: by hand, or playing, the first ones slowly and then faster and faster.
// While it plays only the figure moves; where it stops goes into the address.
import { pace } from './pace.svelte';
import { afterFrame } from '../compute/page/frames';

interface StepperOptions {
  /** Where the address says that it is. */
  readonly from: () => number;
  readonly last: () => number;
  readonly commit: (at: number) => void;
  /** Milliseconds that a step stays, so many after the start. */
  readonly pace: (since: number) => number;
  /** Where a step by hand ends, where steps are too fine to be taken one by one: from 0 to the last. */
  readonly stops?: readonly number[];
  /** So many make one step by hand, where all steps are alike. */
  readonly grain?: number;
}

/** Made where components are: it follows the address, from the first drawing on, unless it is just being played past. */
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

  /** Whether steps by hand are longer than those in which it plays. */
  get fine(): boolean {
    const { stops, grain = 1 } = this.#options;
    return stops !== undefined || grain > 1;
  }

  /** Which of so many steps it is at, or on its way to, from 0. */
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
