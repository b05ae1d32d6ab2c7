// Writes the types of the page's words, as every build does, for a compiler that is asked alone.
import { fileURLToPath } from 'node:url';
import { resolveConfig } from 'vite';

await resolveConfig(
  { root: fileURLToPath(new URL('..', import.meta.url)), logLevel: 'warn' },
  'build',
);
