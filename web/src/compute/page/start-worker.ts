// Starts the Workers that compute. Bundlers look for exactly these expressions.
import { common } from './common';
import type { WorkerLike } from './line';
import { endOf } from './shared';

/**
 * Whether the documents of one host page share Workers. A document that has terminated an end does not, since the
 * shared Worker may be stuck.
 */
let shares = false;

/** Shares Workers from now on, if the browser supports that. */
export const shareWorkers = () => void (shares = 'SharedWorker' in globalThis);

/** Null if this document has its own Worker, or if the visitor's settings deny storage to frames of other sites. */
function shared(start: () => SharedWorker): WorkerLike | null {
  if (!shares) return null;
  try {
    return endOf(start(), () => (shares = false));
  } catch {
    return null;
  }
}

/** A Worker with one thread: measurements name its variant, and work that failed with threads succeeds here. */
export const startWorkerAlone = () =>
  new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module', name: 'alone' });

const startOwn = () =>
  new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module' });

/** A Worker that uses threads if it can, unless it is shared, or replaces a Worker that has failed. */
export const startWorker = (again: boolean): WorkerLike =>
  again
    ? startWorkerAlone()
    : (shared(
        () =>
          new SharedWorker(new URL('../worker/worker.ts', import.meta.url), {
            type: 'module',
            name: 'alone',
          }),
      ) ?? startOwn());

/**
 * An end of the training Worker. Its module, which only chapters that train request, can do all that the other one can,
 * so it answers the questions of these chapters, too.
 */
export const startTrainingWorker = common(
  () =>
    shared(
      () =>
        new SharedWorker(new URL('../worker/training/training-worker.ts', import.meta.url), {
          type: 'module',
        }),
    ) ??
    new Worker(new URL('../worker/training/training-worker.ts', import.meta.url), {
      type: 'module',
    }),
);
