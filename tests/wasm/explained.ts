// What helpers.ts has, of a module of tril/lessons.
import { loadTril } from 'tril/lessons';
import { helpersOf } from './helpers.js';

export const tril = await loadTril({ variant: 'simd' });
export const { expectRefused, withoutLeak } = helpersOf(tril);
