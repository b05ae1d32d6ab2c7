// Loading the package in a Worker, and failures in words.
import { loadTril, TrilError, type Tril } from 'tril';
import type { FromWorker } from './jobs';
import type { Failure } from './protocol';

export function explained(error: unknown): Failure {
  if (error instanceof TrilError) {
    return { message: error.message, call: error.call, argument: error.argument };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

type Said = Extract<FromWorker, { what: 'loaded' | 'notLoaded' }>;

/** Loads the package and says so, or why not; then there is none. */
export async function loadAndSay(say: (said: Said) => void): Promise<Tril | null> {
  const begin = performance.now();
  try {
    const tril = await loadTril();
    const milliseconds = performance.now() - begin;
    say({ what: 'loaded', loaded: { variant: tril.variant, milliseconds } });
    return tril;
  } catch (error) {
    say({ what: 'notLoaded', failure: explained(error) });
    return null;
  }
}
