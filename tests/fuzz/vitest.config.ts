// Runs each fuzzing target for a short while: `vitest run` in this folder, with the targets built.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    maxConcurrency: availableParallelism(),
    testTimeout: 3_600_000,
  },
});
