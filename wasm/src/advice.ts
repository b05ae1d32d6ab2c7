// What is said where something of the package was not found.
import { isError } from './kinds.js';

/** What went wrong, as a part of a sentence. A browser does not say why it starts no Worker. */
export function reasonOf(error: unknown): string {
  if (error === undefined) return 'its script was not found';
  return isError(error) ? error.message.replace(/\.$/, '') : String(error);
}

export const seeReadme =
  'The package\'s README, "Where it runs", says what each bundler and host needs';
