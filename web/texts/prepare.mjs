// Writes the types of the page's words, as every build does, for a compiler that is asked alone.
import { resolveConfig } from 'vite';

await resolveConfig({ logLevel: 'warn' }, 'build');
