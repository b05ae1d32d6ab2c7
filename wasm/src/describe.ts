// Words of messages.
import { isError } from './kinds.js';

/** Characters of a text that a message shows. */
const most = 60;

/** A text in quotes as a message shows it, in one line: the beginning of a long one. */
export const shown = (text: string): string =>
  JSON.stringify(text.slice(0, most)) + (text.length > most ? '...' : '');

/** A value as a message shows it. */
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

/** What went wrong, as a part of a sentence. A browser does not say why it starts no Worker. */
export function reasonOf(error: unknown): string {
  if (error === undefined) return 'its script was not found';
  return isError(error) ? error.message.replace(/\.$/, '') : String(error);
}

/** Where to read on, where something of the package was not found. */
export const seeReadme =
  'The package\'s README, "Where it runs", says what each bundler and host needs';
