// The Worker: loads the package once, answers requests in order.
import { loadTril, TrilError, type Tril } from 'tril';
import { attend, measure } from './attend';
import type { Failure, FromWorker, ToWorker } from './protocol';

function say(message: FromWorker): void {
  self.postMessage(message);
}

function explained(error: unknown): Failure {
  if (error instanceof TrilError) {
    return { message: error.message, call: error.call, argument: error.argument };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

async function load(): Promise<Tril | null> {
  const begin = performance.now();
  try {
    const tril = await loadTril();
    const milliseconds = performance.now() - begin;
    say({ kind: 'loaded', loaded: { variant: tril.variant, milliseconds } });
    return tril;
  } catch (error) {
    say({ kind: 'notLoaded', failure: explained(error) });
    return null;
  }
}

const loading = load();

self.addEventListener('message', async ({ data }: MessageEvent<ToWorker>) => {
  const tril = await loading;
  if (!tril) return;
  const { id, request } = data;
  try {
    if (data.kind === 'attend') say({ kind: 'attended', id, result: attend(tril, request) });
    else say({ kind: 'measured', id, microseconds: measure(tril, request) });
  } catch (error) {
    say({ kind: 'failed', id, failure: explained(error) });
  }
});
