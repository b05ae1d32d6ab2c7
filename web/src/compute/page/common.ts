// Lets several clients share a Worker; each has its own end, receives all messages, and picks its own by id.
import type { FromWorker } from '../worker/jobs';
import type { WorkerLike } from './line';

/** One client's end. Terminating it terminates the Worker for all; leaving it does so only for the last client. */
class End implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  onmessageerror: WorkerLike['onmessageerror'] = null;
  readonly postMessage: (message: unknown) => void;
  readonly terminate: () => void;
  readonly leave: () => void;

  constructor(shared: Shared) {
    this.postMessage = (message) => shared.worker.postMessage(message);
    this.terminate = () => shared.end(this);
    this.leave = () => shared.leave(this);
  }
}

class Shared {
  readonly ends = new Set<End>();
  readonly worker: WorkerLike;
  /** The Worker's message about loading, repeated for later clients. */
  loaded: MessageEvent<FromWorker> | null = null;
  readonly #over: () => void;

  /** `over` is called when the Worker is of no use any more, before any client is told, which might start another. */
  constructor(worker: WorkerLike, over: () => void) {
    this.worker = worker;
    this.#over = over;
    worker.onmessage = (event: MessageEvent<FromWorker>) => {
      const { data } = event;
      if (data.what === 'loaded') this.loaded = event;
      const failed = data.what === 'notLoaded' || (data.what === 'failed' && data.broken);
      for (const end of failed ? this.#close() : [...this.ends]) end.onmessage?.(event);
    };
    worker.onerror = (event) => {
      for (const end of this.#close()) end.onerror?.(event);
    };
    worker.onmessageerror = (event) => {
      for (const end of this.#close()) end.onmessageerror?.(event);
    };
  }

  /** Terminates the Worker for one end; the others get an error. */
  end(by: End): void {
    if (!this.ends.delete(by)) return;
    const event = { message: 'The Worker that computes was ended.', preventDefault() {} };
    for (const end of this.#close()) end.onerror?.(event as ErrorEvent);
  }

  leave(end: End): void {
    if (this.ends.delete(end) && this.ends.size === 0) this.#close();
  }

  /** Terminates the Worker, and returns the ends that held it. */
  #close(): readonly End[] {
    const left = [...this.ends];
    this.ends.clear();
    this.worker.terminate();
    this.#over();
    return left;
  }
}

/** Creates ends of one Worker, started for the first of them, and again after it has failed or was terminated. */
export function common(start: () => WorkerLike): () => WorkerLike {
  let shared: Shared | null = null;
  return () => {
    const one = (shared ??= new Shared(start(), () => (shared = null)));
    const end = new End(one);
    one.ends.add(end);
    queueMicrotask(() => one.loaded && one.ends.has(end) && end.onmessage?.(one.loaded));
    return end;
  };
}
