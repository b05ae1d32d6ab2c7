// The page's end of the line to a Worker. Whatever is begun ends: with an answer, or with a reason why there is none.
// A Worker that fails is started again once, and asked again what had no answer yet; after that the visitor is to say.
import type { FromWorker, ToWorker } from '../worker/jobs';
import type { Failure, Loaded } from './protocol';

export type Outcome<Answer = unknown> =
  | { readonly what: 'answer'; readonly answer: Answer }
  | { readonly what: 'failed'; readonly failure: Failure }
  | { readonly what: 'cancelled' };

/** What is needed of a Worker. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  postMessage: (message: unknown) => void;
  terminate: () => void;
  /** Of one that others use as well: they keep it. */
  leave?: () => void;
}

/** What has been begun. */
export interface Begun<Told = never> {
  /** Only of a session. */
  tell(message: Told): void;
  /** It is settled at once; the Worker leaves off as soon as it listens. */
  cancel(): void;
}

interface Waiting {
  readonly kind: string;
  readonly ask: unknown;
  readonly hear: (outcome: Outcome) => void;
  /** Of a session, which cannot begin again without what it was told. */
  readonly said: ((message: unknown) => void) | null;
  /** Of a session that only holds something: nobody waits for its end. */
  readonly holds: boolean;
}

/** Milliseconds without a word, while something is waited for, after which the visitor may end it. */
const patience = 20_000;

/** The last number of anything begun: no two are the same, so that lines can share a Worker. */
let newest = 0;

export class Line {
  loaded: Loaded | null = null;
  /** Why nothing is computed any more, until it is tried again. */
  failure: Failure | null = null;
  /** The visitor has ended what took too long: nothing is computed until it is tried again. */
  stopped = false;
  /** Something has been waited for without a word for long. */
  slow = false;

  readonly #start: (again: boolean) => WorkerLike;
  readonly #changed: () => void;
  #worker: WorkerLike | null = null;
  readonly #waiting = new Map<number, Waiting>();
  /** The Worker has been started again since all was well. */
  #again = false;
  #silence: ReturnType<typeof setTimeout> | undefined;
  readonly #whenIdle = new Set<() => void>();

  /** `start` is told whether the Worker before has failed. */
  constructor(start: (again: boolean) => WorkerLike, changed: () => void = () => {}) {
    this.#start = start;
    this.#changed = changed;
  }

  /** Something has not been answered yet. */
  get busy(): boolean {
    return [...this.#waiting.values()].some(({ holds }) => !holds);
  }

  /** A question has no answer yet. Sessions do not count: they may go on for as long as the page is open. */
  get asking(): boolean {
    return [...this.#waiting.values()].some(({ said }) => !said);
  }

  /** Starts the Worker, if there is none; what is begun does so as well. */
  start(): void {
    if (this.#worker || this.failure || this.stopped) return;
    const worker = this.#start(this.#again);
    this.#worker = worker;
    // What is still on its way from one that was ended is not about the one in its place.
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
    kind: string,
    ask: unknown,
    hear: (outcome: Outcome) => void,
    said: Waiting['said'] = null,
    holds = false,
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

  /** `work` is done when nothing is waited for, one after another; the result takes it back. */
  whenIdle(work: () => void): () => void {
    this.#whenIdle.add(work);
    queueMicrotask(() => this.#idle());
    return () => this.#whenIdle.delete(work);
  }

  /** The visitor ends what takes too long: all that is waited for has no answer. */
  stop(): void {
    this.#end();
    this.stopped = true;
    this.#settleAll({ what: 'cancelled' });
  }

  /** After a failure, or when it was stopped. Who was left without an answer asks anew. */
  tryAgain(): void {
    this.failure = null;
    this.stopped = false;
    this.#again = false;
    this.start();
    this.#changed();
  }

  /** Takes another Worker, and leaves the one before to whoever else uses it; questions are asked again there. */
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
    if (!this.busy) return; // The next that is begun starts it.
    if (this.#again) {
      this.failure = failure;
      this.#settleAll({ what: 'failed', failure });
      return;
    }
    this.#again = true;
    this.#startAnew();
  }

  /** With the questions that have no answer yet. */
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

  /** From now on silence counts anew, while something is waited for. */
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
