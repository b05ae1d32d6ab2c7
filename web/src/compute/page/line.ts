// The page's channel to a Worker. Every request ends: with an answer, or with the reason why there is none. A Worker
// that fails is restarted once, and unanswered questions are asked again; after that the visitor decides.
import type { FromWorker, ToWorker } from '../worker/jobs';
import type { Failure, Loaded } from './protocol';

export type Outcome<Answer = unknown> =
  | { readonly what: 'answer'; readonly answer: Answer }
  | { readonly what: 'failed'; readonly failure: Failure }
  | { readonly what: 'cancelled' };

/** The part of a Worker's interface that the channel needs. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  postMessage: (message: unknown) => void;
  terminate: () => void;
  /** Leaves a Worker that others use as well, without ending it. */
  leave?: () => void;
}

/** A request that has begun. */
export interface Begun<Told = never> {
  /** Sends a message to a session. */
  tell(message: Told): void;
  /** Settles the request at once; the Worker stops working on it as soon as it reads the message. */
  cancel(): void;
}

/** Takes requests: the line to a Worker, or what stands before it. */
export interface Channel {
  /** Number of retries: questions without an answer are asked again. */
  readonly tries?: number;
  /**
   * Calls `hear` once with the outcome. A request with `said` is a session, and `said` receives its messages. With
   * `holds` the session only keeps something, and nobody waits for its end.
   */
  begin(
    kind: string,
    ask: unknown,
    hear: (outcome: Outcome) => void,
    said?: ((message: unknown) => void) | null,
    holds?: boolean,
  ): Begun<unknown>;
}

interface Waiting {
  readonly kind: string;
  readonly ask: unknown;
  readonly hear: (outcome: Outcome) => void;
  /** The receiver of a session's messages. A session cannot be restarted without the commands it was given. */
  readonly said: ((message: unknown) => void) | null;
  /** The session only keeps something: nobody waits for its end. */
  readonly holds: boolean;
}

/** Milliseconds of silence, while a request waits, after which the visitor may stop it. */
const patience = 20_000;

/** The last id of a request: ids are unique, so that channels can share a Worker. */
let newest = 0;

export class Line implements Channel {
  loaded: Loaded | null = null;
  /** The reason why nothing is computed any more, until the visitor tries again. */
  failure: Failure | null = null;
  /** The visitor has stopped work that took too long: nothing is computed until the next try. */
  stopped = false;
  /** A request has waited for long without a message. */
  slow = false;

  readonly #start: (again: boolean) => WorkerLike;
  readonly #changed: () => void;
  #worker: WorkerLike | null = null;
  readonly #waiting = new Map<number, Waiting>();
  /** The Worker has been restarted since the last success. */
  #again = false;
  #silence: ReturnType<typeof setTimeout> | undefined;
  readonly #whenIdle = new Set<() => void>();

  /** `start` gets whether the previous Worker has failed. */
  constructor(start: (again: boolean) => WorkerLike, changed: () => void = () => {}) {
    this.#start = start;
    this.#changed = changed;
  }

