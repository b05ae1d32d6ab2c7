// Heads that are being born, as the page shows them.
import type { BornAbout, BornSaid, Frame } from './protocol';
import { Run } from './run.svelte';

export class Training extends Run<'born'> {
  /** Models after so many steps, the first before any. */
  frames = $state.raw<readonly Frame[]>([]);
  /** Of the batch of each step. */
  losses = $state.raw<readonly number[]>([]);
  milliseconds = $state.raw<readonly number[]>([]);
  about = $state.raw<BornAbout | null>(null);

  constructor() {
    super('born');
  }

  protected override restart(): void {
    this.frames = [];
    this.losses = [];
    this.milliseconds = [];
  }

  protected override draw(said: readonly BornSaid[]): void {
    this.about = said[0].about ?? this.about;
    this.frames = [...this.frames, ...said.map(({ frame }) => frame)];
    this.losses = [...this.losses, ...said.flatMap(({ losses }) => losses)];
    this.milliseconds = [...this.milliseconds, ...said.flatMap((one) => one.milliseconds)];
  }
}

/** It goes on where it was when its chapter is opened again. */
export const training = new Training();
