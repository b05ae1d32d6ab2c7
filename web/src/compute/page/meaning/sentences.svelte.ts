// The visitor's encoder and sentences, as the page has them.
import { Looked } from './looked.svelte';
import type { MeaningSessions, SentencesSaid } from '../../shared/meaning/protocol';

class Sentences extends Looked<'sentences', 'closed' | 'open'> {
  /** What its visitor calls the encoder. */
  name = $state.raw('');

  constructor() {
    super('sentences', 'closed');
  }

  begin(name: string, ask: MeaningSessions['sentences']['ask']): void {
    this.close();
    this.name = name;
    this.start(ask);
  }

  close(): void {
    this.leave();
    this.view = null;
    this.state = 'closed';
  }

  protected override hear(said: SentencesSaid): void {
    super.hear(said);
    if (said.what === 'open') this.state = 'open';
  }
}

/** It stays open when its chapter is left. */
export const sentences = new Sentences();