  /** Some request has no answer yet. */
  get busy(): boolean {
    return [...this.#waiting.values()].some(({ holds }) => !holds);
  }

  /** A question has no answer yet. Sessions do not count: they may last as long as the page is open. */
  get asking(): boolean {
    return [...this.#waiting.values()].some(({ said }) => !said);
  }

  /** Starts the Worker, if there is none; every request does so as well. */
  start(): void {
    if (this.#worker || this.failure || this.stopped) return;
    const worker = this.#start(this.#again);
    this.#worker = worker;
    // A late message of a Worker that was ended does not concern its successor.
    const isOver = () => this.#worker !== worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => isOver() || this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (isOver()) return;
      this.#fail({ message: event.message || 'The Worker that computes could not be started.' });
    };
    worker.onmessageerror = () =>
      isOver() || this.#fail({ message: 'The Worker could not be understood.' });
  }

  begin(
    ...[kind, ask, hear, said = null, holds = false]: Parameters<Channel['begin']>
  ): Begun<unknown> {
    const id = ++newest;
    if (this.failure || this.stopped) {
      hear(this.failure ? { what: 'failed', failure: this.failure } : { what: 'cancelled' });
      return { tell() {}, cancel() {} };
    }
    this.#waiting.set(id, { kind, ask, hear, said, holds });
    this.start();
    this.#post({ what: 'begin', id, kind, ask });
    this.#listen();
    this.#changed();
    return {
      tell: (message) => {
        if (this.#waiting.has(id)) this.#post({ what: 'tell', id, message });
      },
      cancel: () => {
        if (!this.#waiting.has(id)) return;
        this.#post({ what: 'cancel', id });
        this.#settle(id, { what: 'cancelled' });
      },
    };
  }

  /** Runs `work` when no request waits, one after another; the result cancels it. */
  whenIdle(work: () => void): () => void {
    this.#whenIdle.add(work);
    queueMicrotask(() => this.#idle());
    return () => this.#whenIdle.delete(work);
  }

  /** Stops work that takes too long: all waiting requests end without an answer. */
  stop(): void {
    this.#end();
    this.stopped = true;
    this.#settleAll({ what: 'cancelled' });
  }

  /** Tries again after a failure or a stop. Clients without an answer ask again. */
  tryAgain(): void {
    this.failure = null;
    this.stopped = false;
    this.#again = false;
    this.start();
    this.#changed();
  }

  /** Changes to another Worker, and leaves the old one to its other users; questions are asked again there. */
  move(): void {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = null;
    this.loaded = null;
    (worker.leave ?? worker.terminate).call(worker);
    this.#settleSessions({ what: 'cancelled' });
    this.#startAnew();
  }

  close(): void {
    this.#end();
    this.#whenIdle.clear();
    this.#settleAll({ what: 'cancelled' });
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.loaded = null;
  }

  #post(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #hear(message: FromWorker): void {
    this.#listen();
    if (message.what === 'loaded') {
      this.loaded = message.loaded;
      this.#changed();
    } else if (message.what === 'notLoaded') this.#fail(message.failure);
    else if (message.what === 'said') this.#waiting.get(message.id)?.said?.(message.message);
    else {
      const { id, ...outcome } = message;
      this.#settle(id, outcome);
      if (message.what === 'failed' && message.broken) this.#fail(message.failure);
    }
  }

  #fail(failure: Failure): void {
    this.#end();
    this.#settleSessions({ what: 'failed', failure });
    if (!this.busy) return; // The next request starts it.
    if (this.#again) {
      this.failure = failure;
      this.#settleAll({ what: 'failed', failure });
      return;
    }
    this.#again = true;
    this.#startAnew();
  }

  /** Starts a Worker, and repeats the unanswered requests. */
  #startAnew(): void {
    this.start();
    for (const [id, { kind, ask }] of this.#waiting) this.#post({ what: 'begin', id, kind, ask });
    this.#listen();
    this.#changed();
  }

  #settle(id: number, outcome: Outcome): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (!this.busy && outcome.what === 'answer') this.#again = false;
    waiting.hear(outcome);
    this.#listen();
    this.#changed();
    this.#idle();
  }

  #settleSessions(outcome: Outcome): void {
    for (const [id, { said }] of this.#waiting) if (said) this.#settle(id, outcome);
  }

  #settleAll(outcome: Outcome): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, outcome);
    this.#listen();
    this.#changed();
  }

  #idle(): void {
    if (this.failure || this.stopped) return;
    for (const work of this.#whenIdle) {
      if (this.busy) return;
      this.#whenIdle.delete(work);
      work();
    }
  }

  /** Restarts the timer of silence, while a request waits. */
  #listen(): void {
    clearTimeout(this.#silence);
    if (this.slow) {
      this.slow = false;
      this.#changed();
    }
    if (!this.busy) return;
    this.#silence = setTimeout(() => {
      this.slow = true;
      this.#changed();
    }, patience);
  }
}
