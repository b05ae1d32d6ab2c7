// Loading the package in a Worker.
import { loadTril, type Tril } from 'tril';
import { explained } from './explained';
import type { FromWorker } from './jobs';

type Said = Extract<FromWorker, { what: 'loaded' | 'notLoaded' }>;

/** More gain little, and other programs of the visitor want some, too. */
const mostThreads = 8;

/** With threads where memory can be shared, which the page's own service worker makes possible; else without. */
async function load(): Promise<Tril> {
  const threads = Math.min(mostThreads, navigator.hardwareConcurrency || 1);
  if (threads === 1 || !self.crossOriginIsolated || self.name === 'alone') return loadTril();
  // A phone may not have the memory; without a network only that module may be there which was used before.
  return loadTril({ threads }).catch(() => loadTril());
}

/** Loads the package and says so, or why not; then there is none. */
export async function loadAndSay(say: (said: Said) => void): Promise<Tril | null> {
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
