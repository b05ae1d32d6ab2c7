// A call timed as often as it takes to be timed well.

const batchMilliseconds = 20;
export const batches = 5;
/** What a batch of so many milliseconds takes, about, its last call counted in. */
export const usually = (milliseconds = batchMilliseconds) => 1.2 * milliseconds;

/** Milliseconds since whenever. */
export type Clock = () => number;

/** As many calls as fill a batch's time. What is too short is not counted, and done with more calls. */
export class Batch {
  readonly #clock: Clock;
  #calls = 1;

  constructor(
    readonly call: () => void,
    clock: Clock = () => performance.now(),
    /** That a batch takes at the least. */
    readonly milliseconds = batchMilliseconds,
  ) {
    this.#clock = clock;
  }

  /** Milliseconds of one call. */
  time(): number {
    for (;;) {
      const begin = this.#clock();
      for (let i = 0; i < this.#calls; ++i) this.call();
      const elapsed = this.#clock() - begin;
      if (elapsed >= this.milliseconds) return elapsed / this.#calls;
      const growth = elapsed > this.milliseconds / 20 ? usually(this.milliseconds) / elapsed : 16;
      this.#calls = Math.ceil(this.#calls * Math.max(1.2, Math.min(16, growth)));
    }
  }
}
