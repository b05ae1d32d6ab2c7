// Files of the page that are loaded on demand, with progress.
import type { Session } from '../answers';
import type { Progress, Shipped } from './protocol';

type Loads = Session<{ readonly what: 'loading'; readonly progress: Progress }, never>;

export async function fetched(
  files: readonly Shipped[],
  session: Pick<Loads, 'say' | 'turn'>,
): Promise<Uint8Array[]> {
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let read = 0;
  const found: Uint8Array[] = [];
  for (const { address } of files) {
    const response = await fetch(address);
    const name = address.replace(/.*\//u, '');
    if (!response.ok || !response.body) throw new Error(`${name}: ${response.status}`);
    const parts: Uint8Array[] = [];
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      read += value.length;
      session.say({ what: 'loading', progress: { read: Math.min(read, all), all } });
      await session.turn();
    }
    found.push(new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()));
  }
  return found;
}
