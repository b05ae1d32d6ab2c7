// The command line, run as by its users: `vitest run` in this folder, with the program built.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    maxWorkers: availableParallelism(), // the default leaves out one processor, half of two
    testTimeout: 60_000,
  },
});
