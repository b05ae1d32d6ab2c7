// Downloads files of the page on demand, with progress.
import type { Session } from './answers';

/** A file of the page that is loaded on demand, with its size. */
export interface Shipped {
  readonly address: string;
  readonly bytes: number;
}

export interface Progress {
  readonly read: number;
  readonly all: number;
}

/** A session's message while its files are being downloaded. */
export interface Loading {
  readonly what: 'loading';
  readonly progress: Progress;
}

/** A file could not be downloaded: its name, and the HTTP status or the browser's message. */
export class NotFetched extends Error {}

/** Throws NotFetched. A cancelled session ends its downloads. */
export async function fetched(
  files: readonly Shipped[],
  session: Pick<Session<Loading>, 'say' | 'turn' | 'signal'>,
): Promise<Uint8Array[]> {
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let read = 0;
  const found: Uint8Array[] = [];
  for (const { address } of files) {
    const fail = (why: unknown): never => {
      throw new NotFetched(`${address.replace(/.*\//u, '')}: ${String(why)}`);
    };
    const response = await fetch(address, { signal: session.signal }).catch(fail);
    if (!response.ok || !response.body) return fail(response.status);
    const parts: Uint8Array[] = [];
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch(fail);
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
