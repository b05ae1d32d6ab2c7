// A training under way: begun, held, followed and left, in a Worker of its own.
import { Line, type Begun } from '../line';
import type { Loaded } from '../protocol';
import { startTrainingWorker } from '../start-worker';
import type { BornAbout, BornEnd, BornSaid, Frame, TrainingSessions } from './protocol';

type Ask = TrainingSessions['born']['ask'];
type Told = TrainingSessions['born']['told'];

/** Milliseconds from one drawing to the next: training goes on meanwhile. */
const pace = 200;

export class Training {
  state = $state.raw<'loading' | 'ready' | 'running' | 'waiting' | 'finished' | 'failed'>(
    'loading',
  );
  /** Models after so many steps, the first before any. */
  frames = $state.raw<readonly Frame[]>([]);
  /** Of the batch of each step. */
  losses = $state.raw<readonly number[]>([]);
  milliseconds = $state.raw<readonly number[]>([]);
  about = $state.raw<BornAbout | null>(null);
  /** Once all steps are done. */
  end = $state.raw<BornEnd | null>(null);
  loaded = $state.raw<Loaded | null>(null);
  failure = $state.raw('');
  /** What the figures are of. */
  asked = $state.raw<Ask | null>(null);

  readonly #line = new Line(
    startTrainingWorker,
    () => (this.loaded = this.#line.loaded ?? this.loaded),
  );
  #session: Begun<unknown> | null = null;
  /** Which of the trainings is shown. */
  #run = 0;
  #new: BornSaid[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** It waits because nobody looks. */
  #hidden = false;

  /** A model that has not learned anything yet. */
  begin(ask: Ask): void {
    this.#session?.cancel();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#new = [];
    this.#hidden = false;
    this.state = 'loading';
    let first = true;
    let about: BornAbout | null = null;
    const run = ++this.#run;
    this.#session = this.#line.begin(
      'born',
      ask,
      (outcome) => {
        if (this.#run !== run || outcome.what === 'cancelled') return;
        this.#draw();
        if (outcome.what === 'failed') this.failure = outcome.failure.message;
        if (outcome.what === 'answer') this.end = outcome.answer as BornEnd;
        this.state = outcome.what === 'failed' ? 'failed' : 'finished';
      },
      (message) => {
        if (this.#run !== run) return;
        const said = message as TrainingSessions['born']['said'];
        if ('example' in said) {
          about = said;
          return;
        }
        if (first) this.#restart(ask, about!);
        first = false;
        this.#hear(said);
      },
    );
  }

  go(): void {
    this.#session?.tell('go' satisfies Told);
    this.state = 'running';
  }

  wait(): void {
    this.#session?.tell('wait' satisfies Told);
    this.state = 'waiting';
  }

  /** While the page is hidden it waits. */
  look(hidden: boolean): void {
    if (hidden && this.state === 'running') {
      this.wait();
      this.#hidden = true;
    } else if (!hidden && this.#hidden) {
      this.#hidden = false;
      if (this.state === 'waiting') this.go();
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.#line.close();
  }

  /** What was shown of another training stays until this one has its first frame. */
  #restart(ask: Ask, about: BornAbout): void {
    this.asked = ask;
    this.about = about;
    this.end = null;
    this.frames = [];
    this.losses = [];
    this.milliseconds = [];
    if (this.state === 'loading') this.state = 'ready';
  }

  #hear(said: BornSaid): void {
    this.#new.push(said);
    if (this.frames.length === 0) this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), pace);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#new.length === 0) return;
    this.frames = [...this.frames, ...this.#new.map(({ frame }) => frame)];
    this.losses = [...this.losses, ...this.#new.flatMap(({ losses }) => losses)];
    this.milliseconds = [...this.milliseconds, ...this.#new.flatMap((one) => one.milliseconds)];
    this.#new = [];
  }
}
