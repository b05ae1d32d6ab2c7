// A call timed as often as it takes to be timed well.

const batchMilliseconds = 20;
export const batches = 5;
/** What a batch takes, about, its last call counted in. */
export const usualMilliseconds = 1.2 * batchMilliseconds;

/** Milliseconds since whenever. */
export type Clock = () => number;

/** As many calls as fill a batch's time. What is too short is not counted, and done with more calls. */
export class Batch {
  readonly #clock: Clock;
  #calls = 1;

  constructor(
    readonly call: () => void,
    clock: Clock = () => performance.now(),
  ) {
    this.#clock = clock;
  }

  /** Milliseconds of one call. */
  time(): number {
    for (;;) {
      const begin = this.#clock();
      for (let i = 0; i < this.#calls; ++i) this.call();
      const elapsed = this.#clock() - begin;
      if (elapsed >= batchMilliseconds) return elapsed / this.#calls;
      const growth = elapsed > 1 ? usualMilliseconds / elapsed : 16;
      this.#calls = Math.ceil(this.#calls * Math.max(1.2, Math.min(16, growth)));
    }
  }
}
