// A Worker for several lines: each holds an end of it, hears all that it says, and knows its own by their numbers.
import type { FromWorker } from '../worker/jobs';
import type { WorkerLike } from './line';

/** One line's end. To end it ends the Worker for all; to leave it does so only for who is last. */
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
  /** What it said once it had loaded, for those who come later. */
  loaded: MessageEvent<FromWorker> | null = null;
  readonly #over: () => void;

  /** `over` hears that it is of no use any more, before anyone who would start another. */
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

  /** By one of them; the others hear that it is gone. */
  end(by: End): void {
    if (!this.ends.delete(by)) return;
    const event = { message: 'The Worker that computes was ended.', preventDefault() {} };
    for (const end of this.#close()) end.onerror?.(event as ErrorEvent);
  }

  leave(end: End): void {
    if (this.ends.delete(end) && this.ends.size === 0) this.#close();
  }

  /** Those who held it. */
  #close(): readonly End[] {
    const left = [...this.ends];
    this.ends.clear();
    this.worker.terminate();
    this.#over();
    return left;
  }
}

/** Gives ends of one Worker, started for the first of them, and anew for who comes once it has failed or been ended. */
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
