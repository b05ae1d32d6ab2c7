// The client of the session about a word in its sentences.
import { Looked } from './looked.svelte';
import type { MeaningSessions, SensesSaid } from '../../shared/meaning/protocol';

class Senses extends Looked<'senses', 'none' | 'reading' | 'there'> {
  constructor() {
    super('senses', 'none');
  }

  override begin(ask: MeaningSessions['senses']['ask']): void {
    if (this.state === 'none' || this.state === 'failed') this.load(ask);
  }

  protected override hear(said: SensesSaid): void {
    super.hear(said);
    if (said.what === 'view') this.state = 'there';
    else if (said.what !== 'open') this.state = said.what;
    if (said.what === 'reading') this.progress = { read: said.done, all: said.all };
  }
}

export const senses = new Senses();
