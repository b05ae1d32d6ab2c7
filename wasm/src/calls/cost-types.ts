import type { AttentionOptions } from './attention.js';

/** The cost of a computation, counted from its definition and sizes, not measured. */
export interface Cost {
  /**
   * Floating-point operations: every addition, subtraction, multiplication, division, comparison
   * and elementary function (exp, tanh, erf, square root) is one; a sum starts at 0, so n terms are
   * n additions.
   */
  readonly flops: number;
  /** 4 bytes for each number that is given, weights included. */
  readonly inputBytes: number;
  /** 4 bytes for each number that is asked for. */
  readonly outputBytes: number;
  /** `inputBytes + outputBytes`: what goes through memory at least. */
  readonly bytes: number;
  /**
   * The most that is held at once on the way, by one thread, 4 bytes for each number that is
   * neither given nor asked for; packed copies are not counted. What a call really takes,
   * `workingMemory` says.
   */
  readonly heldBytes: number;
}

/** A cost, and how many scores are computed. */
export interface AttentionCost extends Cost {
  /** Number of the B H T S scores that are computed: blocks that the mask hides entirely are not. */
  readonly scores: number;
}

/** q `[batches, heads, queries, width]`, k and v `[batches, kvHeads, keys, ...]`. */
export interface AttentionSizes {
  /** Number of batches (default 1). */
  readonly batches?: number;
  /** Number of heads (default 1). */
  readonly heads?: number;
  /** Number of heads of keys and values (default: `heads`). */
  readonly kvHeads?: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
  /** Width of v (default: `width`). */
  readonly valueWidth?: number;
}

/** q `[batches, queries, width]`, k and v `[batches, keys, ...]`, and the network between them. */
export interface AdditiveSizes {
  /** Number of batches (default 1). */
  readonly batches?: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
  /** Width of k (default: `width`). */
  readonly keyWidth?: number;
  /** Width of v (default: `width`). */
  readonly valueWidth?: number;
  /** A, of the network: how many values of tanh make a score. */
  readonly units: number;
}

/** The options of `attention` that its cost depends on. */
export interface AttentionCostOptions extends Pick<
  AttentionOptions,
  'causal' | 'mask' | 'softcap' | 'keyLengths' | 'method'
> {
  /** Number of keys before query 0 (default 0). */
  readonly past?: number;
}
