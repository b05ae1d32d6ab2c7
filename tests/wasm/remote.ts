// A Worker with a module of tril/training, which ends with the file of tests that takes it.
import { loadTril } from 'tril/worker';
import { afterAll } from 'vitest';

export const tril = await loadTril({ variant: 'simd', training: true });
afterAll(() => tril.close());
