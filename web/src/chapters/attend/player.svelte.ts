// Plays the steps: the first cell slowly, with its reason, the rest of the matrix quickly, then time to look.
import { pace } from '../../figures/pace.svelte';
import type { Cell } from '../../state/attend';
import { stepIds, type StepId } from '../../state/attend-steps';

const firstCell = 1500;
const sweep = 800;
const lookAround = 1300;

interface PlayerOptions {
  readonly step: () => StepId;
  readonly setStep: (step: StepId) => void;
  /** Cells of the matrix that the step makes. */
  readonly cells: () => number;
  readonly setExample: (cell: Cell | null) => void;
}

export class Player {
  playing = $state(false);
  /** How many cells of the step's matrix are there to be seen. */
  reveal = $state(Infinity);
  readonly #options: PlayerOptions;
  #stop = new AbortController();

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  pause(): void {
    this.#stop.abort();
    this.playing = false;
    this.reveal = Infinity;
    this.#options.setExample(null);
  }

  go(step: StepId): void {
    this.pause();
    this.#options.setStep(step);
  }

  by(offset: number): void {
    const next = stepIds.indexOf(this.#options.step()) + offset;
    this.go(stepIds[Math.max(0, Math.min(stepIds.length - 1, next))]);
  }

  async play(): Promise<void> {
    this.pause();
    const { signal } = (this.#stop = new AbortController());
    const { step, setStep } = this.#options;
    const last = stepIds.length - 1;
    const start = stepIds.indexOf(step());
    this.playing = true;
    for (let i = start === last ? 0 : start; i <= last; ++i) {
      setStep(stepIds[i]);
      await this.#show(stepIds[i], signal);
      if (signal.aborted) return;
    }
    this.pause();
  }

  async #show(step: StepId, signal: AbortSignal): Promise<void> {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.reveal = still ? Infinity : 1;
    this.#options.setExample({ matrix: step, row: 0, col: 0 });
    await wait(firstCell, signal);
    if (!still) await this.#sweep(signal);
    if (signal.aborted) return;
    this.reveal = Infinity;
    await wait(lookAround, signal);
    if (!signal.aborted) this.#options.setExample(null);
  }

  /** Slowly at first: as t squared. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const begin = performance.now();
    for (
      let t = 0;
      t < 1 && !signal.aborted;
      t = ((performance.now() - begin) * pace.times) / sweep
    ) {
      this.reveal = Math.max(1, Math.floor(t * t * this.#options.cells()));
      await new Promise((done) => requestAnimationFrame(done));
    }
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds / pace.times);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
}
