// The client of the measurement of a training step's cost.
import type { Growth, Priced, PriceSaid, Timed } from '../../shared/training/protocol';
import { Run } from './run.svelte';

class Price extends Run<'price'> {
  counted = $state.raw<readonly Priced[]>([]);
  flops = $state.raw<Growth | null>(null);
  timed = $state.raw<readonly Timed[]>([]);

  constructor() {
    super('price');
  }

  protected override restart(): void {
    this.timed = [];
  }

  protected override draw(said: readonly PriceSaid[]): void {
    for (const one of said) {
      if ('timed' in one) this.timed = [...this.timed, one.timed];
      else [this.counted, this.flops] = [one.counted, one.flops];
    }
  }
}

export const price = new Price();
