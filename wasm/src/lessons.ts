/**
 * `tril` with calls that take computations apart to explain them: products read in four ways and access by access,
 * Strassen's level, softmax and attention step by step, singular values, the processor's peak; and Eigen's product
 * as a method of `matmul`.
 *
 * @module tril/lessons
 */
import { callsOf, type LessonCalls } from './calls.js';
import * as lessons from './lesson-calls.js';
import { loadFrom, type LoadOptions, type Modules } from './load.js';
import type { LessonsTril } from './public-lessons.js';

export * from './public-lessons.js';

const modules: Modules = {
  suffix: '-lessons',
  fetch: {
    simd: () => import('./generated/tril-simd-lessons.js'),
    relaxed: () => import('./generated/tril-relaxed-lessons.js'),
    'simd-threads': () => import('./generated/tril-simd-threads-lessons.js'),
    'relaxed-threads': () => import('./generated/tril-relaxed-threads-lessons.js'),
  },
};

/**
 * Like `loadTril` of `tril`, with lessons.
 *
 * @throws TrilError as `loadTril` of `tril`
 *
 * @example
 * ```ts
 * import { loadTril } from 'tril/lessons';
 *
 * const tril = await loadTril({ variant: 'simd' });
 * const a = tril.tensor([[1, 2], [3, 4]]);
 * const { partial } = tril.readProduct(a, a, { reading: 'outer' });
 * partial.toArray(); // [[[1, 2], [3, 6]], [[7, 10], [15, 22]]]
 * ```
 */
export function loadTril(options: LoadOptions = {}): Promise<LessonsTril> {
  return loadFrom(modules, options, (context) => callsOf(lessons, context) as LessonCalls);
}
