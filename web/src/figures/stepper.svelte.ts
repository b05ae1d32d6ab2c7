// Goes through the steps of a figure: by hand, or playing, the first ones slowly and then faster and faster.
// While it plays only the figure moves; where it stops goes into the address.

export interface StepperOptions {
  /** Where the address says that it is. */
  readonly from: () => number;
  readonly last: () => number;
  readonly commit: (at: number) => void;
  /** Milliseconds that a step stays, so many after the start. */
  readonly pace: (since: number) => number;
}

/** Made where components are: it follows the address, from the first drawing on, unless it is just being played past. */
export class Stepper {
  at = $state(0);
  playing = $state(false);
  readonly #options: StepperOptions;
  #frame = 0;

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
    this.go(this.at + offset);
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
        due += this.#options.pace(since++);
      }
      if (this.at >= this.last && due <= now) return this.pause();
      this.#frame = requestAnimationFrame(show);
    };
    this.#frame = requestAnimationFrame(show);
  }

  close(): void {
    this.#stop();
  }

  #stop(): void {
    cancelAnimationFrame(this.#frame);
    this.playing = false;
  }
}
