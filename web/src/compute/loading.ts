// Loading the package in a Worker, and failures in words: what every Worker of the page needs.
import { loadTril, TrilError, type Tril } from 'tril';
import type { Failure, Loaded } from './protocol';

export function explained(error: unknown): Failure {
  if (error instanceof TrilError) {
    return { message: error.message, call: error.call, argument: error.argument };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

type Said =
  | { readonly kind: 'loaded'; readonly loaded: Loaded }
  | { readonly kind: 'notLoaded'; readonly failure: Failure };

/** Loads the package and says so, or why not; then there is none. */
export async function loadAndSay(say: (said: Said) => void): Promise<Tril | null> {
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
