// A training under way: begun, held, followed and left. It lives on where its chapter is left, and waits there.
import { untrack } from 'svelte';
import { afterFrame } from '../frames';
import { isSame } from '../kept';
import { Line, type Begun } from '../line';
import type { Failure, Loaded } from '../protocol';
import { startTrainingWorker } from '../start-worker';
import type { TrainingSessions, TrainingTold } from '../../shared/training/protocol';
import text from '$texts/shell.yaml';

/** Milliseconds from one drawing to the next: training goes on meanwhile. */
const pace = 200;

class TrainingLine {
  loaded = $state.raw<Loaded | null>(null);
  readonly line = new Line(
    startTrainingWorker,
    () => (this.loaded = this.line.loaded ?? this.loaded),
  );
}
/** Why there is no answer. Of a file that is not there a visitor is told what to do about it, not its name. */
export const whyOf = ({ offline, message }: Failure): string => (offline ? text.offline : message);

/** One Worker for all trainings. */
export const trainingLine = new TrainingLine();

/** What goes on by itself until it is told to wait. */
interface Going {
  readonly state: string;
  go(): void;
  wait(): void;
}

/** Those that wait because nobody looks. */
const unseen = new WeakSet<Going>();

export abstract class Run<K extends keyof TrainingSessions> {
  state = $state.raw<'loading' | 'ready' | 'running' | 'waiting' | 'finished' | 'failed'>(
    'loading',
  );
  /** Once all steps are done. */
  end = $state.raw<TrainingSessions[K]['answer'] | null>(null);
  failure = $state.raw('');
  /** What the figures are of. */
  asked = $state.raw<TrainingSessions[K]['ask'] | null>(null);

  readonly #kind: K;
  /** The last that was begun. */
  #wanted: TrainingSessions[K]['ask'] | null = null;
  #session: Begun<unknown> | null = null;
  /** Which of the trainings is shown. */
  #run = 0;
  #new: TrainingSessions[K]['said'][] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What comes once all that was said is shown. */
  #over: (() => void) | null = null;
  /** Takes back what is to be shown next, where it is shown bit by bit. */
  #back: (() => void) | null = null;
  /** It is to go as soon as it is begun. */
  #eager = false;
  #told!: () => void;
  /** Settles once there is something to be seen, or will be nothing. */
  readonly begun = new Promise<void>((done) => (this.#told = done));

  constructor(kind: K) {
    this.#kind = kind;
  }

  /** Nothing has been said of this one yet: what was shown of another goes. */
  protected abstract restart(): void;
  /** Shows what was said since the last time. */
  protected abstract draw(said: readonly TrainingSessions[K]['said'][]): void;

  /** Milliseconds that what is shown stays before the next of it is; 0 where all is shown as soon as it is said. */
  protected stay(): number {
    return 0;
  }

  /** As `begin`, unless that is what was begun last. */
  follow(ask: TrainingSessions[K]['ask']): void {
    if (!isSame(ask, this.#wanted)) this.begin(ask);
  }

  /** A model that has not learned anything yet. */
  begin(ask: TrainingSessions[K]['ask']): void {
    this.#wanted = ask;
    this.#session?.cancel();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#new = [];
    this.#over = null;
    this.#stop();
    unseen.delete(this);
    this.state = 'loading';
    let first = true;
    const run = ++this.#run;
    this.#session = trainingLine.line.begin(
      this.#kind,
      ask,
      (outcome) => {
        if (this.#run !== run || outcome.what === 'cancelled') return;
        this.#told();
        this.#over = () => {
          if (outcome.what === 'failed') this.failure = whyOf(outcome.failure);
          if (outcome.what === 'answer') this.end = outcome.answer as typeof this.end;
          this.state = outcome.what === 'failed' ? 'failed' : 'finished';
        };
        if (outcome.what === 'failed' || this.stay() === 0) this.#draw();
        else this.#show();
      },
      (message) => {
        if (this.#run !== run) return;
        this.#new.push(message as TrainingSessions[K]['said']);
        if (!first) return this.#show();
        // What was shown of another training stays until this one has its first word.
        first = false;
        this.asked = ask;
        this.end = null;
        this.restart();
        if (this.state === 'loading') this.state = 'ready';
        this.#draw();
        this.#told();
      },
    );
    if (this.#eager) this.go();
    this.#eager = false;
  }

  /** It has not gone yet. */
  get fresh(): boolean {
    return this.state === 'loading' || this.state === 'ready';
  }

  goFirst(): void {
    if (this.fresh) this.go();
  }

  /** One that is still on its way goes as soon as it is there. */
  go(): void {
    if (!this.#session) {
      this.#eager = true;
      return;
    }
    this.#session.tell('go' satisfies TrainingTold);
    this.state = 'running';
    this.#show();
  }

  wait(): void {
    this.#session?.tell('wait' satisfies TrainingTold);
    this.state = 'waiting';
  }

  /** What was said and is not shown yet: soon, or one after another where each is to stay. The Worker goes on meanwhile. */
  #show(): void {
    if (this.stay() > 0) this.#back ??= this.#play(performance.now() + this.stay());
    else this.#timer ??= setTimeout(() => this.#draw(), pace);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stop();
    if (this.#new.length > 0) this.draw(this.#new.splice(0));
    this.#finish();
  }

  #finish(): void {
    const over = this.#over;
    this.#over = null;
    over?.();
  }

  /** From now on, the next as soon as it is due. */
  #play(due: number): () => void {
    return afterFrame((now) => {
      this.#back = null;
      if (this.state !== 'running') return;
      if (this.stay() === 0) return this.#draw();
      let next = due;
      if (now >= due && this.#new.length > 0) {
        this.draw(this.#new.splice(0, 1));
        // What came late is not hurried after: each stays its time.
        const stay = this.stay();
        next = (due + stay > now ? due : now) + stay;
      }
      if (this.#new.length === 0 && this.#over) this.#finish();
      else this.#back = this.#play(next);
    });
  }

  #stop(): void {
    this.#back?.();
    this.#back = null;
  }
}

/** Called where the figure of a training is made: it lives on where its page is left, and waits there, and while nobody can see it. */
export function waitUnseen(run: Going): void {
  const look = (hidden: boolean): void => {
    if (hidden && run.state === 'running') {
      run.wait();
      unseen.add(run);
    } else if (!hidden && unseen.delete(run) && run.state === 'waiting') run.go();
  };
  $effect(() => {
    const change = () => look(document.hidden);
    untrack(change);
    document.addEventListener('visibilitychange', change);
    return () => {
      document.removeEventListener('visibilitychange', change);
      look(true);
    };
  });
}
