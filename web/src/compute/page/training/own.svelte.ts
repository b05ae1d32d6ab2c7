// The client of the training on the visitor's text.
import type { OwnSaid, OwnSample } from '../../shared/training/protocol';
import { steps } from '../../shared/training/own-limits';
import { Run } from './run.svelte';

class Own extends Run<'own'> {
  about = $state.raw<OwnSaid['about'] | null>(null);
  milliseconds = $state.raw<readonly number[]>([]);
  points = $state.raw<readonly OwnSaid[]>([]);
  samples = $state.raw<readonly OwnSample[]>([]);
  /** The typed text, which may differ from the one that is being learned; null: the default text. */
  typed = $state<string | null>(null);

  constructor() {
    super('own');
  }

  protected override restart(): void {
    this.milliseconds = this.points = this.samples = [];
  }

  protected override draw(said: readonly OwnSaid[]): void {
    this.about = said[0].about ?? this.about;
    this.milliseconds = [...this.milliseconds, ...said.flatMap((one) => one.milliseconds)];
    this.points = [...this.points, ...said];
    this.samples = [...this.samples, ...said.flatMap(({ sample }) => sample ?? [])];
    const { step } = said.at(-1)!;
    if (step > 0 && step % steps === 0) this.state = 'finished';
  }
}

export const ownText = new Own();
