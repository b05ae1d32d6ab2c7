// Failures in words.
import { TrilError } from 'tril';
import type { Failure } from './protocol';

export function explained(error: unknown): Failure {
  if (error instanceof TrilError) {
    return { message: error.message, call: error.call, argument: error.argument };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
