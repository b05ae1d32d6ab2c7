// A training in progress: begun, paused, followed and left. It survives when its chapter is left, and waits there.
import { untrack } from 'svelte';
import { afterFrame } from '../frames';
import { isSame } from '../kept';
import { Line, type Begun } from '../line';
import type { Failure, Loaded } from '../protocol';
import { startTrainingWorker } from '../start-worker';
import type { TrainingSessions, TrainingTold } from '../../shared/training/protocol';
import text from '$texts/shell.yaml';

/** Milliseconds between two drawings, during which the training goes on. */
const pace = 200;

class TrainingLine {
  loaded = $state.raw<Loaded | null>(null);
  readonly line = new Line(
    startTrainingWorker,
    () => (this.loaded = this.line.loaded ?? this.loaded),
  );
}
/** The reason why there is no answer. For a missing file it is advice to the visitor, not the file's name. */
export const whyOf = ({ offline, message }: Failure): string => (offline ? text.offline : message);

/** One Worker for all trainings. */
export const trainingLine = new TrainingLine();

/** An activity that goes on by itself until it is paused. */
interface Going {
  readonly state: string;
  go(): void;
  wait(): void;
}

/** Activities that are paused because nobody sees them. */
const unseen = new WeakSet<Going>();

export abstract class Run<K extends keyof TrainingSessions> {
  state = $state.raw<'loading' | 'ready' | 'running' | 'waiting' | 'finished' | 'failed'>(
    'loading',
  );
  /** The result; set when all steps are done. */
  end = $state.raw<TrainingSessions[K]['answer'] | null>(null);
  failure = $state.raw('');
  /** The training that the figures show. */
  asked = $state.raw<TrainingSessions[K]['ask'] | null>(null);

  readonly #kind: K;
  /** The training that was begun last. */
  #wanted: TrainingSessions[K]['ask'] | null = null;
  #session: Begun<unknown> | null = null;
  /** Number of the training shown. */
  #run = 0;
  #new: TrainingSessions[K]['said'][] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Runs once all messages are shown. */
  #over: (() => void) | null = null;
  /** Cancels the next drawing, if messages are shown one by one. */
  #back: (() => void) | null = null;
  /** The training starts as soon as its session has begun. */
  #eager = false;
  #told!: () => void;
  /** Settles once there is something to see, or will be nothing. */
  readonly begun = new Promise<void>((done) => (this.#told = done));

  constructor(kind: K) {
    this.#kind = kind;
  }

  /** Removes what was shown of another training, before the first message of this one. */
  protected abstract restart(): void;
  /** Shows the messages since the last drawing. */
  protected abstract draw(said: readonly TrainingSessions[K]['said'][]): void;

  /** Milliseconds for which each message stays; 0 if all are shown at once. */
  protected stay(): number {
    return 0;
  }

  /** Begins a training, unless it is the one begun last. */
  follow(ask: TrainingSessions[K]['ask']): void {
    if (!isSame(ask, this.#wanted)) this.begin(ask);
  }

  /** Begins with a model that has not learned anything yet. */
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
        // The state of another training stays until the first message of this one.
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

  /** The training has not started yet. */
  get fresh(): boolean {
    return this.state === 'loading' || this.state === 'ready';
  }

  goFirst(): void {
    if (this.fresh) this.go();
  }

  /** Starts or continues; a training that is not there yet starts as soon as it is. */
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

  /**
   * Schedules the drawing of new messages: soon, or one after another if each is to stay. The Worker goes on meanwhile.
   */
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

  /** Plays the messages from now on, each when it is due. */
  #play(due: number): () => void {
    return afterFrame((now) => {
      this.#back = null;
      if (this.state !== 'running') return;
      if (this.stay() === 0) return this.#draw();
      let next = due;
      if (now >= due && this.#new.length > 0) {
        this.draw(this.#new.splice(0, 1));
        // A late message does not shorten the next one's time.
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

/**
 * Called while the figure of a training is created: the training pauses when its page is left or hidden, and survives.
 */
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
