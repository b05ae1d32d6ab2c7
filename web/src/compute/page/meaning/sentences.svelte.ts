// The client of the visitor's encoder and sentences.
import { Looked } from './looked.svelte';
import type { MeaningSessions, SentencesSaid } from '../../shared/meaning/protocol';

class Sentences extends Looked<'sentences', 'closed' | 'open'> {
  /** The visitor's name of the encoder. */
  name = $state.raw('');

  constructor() {
    super('sentences', 'closed');
  }

  open(name: string, ask: MeaningSessions['sentences']['ask']): void {
    this.close();
    this.name = name;
    this.load(ask);
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

/** The encoder stays open when the visitor leaves its chapter. */
export const sentences = new Sentences();
