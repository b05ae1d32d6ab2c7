// One place that starts Workers: bundlers look for exactly these expressions.

/** One that computes on one thread: what is measured says so, and what went wrong with threads goes well without. */
export const startWorkerAlone = () =>
  new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'alone' });

/** One that takes threads where it can, unless it takes the place of one that has failed. */
export const startWorker = (again: boolean) =>
  again
    ? startWorkerAlone()
    : new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

/** One that trains: it loads a module of its own, which only chapter "Learn" asks for. */
export const startTrainingWorker = () =>
  new Worker(new URL('./training/training-worker.ts', import.meta.url), { type: 'module' });
