// A step by hand shows how its block is taken in, as playing does. The address holds at once that it has been.
import { afterFrame } from '../../compute/page/frames';
import { lessMotion } from '../../figures/less';
import { pace } from '../../figures/pace.svelte';
import { Stepper } from '../../figures/stepper.svelte';
import { blockFrames } from './lanes';

/** Milliseconds. */
const stay = 20;

export class BlockStepper extends Stepper {
  /** Of a block that is being shown after a step; null: of none. */
  #shown = $state<number | null>(null);
  #leave = () => {};

  /** Within the block, from 1, that is to be seen. */
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
