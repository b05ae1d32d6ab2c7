// One document's end of a Worker that all figures of a host page share; each of them is a separate document.
import type { ToEnd } from '../worker/jobs';
import type { WorkerLike } from './line';

/** Terminating it ends what was begun here, calls `over`, and leaves the Worker to the others. */
export function endOf(worker: SharedWorker, over: () => void): WorkerLike {
  const { port } = worker;
  const end: WorkerLike = {
    onmessage: null,
    onerror: null,
    onmessageerror: null,
    postMessage: (message) => port.postMessage(message),
    terminate() {
      leave();
      over();
    },
  };
  function leave(): void {
    port.postMessage({ what: 'leave' } satisfies ToEnd);
    port.close();
  }
  worker.onerror = (event) => end.onerror?.(event as ErrorEvent);
  port.onmessageerror = (event) => end.onmessageerror?.(event);
  port.onmessage = (event) => end.onmessage?.(event);
  addEventListener('pagehide', ({ persisted }) => persisted || leave());
  return end;
}
