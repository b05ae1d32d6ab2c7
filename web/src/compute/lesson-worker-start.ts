// The lessons' Worker is started with the page: it loads the package while the chapter's code is still on its way.
import type { FromLessons } from './lesson-protocol';

interface Started {
  readonly worker: Worker;
  /** What it said before anybody listened. */
  readonly said: FromLessons[];
}

let waiting: Started | null = null;

function start(): Started {
  const worker = new Worker(new URL('./lesson-worker.ts', import.meta.url), { type: 'module' });
  const said: FromLessons[] = [];
  listen(worker, (message) => said.push(message));
  return { worker, said };
}

function listen(worker: Worker, hear: (message: FromLessons) => void): void {
  worker.onmessage = ({ data }: MessageEvent<FromLessons>) => hear(data);
  worker.onerror = (event) => {
    event.preventDefault();
    const message = event.message || 'The Worker that computes could not be started.';
    hear({ kind: 'notLoaded', failure: { message } });
  };
}

export function startLessonWorker(): void {
  waiting = start();
}

/** The Worker that was started with the page, once; then a new one each time. */
export function takeLessonWorker(hear: (message: FromLessons) => void): Worker {
  const { worker, said } = waiting ?? start();
  waiting = null;
  listen(worker, hear);
  said.forEach(hear);
  return worker;
}
