/**
 * `loadTril` gives every computation: all calls are those of {@link Tril}. The rest are the types that
 * they take and return.
 *
 * @module tril
 */
import { loadFrom, type LoadOptions, type Modules, type Tril } from './load.js';

export * from './public.js';

/** Only the script of the requested variant is fetched. Bundlers see four literal imports. */
const modules: Modules = {
  suffix: '',
  fetch: {
    simd: () => import('./generated/tril-simd.js'),
    relaxed: () => import('./generated/tril-relaxed.js'),
    'simd-threads': () => import('./generated/tril-simd-threads.js'),
    'relaxed-threads': () => import('./generated/tril-relaxed-threads.js'),
  },
};

/**
 * Loads the core, compiled to WebAssembly, and returns everything it can compute. Each call makes a
 * module of its own, with its own memory; tensors of one cannot be used with another.
 *
 * @throws TrilError where an option is wrong, or this engine cannot run the variant
 *
 * @example
 * ```ts
 * import { loadTril } from 'tril';
 *
 * const tril = await loadTril({ variant: 'simd' });
 * tril.variant; // 'simd'
 * tril.threads; // 1
 * ```
 */
export function loadTril(options: LoadOptions = {}): Promise<Tril> {
  return loadFrom(modules, options);
}
