// The page's side of the Worker: the newest request wins, answers to older ones are dropped.
import TrilWorker from './worker?worker';
import type {
  AttendRequest,
  AttendResult,
  Failure,
  FromWorker,
  Loaded,
  ToWorker,
} from './protocol';

/** How long the page must have been quiet before the Worker is kept busy with measuring. */
const quietMilliseconds = 500;

/** A result with what it is the result of. */
export interface Answer<Job> {
  readonly job: Job;
  readonly result: AttendResult;
}

export class Compute<Job extends { readonly request: AttendRequest }> {
  loaded = $state.raw<Loaded | null>(null);
  answer = $state.raw<Answer<Job> | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** Microseconds of one call of attention(), null until measured. */
  measured = $state.raw<number | null>(null);

  readonly #worker = new TrilWorker();
  #newest = 0;
  #busy = false;
  #waiting: Job | null = null;
  #running: Job | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) =>
      this.#hear(data),
    );
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.failure = { message: event.message || 'The Worker that computes could not be started.' };
    });
  }

  attend(job: Job): void {
    clearTimeout(this.#timer);
    this.#waiting = job;
    this.measured = null;
    this.#next();
  }

  /** Nothing to compute: what was shown goes, and so do answers under way. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#waiting = null;
    this.#newest += 1;
    this.answer = null;
    this.failure = null;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#worker.terminate();
  }

  #next(): void {
    if (this.#busy || !this.#waiting) return;
    const { request } = (this.#running = this.#waiting);
    this.#waiting = null;
    this.#busy = true;
    this.#send({ kind: 'attend', id: ++this.#newest, request });
    this.#timer = setTimeout(
      () => this.#send({ kind: 'measure', id: this.#newest, request }),
      quietMilliseconds,
    );
  }

  #send(message: ToWorker): void {
    // What crosses is cloned; $state.snapshot() is not needed, since requests are plain data.
    this.#worker.postMessage(message);
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'loaded') this.loaded = message.loaded;
    if (message.kind === 'notLoaded') this.failure = message.failure;
    if (!('id' in message)) return;
    if (message.kind !== 'measured') this.#busy = false;
    if (message.id === this.#newest) {
      if (message.kind === 'attended' && this.#running) {
        this.answer = { job: this.#running, result: message.result };
        this.failure = null;
      }
      if (message.kind === 'failed') this.failure = message.failure;
      if (message.kind === 'measured') this.measured = message.microseconds;
    }
    this.#next();
  }
}
