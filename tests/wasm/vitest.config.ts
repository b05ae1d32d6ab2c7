// The package's own tests, in Node, on the built package (wasm/dist): `vitest run` in this folder.
import { availableParallelism } from 'node:os';
import { detectFeatures } from 'tril';
import { defineConfig } from 'vitest/config';

// Node 20 has relaxed SIMD behind a flag, Node 22 without.
const execArgv = detectFeatures().relaxedSimd ? [] : ['--experimental-wasm-relaxed-simd'];

export default defineConfig({
  test: {
    include: ['**/*.test.{ts,mjs}'],
    setupFiles: './setup.ts',
    pool: 'forks',
    poolOptions: { forks: { execArgv } },
    maxWorkers: availableParallelism(), // the default leaves out one processor, half of two
    testTimeout: 60_000,
    typecheck: { enabled: true, include: ['**/*.test-d.ts'], tsconfig: './tsconfig.json' },
  },
});
