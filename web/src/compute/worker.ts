// The Worker of chapter "Attend": loads the package once, answers requests in order.
import { attend, measure } from './attend';
import { explained, loadAndSay } from './loading';
import type { FromWorker, ToWorker } from './protocol';

function say(message: FromWorker): void {
  self.postMessage(message);
}

const loading = loadAndSay(say);

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
