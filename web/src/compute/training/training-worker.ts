// The Worker that trains: loads the module that can, on one thread, which is as quick for models this small.
import { loadTril } from 'tril/training';
import { explained } from '../explained';
import { Jobs, type FromWorker, type ToWorker } from '../jobs';
import { born } from './born';

const say = (message: FromWorker) => self.postMessage(message);

async function load() {
  const begin = performance.now();
  try {
    const tril = await loadTril();
    const { variant, threads } = tril;
    const milliseconds = performance.now() - begin;
    say({ what: 'loaded', loaded: { variant, threads, milliseconds } });
    return tril;
  } catch (error) {
    say({ what: 'notLoaded', failure: explained(error) });
    return null;
  }
}
const loading = load();

const jobs = new Jobs(
  async (_, ask, session) => {
    const tril = await loading;
    return tril ? born(tril, ask as never, session as never) : new Promise(() => {});
  },
  say,
  explained,
);
self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => jobs.hear(data));
