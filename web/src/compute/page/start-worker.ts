// Starts the Workers that compute. Bundlers look for exactly these expressions.
import { common } from './common';
import type { WorkerLike } from './line';
import { endOf } from './shared';

/** Whether documents of one host page are to share theirs: not those that have ended an end of it, which may be stuck. */
let shares = false;

/** From now on, where the browser has Workers that can be shared. */
export const shareWorkers = () => void (shares = 'SharedWorker' in globalThis);

/** Null where this document has its own, or the visitor lets no other page's frames keep anything. */
function shared(start: () => SharedWorker): WorkerLike | null {
  if (!shares) return null;
  try {
    return endOf(start(), () => (shares = false));
  } catch {
    return null;
  }
}

/** One that computes on one thread: what is measured says so, and what went wrong with threads goes well without. */
export const startWorkerAlone = () =>
  new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module', name: 'alone' });

const startOwn = () =>
  new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module' });

/** One that takes threads where it can, unless it is shared, or takes the place of one that has failed. */
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
 * An end of the one that trains. Its module, which only chapter "Learn" asks for, computes what the other one does as well;
 * so it answers that chapter's questions, too.
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
