// A word in its sentences, as the page has it.
import { Looking } from '../asking';
import type { Progress } from '../fetched';
import type { Begun } from '../line';
import { trainingLine, whyOf } from '../training/run.svelte';
import type { MeaningSessions, SensesAbout, SensesQuery, SensesSaid, SensesView } from './protocol';

class Senses {
  state = $state.raw<'none' | 'loading' | 'reading' | 'there' | 'failed'>('none');
  progress = $state.raw<Progress | null>(null);
  about = $state.raw<SensesAbout | null>(null);
  view = $state.raw<SensesView | null>(null);
  failure = $state.raw('');

  #session: Begun<SensesQuery> | null = null;
  readonly #looking = new Looking<SensesQuery>();

  begin(ask: MeaningSessions['senses']['ask']): void {
    if (this.state !== 'none' && this.state !== 'failed') return;
    this.state = 'loading';
    this.#session = trainingLine.line.begin(
      'senses',
      ask,
      (outcome) => {
        if (outcome.what !== 'failed') return;
        this.#looking.over();
        this.failure = whyOf(outcome.failure);
        this.state = 'failed';
      },
      (message) => this.#hear(message as SensesSaid),
    ) as Begun<SensesQuery>;
  }

  #hear(said: SensesSaid): void {
    if (said.what === 'open') this.about = said.about;
    else if (said.what === 'view') {
      [this.view, this.state] = [said.view, 'there'];
      this.#looking.shows(said.view.query);
    } else {
      this.progress = said.what === 'loading' ? said.progress : { read: said.done, all: said.all };
      this.state = said.what;
    }
  }

  look(query: SensesQuery): void {
    if (this.state === 'none' || this.state === 'failed') return;
    this.#looking.at(query);
    this.#session?.tell(query);
  }
}

export const senses = new Senses();
