// A Worker with a module of tril/training, which ends with the test file that imports it.
import { loadTril } from 'tril/worker';
import { afterAll } from 'vitest';

export const tril = await loadTril({ variant: 'simd', training: true });
afterAll(() => tril.close());
