// Starts the Workers that compute. Bundlers look for exactly these expressions.
import { common } from './common';

/** One that computes on one thread: what is measured says so, and what went wrong with threads goes well without. */
export const startWorkerAlone = () =>
  new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'alone' });

/** One that takes threads where it can, unless it takes the place of one that has failed. */
export const startWorker = (again: boolean) =>
  again
    ? startWorkerAlone()
    : new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

/**
 * An end of the one that trains. Its module, which only chapter "Learn" asks for, computes what the other one does as well;
 * so it answers that chapter's questions, too.
 */
export const startTrainingWorker = common(
  () => new Worker(new URL('./training/training-worker.ts', import.meta.url), { type: 'module' }),
);
