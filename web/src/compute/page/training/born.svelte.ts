// The client of the training in which heads emerge.
import type { BornAbout, BornSaid, Frame } from '../../shared/training/protocol';
import { made } from '../made';
import { Run } from './run.svelte';
import { every } from '../../shared/training/tasks';

/** Steps per second while the training is watched, at first and after the loss has fallen, when little changes. */
const watched = { first: 15, fallen: 60 } as const;

export class Training extends Run<'born'> {
  /** The model at several steps, the first before any step. */
  frames = $state.raw<readonly Frame[]>([]);
  /** Loss on the batch of each step. */
  losses = $state.raw<readonly number[]>([]);
  milliseconds = $state.raw<readonly number[]>([]);
  about = $state.raw<BornAbout | null>(null);
  /** Slow enough to be watched; otherwise as fast as the machine allows. */
  slow = $state(false);
  /** Milliseconds for which it has been shown. */
  took = $state(0);
  /** Milliseconds before the last pause, and the time at which it went on. */
  #before = 0;
  #since = 0;

  constructor() {
    super('born');
    if (!made.unborn) return;
    this.draw([made.unborn]);
    this.state = 'ready';
  }

  start(slow: boolean): void {
    this.slow = slow;
    this.go();
  }

  override go(): void {
    this.#since = performance.now();
    super.go();
  }

  override wait(): void {
    this.#before += performance.now() - this.#since;
    super.wait();
  }

  protected override stay(): number {
    if (!this.slow) return 0;
    const fallen = (this.frames.at(-1)?.loss ?? Infinity) < (this.about?.ignorant ?? 0) / 10;
    return (1000 * every) / (fallen ? watched.fallen : watched.first);
  }

  protected override restart(): void {
    this.#before = 0;
    this.frames = [];
    this.losses = [];
    this.milliseconds = [];
  }

  protected override draw(said: readonly BornSaid[]): void {
    this.about = said[0].about ?? this.about;
    this.frames = [...this.frames, ...said.map(({ frame }) => frame)];
    this.losses = [...this.losses, ...said.flatMap(({ losses }) => losses)];
    if (this.state === 'running') this.took = this.#before + performance.now() - this.#since;
    this.milliseconds = [...this.milliseconds, ...said.flatMap((one) => one.milliseconds)];
  }
}

/** The training continues where it was when its chapter is opened again. */
export const training = new Training();
