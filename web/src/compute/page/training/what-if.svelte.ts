// The client of two trainings side by side.
import type { WhatIfPoint } from '../../shared/training/protocol';
import { Run } from './run.svelte';

class WhatIf extends Run<'whatIf'> {
  points = $state.raw<readonly WhatIfPoint[]>([]);

  constructor() {
    super('whatIf');
  }

  protected override restart(): void {
    this.points = [];
  }

  protected override draw(said: readonly WhatIfPoint[]): void {
    this.points = [...this.points, ...said];
  }
}

export const whatIf = new WhatIf();
