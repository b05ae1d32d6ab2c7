// A measurement under way: started, followed, and cancelled by ending its Worker.
import type { FromMeasuring, Measured, Plan, Subject, Subjects } from './measure-protocol';

export class Measuring<S extends Subject> {
  state = $state.raw<'idle' | 'running' | 'finished' | 'cancelled' | 'failed'>('idle');
  peak = $state.raw<number | null>(null);
  variant = $state.raw('');
  measured = $state.raw<readonly Measured<S>[]>([]);
  skipped = $state.raw<readonly { runner: Subjects[S]['runner']; n: number }[]>([]);
  now = $state.raw<{ runner: Subjects[S]['runner']; n: number } | null>(null);
  /** How much of the plan is done, 0 to 1. */
  done = $state(0);
  /** Milliseconds that the rest will take, about. */
  remaining = $state(0);
  failure = $state.raw('');

  #worker: Worker | null = null;

  start(plan: Plan<S>): void {
    this.#end();
    this.state = 'running';
    this.peak = null;
    this.measured = [];
    this.skipped = [];
    this.done = 0;
    const worker = new Worker(new URL('./measure-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromMeasuring<S>>) =>
      this.#hear(data),
    );
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#hear({ kind: 'failed', message: event.message });
    });
    worker.postMessage(plan);
    this.#worker = worker;
  }

  cancel(): void {
    if (this.state !== 'running') return;
    this.#end();
    this.state = 'cancelled';
  }

  close(): void {
    this.#end();
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.now = null;
  }

  #hear(message: FromMeasuring<S>): void {
    if (message.kind === 'loaded') this.variant = message.variant;
    else if (message.kind === 'peak') this.peak = message.gigaflops;
    else if (message.kind === 'progress') {
      this.done = message.done;
      this.remaining = message.remaining;
      this.now = { runner: message.runner, n: message.n };
    } else if (message.kind === 'measured') this.measured = [...this.measured, message.measured];
    else if (message.kind === 'skipped') {
      this.skipped = [...this.skipped, { runner: message.runner, n: message.n }];
    } else {
      this.#end();
      this.done = 1;
      this.state = message.kind;
      if (message.kind === 'failed') this.failure = message.message;
    }
  }
}
