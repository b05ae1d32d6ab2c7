// A measurement in progress: started, followed and cancelled, in a separate Worker so that nothing else disturbs it.
import { Line, type Begun } from './line';
import type {
  Measured,
  MeasureSessions,
  Plan,
  Subject,
  Subjects,
} from '../shared/measure-protocol';
import { startWorkerAlone } from './start-worker';

type Said<S extends Subject> = MeasureSessions[S]['said'];

export class Measuring<S extends Subject> {
  state = $state.raw<'idle' | 'running' | 'finished' | 'cancelled' | 'failed'>('idle');
  peak = $state.raw<number | null>(null);
  variant = $state.raw('');
  measured = $state.raw<readonly Measured<S>[]>([]);
  skipped = $state.raw<readonly { runner: Subjects[S]['runner']; n: number }[]>([]);
  now = $state.raw<{ runner: Subjects[S]['runner']; n: number; again: boolean } | null>(null);
  /** Progress of the plan, 0 to 1. */
  done = $state(0);
  /** Estimated milliseconds of the rest. */
  remaining = $state(0);
  failure = $state.raw('');

  readonly #subject: S;
  readonly #line = new Line(startWorkerAlone, () => {
    this.variant = this.#line.loaded?.variant ?? this.variant;
  });
  #session: Begun | null = null;

  /** Number of results that were still disturbed after all repetitions. */
  readonly unsteady = $derived(this.measured.filter(({ steady }) => !steady).length);

  constructor(subject: S) {
    this.#subject = subject;
  }

  start(plan: Plan<S>): void {
    this.#session?.cancel();
    this.state = 'running';
    this.peak = null;
    this.measured = [];
    this.skipped = [];
    this.done = 0;
    this.#session = this.#line.begin(
      this.#subject,
      plan,
      (outcome) => {
        this.now = null;
        this.done = 1;
        if (outcome.what === 'failed') this.failure = outcome.failure.message;
        this.state = outcome.what === 'answer' ? 'finished' : outcome.what;
      },
      (message) => this.#hear(message as Said<S>),
    );
  }

  cancel(): void {
    this.#session?.cancel();
  }

  close(): void {
    this.#line.close();
  }

  #hear(message: Said<S>): void {
    if (message.kind === 'peak') this.peak = message.gigaflops;
    else if (message.kind === 'progress') {
      this.done = message.done;
      this.remaining = message.remaining;
      const { runner, n, again } = message;
      this.now = { runner, n, again };
    } else if (message.kind === 'measured') this.measured = [...this.measured, message.measured];
    else this.skipped = [...this.skipped, { runner: message.runner, n: message.n }];
  }
}
