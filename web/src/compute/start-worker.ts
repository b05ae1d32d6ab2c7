// One place that starts Workers: bundlers look for exactly this expression.
export const startWorker = () =>
  new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
