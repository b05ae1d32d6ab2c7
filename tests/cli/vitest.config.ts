// The command line, run as its users run it: `vitest run` in this folder, with the program built.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    maxWorkers: availableParallelism(), // Vitest leaves one out, which is half of two
    testTimeout: 60_000,
  },
});
