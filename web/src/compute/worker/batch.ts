// Times a call as often as a reliable measurement needs.

const batchMilliseconds = 20;
export const batches = 5;
/** Typical duration of a batch of at least `milliseconds`, with its last call. */
export const usually = (milliseconds = batchMilliseconds) => 1.2 * milliseconds;

/** Milliseconds since any fixed time. */
export type Clock = () => number;

/**
 * A batch has as many calls as fill its time. A batch that is too short does not count, and is repeated with more
 * calls.
 */
export class Batch {
  readonly #clock: Clock;
  #calls = 1;

  constructor(
    readonly call: () => void,
    clock: Clock = () => performance.now(),
    /** Minimum duration of a batch. */
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
