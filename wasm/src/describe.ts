// Text of messages.
import { isError } from './kinds.js';

/** Number of characters of a text that a message shows. */
const most = 60;

/** A quoted text for a message, on one line; a long one is cut. */
export const shown = (text: string): string =>
  JSON.stringify(text.slice(0, most)) + (text.length > most ? '...' : '');

/** A value as text for a message. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') {
    const { constructor } = value;
    return typeof constructor === 'function' ? `a ${constructor.name}` : 'a bare object';
  }
  if (typeof value === 'function') return 'a function';
  return typeof value === 'string' ? shown(value) : String(value);
}

/** The problem as a part of a sentence. A browser does not tell why a Worker does not start. */
export function reasonOf(error: unknown): string {
  if (error === undefined) return 'its script was not found';
  return isError(error) ? error.message.replace(/\.$/, '') : String(error);
}

/** The place to read on where a part of the package was not found. */
export const seeReadme =
  'The package\'s README, "Where it runs", says what each bundler and host needs';
