/**
 * `tril` with training: `loadTril` loads a module that is more than twice as large, with
 * `tril.trainer`, the gradients of blocks and their parts, `loadModel`, `sequenceTrainer` and
 * `wordVectors`.
 *
 * @module tril/training
 */
import { loadFrom, type LoadOptions, type Modules } from './load.js';
import { moreCalls } from './more-calls.js';
import type { TrainingTril } from './public-training.js';

export * from './public-training.js';

const modules: Modules = {
  suffix: '-training',
  fetch: {
    simd: () => import('./generated/tril-simd-training.js'),
    relaxed: () => import('./generated/tril-relaxed-training.js'),
    'simd-threads': () => import('./generated/tril-simd-threads-training.js'),
    'relaxed-threads': () => import('./generated/tril-relaxed-threads-training.js'),
  },
};

/**
 * Like `loadTril` of `tril`, with training.
 *
 * @throws TrilError as `loadTril` of `tril`
 *
 * @example
 * ```ts
 * import { loadTril } from 'tril/training';
 *
 * const tril = await loadTril({ variant: 'simd' });
 * const trainer = tril.trainer({ model: { layers: 1 }, data: 'both banks of the Mississippi. '.repeat(20) });
 * trainer.step().step; // 0
 * ```
 */
export function loadTril(options: LoadOptions = {}): Promise<TrainingTril> {
  return loadFrom(modules, options, moreCalls);
}
