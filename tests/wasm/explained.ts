// The helpers of helpers.ts, for a module of tril/lessons.
import { loadTril } from 'tril/lessons';
import { helpersOf } from './helpers.js';

export const tril = await loadTril({ variant: 'simd' });
export const { expectRefused, withoutLeak } = helpersOf(tril);
