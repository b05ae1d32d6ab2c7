import type { AttentionOptions } from './attention.js';

/** The cost of a computation, counted from its definition and sizes, not measured. */
export interface Cost {
  /**
   * Floating-point operations: every addition, subtraction, multiplication, division, comparison
   * and elementary function (exp, tanh, erf, square root) is one; a sum starts at 0, so n terms are
   * n additions.
   */
  readonly flops: number;
  /** Bytes of the inputs, weights included, 4 for each number. */
  readonly inputBytes: number;
  /** Bytes of the requested outputs, 4 for each number. */
  readonly outputBytes: number;
  /** `inputBytes + outputBytes`: the least traffic to memory. */
  readonly bytes: number;
  /**
   * Bytes of the largest intermediate results that one thread holds at once, 4 for each number;
   * packed copies are not counted. The memory that a call really takes is in `workingMemory`.
   */
  readonly heldBytes: number;
}

/** A cost, and the number of scores. */
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
  /** A, the number of values of tanh in a score. */
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
