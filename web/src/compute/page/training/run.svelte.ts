// A training in progress: begun, paused, followed and left. It survives when its chapter is left, and waits there.
import { untrack } from 'svelte';
import { asks } from '../asking';
import { afterFrame } from '../frames';
import { isSame } from '../kept';
import { Line, type Outcome } from '../line';
import { Session, type Answer, type Ask, type Part, type Told } from '../session.svelte';
import { startTrainingWorker } from '../start-worker';
import type { TrainingSessions } from '../../shared/training/protocol';

/** Milliseconds between two drawings, during which the training goes on. */
const pace = 200;

/** One Worker for all trainings. */
export const trainingLine: Line = new Line(startTrainingWorker, () =>
  asks(trainingLine, trainingLine.asking),
);

/** An activity that goes on by itself until it is paused. */
interface Going {
  readonly state: string;
  go(): void;
  wait(): void;
}

/** Activities that are paused because nobody sees them. */
const unseen = new WeakSet<Going>();

export class Run<K extends keyof TrainingSessions> extends Session<
  K,
  'loading' | 'ready' | 'running' | 'waiting' | 'finished' | 'failed'
> {
  /** The training that was begun last. */
  #wanted: Ask<K> | null = null;
  /** The parts that are not shown yet. */
  #new: Part<K>[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Runs once all parts are shown. */
  #over: (() => void) | null = null;
  /** Cancels the next drawing, if parts are shown one by one. */
  #back: (() => void) | null = null;
  /** The training starts as soon as its session has begun. */
  #eager = false;
  /** No part has arrived yet: the state of another training stays until then. */
  #isNew = true;
  #told!: () => void;
  /** Settles once there is something to see, or will be nothing. */
  readonly begun = new Promise<void>((done) => (this.#told = done));

  constructor(kind: K) {
    super(kind, trainingLine);
    this.state = 'loading';
  }

  /** Shows the parts since the last drawing. */
  protected draw(parts: readonly Part<K>[]): void {
    this.parts = [...this.parts, ...parts];
  }

  /** Milliseconds for which each part stays; 0 if all are shown at once. */
  protected stay(): number {
    return 0;
  }

  /** Begins a training, unless it is the one begun last. */
  follow(ask: Ask<K>): void {
    if (!isSame(ask, this.#wanted)) this.begin(ask);
  }

  /** Begins with a model that has not learned anything yet. */
  override begin(ask: Ask<K>): void {
    this.#wanted = ask;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#new = [];
    this.#over = null;
    this.#stop();
    unseen.delete(this);
    this.#isNew = true;
    this.launch(ask, 'loading');
    if (this.#eager) this.go();
    this.#eager = false;
  }

  protected override hear(part: Part<K>): void {
    this.#new.push(part);
    if (!this.#isNew) return this.#show();
    this.#isNew = false;
    this.clear(this.#wanted);
    if (this.state === 'loading') this.state = 'ready';
    this.#draw();
    this.#told();
  }

  protected override settle(outcome: Outcome<Answer<K>>): void {
    if (outcome.what === 'cancelled') return;
    this.#told();
    this.#over = () => super.settle(outcome);
    if (outcome.what === 'failed' || this.stay() === 0) this.#draw();
    else this.#show();
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
    if (this.#wanted === null) {
      this.#eager = true;
      return;
    }
    this.tell('go' as Told<K>);
    this.state = 'running';
    this.#show();
  }

  wait(): void {
    this.tell('wait' as Told<K>);
    this.state = 'waiting';
  }

  /**
   * Schedules the drawing of new parts: soon, or one after another if each is to stay. The Worker goes on meanwhile.
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

  /** Plays the parts from now on, each when it is due. */
  #play(due: number): () => void {
    return afterFrame((now) => {
      this.#back = null;
      if (this.state !== 'running') return;
      if (this.stay() === 0) return this.#draw();
      let next = due;
      if (now >= due && this.#new.length > 0) {
        this.draw(this.#new.splice(0, 1));
        // A late part does not shorten the next one's time.
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
