// The Worker that computes: loads the package once, and answers what the page begins.
import { explained } from './explained';
import { loadAndSay } from './loading';
import { Jobs, type FromWorker, type ToWorker } from './jobs';
import { work } from './lessons';

const say = (message: FromWorker) => self.postMessage(message);
const loading = loadAndSay(say);

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
