// The client of the training in which heads emerge.
import { made } from '../made';
import type { Part } from '../session.svelte';
import { Run } from './run.svelte';
import { every } from '../../shared/training/tasks';

/** Steps per second while the training is watched, at first and after the loss has fallen, when little changes. */
const watched = { first: 15, fallen: 60 } as const;

export class Training extends Run<'born'> {
  /** The model at several steps, the first before any step. */
  readonly frames = $derived(this.parts.map(({ frame }) => frame));
  /** Loss on the batch of each step. */
  readonly losses = $derived(this.parts.flatMap(({ losses }) => losses));
  readonly milliseconds = $derived(this.parts.flatMap((part) => part.milliseconds));
  readonly about = $derived(this.parts[0]?.about ?? null);
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
    const fallen = (this.parts.at(-1)?.frame.loss ?? Infinity) < (this.about?.ignorant ?? 0) / 10;
    return (1000 * every) / (fallen ? watched.fallen : watched.first);
  }

  protected override clear(asked: Training['asked']): void {
    super.clear(asked);
    this.#before = 0;
  }

  protected override draw(parts: readonly Part<'born'>[]): void {
    super.draw(parts);
    if (this.state === 'running') this.took = this.#before + performance.now() - this.#since;
  }
}

/** The training continues where it was when its chapter is opened again. */
export const training = new Training();
