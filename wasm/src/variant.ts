import { TrilError } from './error.js';
import type { Features } from './features.js';
import { checkName } from './names.js';

/** The builds: plain or relaxed 128-bit vectors, one thread or several. */
export const variants = ['simd', 'relaxed', 'simd-threads', 'relaxed-threads'] as const;
/** One of `variants`. */
export type Variant = (typeof variants)[number];

/** The caller's request. */
export interface Wish {
  /** The only acceptable variant. */
  readonly variant?: Variant | undefined;
  /** Number of threads; more than 1 asks for a variant with threads, where the engine has them. */
  readonly threads?: number | undefined;
}

function missing(variant: Variant, features: Features): string | undefined {
  if (!features.simd) return 'WebAssembly SIMD';
  if (!features.exceptions) return 'WebAssembly exceptions';
  if (variant.startsWith('relaxed') && !features.relaxedSimd) return 'relaxed WebAssembly SIMD';
  if (variant.endsWith('threads') && !features.threads) {
    return 'threads (in a browser they need a cross-origin isolated page)';
  }
  return undefined;
}

/**
 * The best variant that an engine with these features can run: relaxed vectors where available,
 * threads only on request. A pure function of its arguments.
 * @throws TrilError where the engine lacks a feature that every variant, or the requested one,
 * needs
 *
 * @example
 * ```ts
 * import { chooseVariant } from 'tril';
 *
 * const features = { simd: true, exceptions: true, relaxedSimd: true, threads: false };
 * chooseVariant(features, { threads: 4 }); // 'relaxed'
 * ```
 */
export function chooseVariant(features: Features, wish: Wish = {}): Variant {
  if (wish.variant !== undefined) {
    checkName('loadTril', 'variant', 'variant', wish.variant, variants);
  }
  const vectors = features.relaxedSimd ? 'relaxed' : 'simd';
  const threaded = features.threads && (wish.threads ?? 1) > 1;
  const variant = wish.variant ?? (threaded ? (`${vectors}-threads` as const) : vectors);
  const lack = missing(variant, features);
  if (lack) {
    const problem = `this engine has no ${lack}, which variant "${variant}" needs`;
    throw new TrilError('loadTril', 'variant', problem);
  }
  return variant;
}
