// What every Worker that computes does: loads a module of the package once, says so, and answers what the page begins.
import type { Tril } from 'tril';
import type { Session } from './answers';
import { explained } from './explained';
import { Jobs, type FromWorker, type ToWorker } from './jobs';

const say = (message: FromWorker) => self.postMessage(message);

/** Loads and says so, or why not; then there is none. */
async function loaded<Loaded extends Tril>(load: () => Promise<Loaded>): Promise<Loaded | null> {
  const begin = performance.now();
  try {
    const tril = await load();
    const milliseconds = performance.now() - begin;
    const { variant, threads } = tril;
    say({ what: 'loaded', loaded: { variant, threads, milliseconds } });
    return tril;
  } catch (error) {
    say({ what: 'notLoaded', failure: explained(error) });
    return null;
  }
}

/** `work` answers a question, at once or later. */
export function serve<Loaded extends Tril>(
  load: () => Promise<Loaded>,
  work: (tril: Loaded, kind: string, ask: unknown, session: Session<unknown, unknown>) => unknown,
): void {
  const loading = loaded(load);
  const jobs = new Jobs(
    async (kind, ask, session) => {
      const tril = await loading;
      // What could not be loaded was said; whoever waits is told by the page.
      return tril ? work(tril, kind, ask, session) : new Promise(() => {});
    },
    say,
    explained,
  );
  self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => jobs.hear(data));
}
