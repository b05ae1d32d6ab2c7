// The Worker's end of the channel to the page: jobs by id. Each is a question with one answer, or a session that sends
// messages, receives commands, and can be cancelled.
import { Cancelled, type Session } from './answers';
import type { Failure, Loaded } from '../page/protocol';

export type ToWorker =
  | { readonly what: 'begin'; readonly id: number; readonly kind: string; readonly ask: unknown }
  | { readonly what: 'tell'; readonly id: number; readonly message: unknown }
  | { readonly what: 'cancel'; readonly id: number };

/** `leave`: a document of a shared Worker sends no more messages. */
export type ToEnd = ToWorker | { readonly what: 'leave' };

export type FromWorker =
  | { readonly what: 'loaded'; readonly loaded: Loaded }
  | { readonly what: 'notLoaded'; readonly failure: Failure }
  | { readonly what: 'said'; readonly id: number; readonly message: unknown }
  | { readonly what: 'answer'; readonly id: number; readonly answer: unknown }
  /** `broken`: a call of the module was aborted, and the module cannot be trusted any more. */
  | {
      readonly what: 'failed';
      readonly id: number;
      readonly failure: Failure;
      readonly broken: boolean;
    };

/** Lets messages that have arrived meanwhile be handled. A timer would take at least 4 ms. */
function afterOthers(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

class Job implements Session<unknown, unknown> {
  readonly #ending = new AbortController();
  readonly say: (message: unknown) => void;
  readonly #told: unknown[] = [];
  #wake: (() => void) | null = null;

  constructor(say: (message: unknown) => void) {
    this.say = say;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get cancelled(): boolean {
    return this.signal.aborted;
  }

  told(): unknown[] {
    return this.#told.splice(0);
  }

  async next(): Promise<unknown> {
    while (this.#told.length === 0) {
      this.check();
      await new Promise<void>((wake) => (this.#wake = wake));
    }
    this.check();
    return this.#told.shift();
  }

  async turn(): Promise<void> {
    this.check();
    await afterOthers();
    this.check();
  }

  hear(message: unknown): void {
    this.#told.push(message);
    this.#wake?.();
  }

  cancel(): void {
    this.#ending.abort();
    this.#wake?.();
  }

  check(): void {
    if (this.cancelled) throw new Cancelled();
  }
}

export class Jobs {
  readonly #jobs = new Map<number, Job>();
  readonly #work: (kind: string, ask: unknown, session: Session<unknown, unknown>) => unknown;
  readonly #say: (message: FromWorker) => void;
  readonly #explain: (error: unknown) => Failure;

  /** `work` answers a question, at once or later. */
  constructor(
    work: (kind: string, ask: unknown, session: Session<unknown, unknown>) => unknown,
    say: (message: FromWorker) => void,
    explain: (error: unknown) => Failure,
  ) {
    this.#work = work;
    this.#say = say;
    this.#explain = explain;
  }

  hear(message: ToWorker): void {
    if (message.what === 'begin') void this.#run(message);
    else if (message.what === 'tell') this.#jobs.get(message.id)?.hear(message.message);
    else this.#jobs.get(message.id)?.cancel();
  }

  /** Cancels all jobs when nobody listens any more. */
  cancelAll(): void {
    for (const job of this.#jobs.values()) job.cancel();
  }

  async #run({ id, kind, ask }: Extract<ToWorker, { what: 'begin' }>): Promise<void> {
    const job = new Job((message) => {
      if (!job.cancelled) this.#say({ what: 'said', id, message });
    });
    this.#jobs.set(id, job);
    try {
      const answer = await this.#work(kind, ask, job);
      if (!job.cancelled) this.#say({ what: 'answer', id, answer });
    } catch (error) {
      const broken = error instanceof WebAssembly.RuntimeError;
      if (broken || !job.cancelled) {
        this.#say({ what: 'failed', id, failure: this.#explain(error), broken });
      }
    } finally {
      this.#jobs.delete(id);
    }
  }
}
