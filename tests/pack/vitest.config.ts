// The package as users get it: packed, and installed in an empty folder, once for all tests. `vitest run` in this
// folder, with the package built.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    globalSetup: './install.ts',
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
