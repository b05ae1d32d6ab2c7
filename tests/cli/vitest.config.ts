// The command line, run as its users run it: `vitest run` in this folder, with the program built.
import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['**/*.test.ts'], testTimeout: 60_000 } });
