import { ofNode } from './builtin.js';

/** The features of an engine on which the choice of a variant depends. */
export interface Features {
  /** 128-bit vectors: every variant needs them. */
  readonly simd: boolean;
  /** WebAssembly exceptions: every variant needs them. */
  readonly exceptions: boolean;
  /** Relaxed vectors, among them fused multiply-add. */
  readonly relaxedSimd: boolean;
  /**
   * Shared memory that can be passed to workers: in a browser only where the page is cross-origin
   * isolated.
   */
  readonly threads: boolean;
}

// The smallest modules that an engine accepts only with the feature. All begin with "\0asm",
// version 1; sections are 1 types, 3 functions, 5 memory, 10 code.
const header = [0, 97, 115, 109, 1, 0, 0, 0];
const returnsVector = [1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0];
const returnsNothing = [1, 4, 1, 96, 0, 0, 3, 2, 1, 0];
const probes = {
  // i32.const 0, i8x16.splat, i8x16.popcnt
  simd: [...header, ...returnsVector, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
  // three splats, f32x4.relaxed_madd
  relaxedSimd: [
    ...header,
    ...returnsVector,
    ...[10, 19, 1, 17, 0, 65, 1, 253, 15, 65, 2, 253, 15, 65, 3, 253, 15, 253, 133, 2, 11],
  ],
  // try, catch_all, end
  exceptions: [...header, ...returnsNothing, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11],
  // a shared memory of one page; i32.const 0, i32.atomic.load, drop
  atomics: [
    ...header,
    ...returnsNothing,
    ...[5, 4, 1, 3, 1, 1, 10, 11, 1, 9, 0, 65, 0, 254, 16, 2, 0, 26, 11],
  ],
} as const;

function accepts(probe: readonly number[]): boolean {
  return WebAssembly.validate(Uint8Array.from(probe));
}

/** Node always shares memory between its workers, if it has them; a browser does only on an isolated page. */
function canShareMemory(): boolean {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  if (typeof SharedArrayBuffer === 'undefined') return false;
  return crossOriginIsolated ?? ofNode('worker_threads') !== undefined;
}

/**
 * The features of the engine that runs this.
 *
 * @example
 * ```ts
 * import { detectFeatures } from 'tril';
 *
 * detectFeatures().simd; // true
 * ```
 */
export function detectFeatures(): Features {
  return {
    simd: accepts(probes.simd),
    exceptions: accepts(probes.exceptions),
    relaxedSimd: accepts(probes.relaxedSimd),
    threads: canShareMemory() && accepts(probes.atomics),
  };
}
