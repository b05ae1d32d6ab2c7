// Failures in words.
import { TrilError } from 'tril';
import { NotFetched } from './fetched';
import type { Failure } from '../page/protocol';

export function explained(error: unknown): Failure {
  if (error instanceof TrilError) {
    const { message, call, argument } = error;
    return { message, call, argument, offline: call === 'loadTril' };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message, offline: error instanceof NotFetched };
}
