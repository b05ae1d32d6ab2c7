// The client of word vectors: loaded or learning, one set at a time.
import { Looked } from './looked.svelte';
import type {
  MeaningSessions,
  WordsSaid,
  WordsSource,
  WordsStep,
} from '../../shared/meaning/protocol';

class Words extends Looked<'words', 'none' | 'running' | 'waiting' | 'finished'> {
  source = $state.raw<WordsSource | null>(null);
  steps = $state.raw<readonly WordsStep[]>([]);

  constructor() {
    super('words', 'none');
  }

  override begin(ask: MeaningSessions['words']['ask']): void {
    this.source = ask.source;
    this.steps = [];
    this.load(ask);
  }

  protected override hear(said: WordsSaid): void {
    super.hear(said);
    if (said.what !== 'view') return;
    this.steps = [...this.steps, ...said.steps];
    if (this.source === 'all') this.state = 'finished';
    else if (this.state === 'loading') this.go();
    if (this.steps.length > 0 && this.steps.length === this.about?.steps) this.state = 'finished';
  }

  go(): void {
    this.tell('go');
    this.state = 'running';
  }
  wait(): void {
    this.tell('wait');
    this.state = 'waiting';
  }
}

/** The vectors stay when the visitor leaves their chapter. */
export const words = new Words();
