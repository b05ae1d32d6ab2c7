// A step by hand animates its block, as playing does. The address changes at once.
import { afterFrame } from '../../compute/page/frames';
import { lessMotion } from '../../figures/less';
import { pace } from '../../figures/pace.svelte';
import { Stepper } from '../../figures/stepper.svelte';
import { blockFrames } from './lanes';

/** Milliseconds of a frame. */
const stay = 20;

export class BlockStepper extends Stepper {
  /** Frame of the block that is animated after a step; null if there is none. */
  #shown = $state<number | null>(null);
  #leave = () => {};

  /** Visible frame within the block, from 1. */
  get frame(): number {
    if (this.#shown !== null) return this.#shown;
    if (this.playing && lessMotion.current) return blockFrames;
    return this.at - (Math.ceil(this.at / blockFrames) - 1) * blockFrames;
  }

  override by(offset: number): void {
    const before = this.at;
    super.by(offset);
    if (this.at > before && !lessMotion.current) this.#show(before % blockFrames);
  }

  override go(at: number): void {
    this.#settle();
    super.go(at);
  }

  override play(): void {
    this.#settle();
    super.play();
  }

  override close(): void {
    this.#settle();
    super.close();
  }

  #show(from: number): void {
    const begun = performance.now();
    const show = (now: number) => {
      const frame = from + 1 + Math.floor(((now - begun) * pace.times) / stay);
      if (frame >= blockFrames) return this.#settle();
      this.#shown = Math.max(from + 1, frame);
      this.#leave = afterFrame(show);
    };
    show(begun);
  }

  #settle(): void {
    this.#leave();
    this.#shown = null;
  }
}
