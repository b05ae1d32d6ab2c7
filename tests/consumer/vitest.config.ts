// The C++ library in another project: `vitest run` in this folder, with the core built.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['**/*.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
});
