// The common part of all Workers that compute: each loads a module of the package once, reports that, and answers the
// requests of the page, or of all pages that share it.
import type { Tril } from 'tril';
import type { Session } from './answers';
import { explained } from './explained';
import { Jobs, type FromWorker, type ToEnd } from './jobs';

/** The message after loading, or about its failure; then there is no module. */
interface Loading<Loaded> {
  readonly tril: Loaded | null;
  readonly message: FromWorker;
}

async function loaded<Loaded extends Tril>(load: () => Promise<Loaded>): Promise<Loading<Loaded>> {
  const begin = performance.now();
  try {
    const tril = await load();
    const milliseconds = performance.now() - begin;
    const { variant, threads } = tril;
    return { tril, message: { what: 'loaded', loaded: { variant, threads, milliseconds } } };
  } catch (error) {
    return { tril: null, message: { what: 'notLoaded', failure: explained(error) } };
  }
}

/** The port on which a page is heard and answered. */
type End = Pick<MessagePort, 'postMessage' | 'onmessage'>;

/** `work` answers a question, at once or later. */
export function serve<Loaded extends Tril>(
  load: () => Promise<Loaded>,
  work: (tril: Loaded, kind: string, ask: unknown, session: Session<unknown, unknown>) => unknown,
): void {
  const loading = loaded(load);
  function listen(end: End): void {
    const say = (message: FromWorker) => end.postMessage(message);
    void loading.then(({ message }) => say(message));
    const jobs = new Jobs(
      async (kind, ask, session) => {
        const { tril } = await loading;
        // The failure to load was reported; the page tells everyone who waits.
        return tril ? work(tril, kind, ask, session) : new Promise(() => {});
      },
      say,
      explained,
    );
    end.onmessage = ({ data }: MessageEvent<ToEnd>) =>
      data.what === 'leave' ? jobs.cancelAll() : jobs.hear(data);
  }
  if ('onconnect' in self) self.onconnect = ({ ports }: MessageEvent) => listen(ports[0]);
  else listen(self as unknown as End);
}
