// The visitor's encoder and sentences, as the page has them.
import { Looking } from '../asking';
import type { Progress } from '../fetched';
import type { Begun } from '../line';
import { trainingLine, whyOf } from '../training/run.svelte';
import type {
  MeaningSessions,
  SentencesAbout,
  SentencesQuery,
  SentencesSaid,
  SentencesView,
} from './protocol';

class Sentences {
  state = $state.raw<'closed' | 'loading' | 'open' | 'failed'>('closed');
  /** What its visitor calls the encoder. */
  name = $state.raw('');
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<SentencesAbout | null>(null);
  view = $state.raw<SentencesView | null>(null);
  failure = $state.raw('');

  #session: Begun<SentencesQuery> | null = null;
  #run = 0;
  readonly #looking = new Looking<SentencesQuery>();

  begin(name: string, ask: MeaningSessions['sentences']['ask']): void {
    this.close();
    const run = ++this.#run;
    [this.state, this.name] = ['loading', name];
    this.#session = trainingLine.line.begin(
      'sentences',
      ask,
      (outcome) => {
        if (this.#run !== run || outcome.what !== 'failed') return;
        this.#looking.over();
        this.failure = whyOf(outcome.failure);
        this.state = 'failed';
      },
      (message) => this.#run === run && this.#hear(message as SentencesSaid),
    ) as Begun<SentencesQuery>;
  }

  close(): void {
    ++this.#run;
    this.#session?.cancel();
    this.#session = null;
    this.#looking.over();
    this.state = 'closed';
    this.about = this.view = this.progress = null;
  }

  #hear(said: SentencesSaid): void {
    if (said.what === 'loading') this.progress = said.progress;
    else if (said.what === 'open') [this.about, this.state] = [said.about, 'open'];
    else {
      this.view = said.view;
      this.#looking.shows(said.view.query);
    }
  }

  look(query: SentencesQuery): void {
    if (this.state !== 'open' && this.state !== 'loading') return;
    this.#looking.at(query);
    this.#session?.tell(query);
  }
}

/** It stays open when its chapter is left. */
export const sentences = new Sentences();
