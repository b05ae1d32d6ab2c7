// Word vectors as the page has them: loaded or learning, one set at a time.
import { Looking } from '../asking';
import type { Progress } from '../fetched';
import type { Begun } from '../line';
import { trainingLine, whyOf } from '../training/run.svelte';
import type {
  MeaningSessions,
  WordsAbout,
  WordsQuery,
  WordsSaid,
  WordsSource,
  WordsStep,
  WordsTold,
  WordsView,
} from './protocol';

class Words {
  state = $state.raw<'none' | 'loading' | 'ready' | 'running' | 'waiting' | 'finished' | 'failed'>(
    'none',
  );
  source = $state.raw<WordsSource | null>(null);
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<WordsAbout | null>(null);
  view = $state.raw<WordsView | null>(null);
  steps = $state.raw<readonly WordsStep[]>([]);
  failure = $state.raw('');

  #session: Begun<WordsTold> | null = null;
  #run = 0;
  #hidden = false;
  readonly #looking = new Looking<WordsQuery>();

  begin(ask: MeaningSessions['words']['ask']): void {
    this.#session?.cancel();
    const run = ++this.#run;
    this.state = 'loading';
    this.source = ask.source;
    this.progress = this.about = null;
    this.steps = [];
    this.#hidden = false;
    this.#looking.over();
    this.#session = trainingLine.line.begin(
      'words',
      ask,
      (outcome) => {
        if (this.#run !== run || outcome.what !== 'failed') return;
        this.#looking.over();
        this.failure = whyOf(outcome.failure);
        this.state = 'failed';
      },
      (message) => this.#run === run && this.#hear(message as WordsSaid),
    ) as Begun<WordsTold>;
  }

  #hear(said: WordsSaid): void {
    if (said.what === 'loading') this.progress = said.progress;
    else if (said.what === 'begun') this.about = said.about;
    else {
      this.view = said.view;
      this.#looking.shows(said.view.query);
      this.steps = [...this.steps, ...said.steps];
      if (this.source === 'all') this.state = 'finished';
      else if (this.state === 'loading') this.go();
      if (this.steps.length > 0 && this.steps.length === this.about?.steps) this.state = 'finished';
    }
  }

  look(query: WordsQuery): void {
    if (this.state === 'none' || this.state === 'failed') return;
    this.#looking.at(query);
    this.#session?.tell(query);
  }
  go(): void {
    this.#session?.tell('go');
    this.state = 'running';
  }
  wait(): void {
    this.#session?.tell('wait');
    this.state = 'waiting';
  }

  /** While nobody can see it, nothing is learned. */
  hide(hidden: boolean): void {
    if (hidden && this.state === 'running') {
      this.wait();
      this.#hidden = true;
    } else if (!hidden && this.#hidden) {
      this.#hidden = false;
      if (this.state === 'waiting') this.go();
    }
  }
}

/** They stay where their chapter is left. */
export const words = new Words();
