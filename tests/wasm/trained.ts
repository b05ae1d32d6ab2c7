// The helpers of helpers.ts, for a module of tril/training, and the inputs of its trainers.
import type { TrainerOptions } from 'tril';
import { loadTril } from 'tril/training';
import { helpersOf } from './helpers.js';

export const tril = await loadTril({ variant: 'simd' });
export const { expectRefused, withoutLeak } = helpersOf(tril);

export const text = 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40);
export const model = { layers: 1, heads: 2, width: 16, context: 8 } as const;
/** A learning rate that is independent of the number of steps. */
export const even = { learningRate: 1e-2, lowestRate: 1e-2, warmup: 0, batch: 2 } as const;
export const small = { model, data: text, ...even } satisfies TrainerOptions;
