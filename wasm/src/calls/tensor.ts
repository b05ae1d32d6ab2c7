import type { Context, Own } from '../context.js';
import { booleanOption, checkKeys, describe, numberOption } from '../names.js';
import { TrilError } from '../error.js';
import type { Tensor } from '../tensor.js';
import { checkShape, flatten, inferShape, type Values } from '../values.js';

/** The options of `randomNormal`. */
export interface RandomOptions {
  /**
   * A whole number from 0 to 2^53 - 1; equal seeds give equal numbers in every build and engine.
   */
  readonly seed: number;
}

/** The options of `randomUniform`. */
export interface UniformOptions extends RandomOptions {
  /** Smallest possible number (default 0). */
  readonly low?: number;
  /**
   * Upper bound, excluded unless `low + (high - low) * x` rounds to it, which never happens from 0 to 1
   * (default 1).
   */
  readonly high?: number;
}

/** The memory of a loaded module. */
export interface MemoryUse {
  /** Tensors that have not been disposed. */
  readonly tensors: number;
  /** Bytes of the elements of these tensors. */
  readonly bytes: number;
  /**
   * Bytes of the module's whole memory: tensors, working memory, stack and static data. It never
   * shrinks.
   */
  readonly heapBytes: number;
}

/** Memory lent to calls while they compute, and kept for the next calls. */
export interface WorkingMemory {
  /** Bytes that are kept. */
  readonly bytes: number;
  /** The most bytes lent at once since the last reset. */
  readonly peakBytes: number;
}

/** The seed itself, once known to be valid. */
export function checkSeed(call: string, seed: unknown): number {
  if (typeof seed === 'number' && Number.isSafeInteger(seed) && seed >= 0) return seed;
  const problem = `must be a whole number from 0 to 2^53 - 1, is ${describe(seed)}`;
  throw new TrilError(call, 'seed', problem);
}

export const tensorCalls = (context: Context) => {
  const { raw, engine } = context;

  const zeros = (shape: readonly number[]): Tensor => {
    checkShape('zeros', shape);
    return context.run('zeros', {}, () => context.adopt(raw._tensor(engine, [...shape])!));
  };

  function tensor(data: Values): Tensor;
  function tensor(shape: readonly number[], data: Values): Tensor;
  function tensor(first: Values, second?: Values): Tensor {
    const data = second === undefined ? first : second;
    const shape = second === undefined ? inferShape('tensor', first) : first;
    checkShape('tensor', shape);
    const values = flatten('tensor', data, shape);
    return context.run('tensor', {}, () => {
      const handle = raw._tensor(engine, [...shape])!;
      handle.write(values);
      return context.adopt(handle);
    });
  }

  return {
    /**
     * A tensor with a copy of `data`: nested numbers or a typed array, rounded to float32. With one
     * argument the shape is that of the nesting, as in `torch.tensor`; with a shape, `data` is
     * nested in that shape or flat in row-major order.
     * @throws TrilError where the shape is invalid, `data` does not fit it, or memory runs out
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2, 3], [4, 5, 6]]);
     * x.shape; // [2, 3]
     * tril.tensor([2, 3], new Float64Array(6)).toArray(); // [[0, 0, 0], [0, 0, 0]]
     * tril.tensor([[1, 2], [3]]); // throws TrilError: tensor: data: at [1] must be an array of 2
     * ```
     */
    tensor,

    /**
     * A tensor of zeros.
     * @throws TrilError where the shape is invalid, or memory runs out
     *
     * @example
     * ```ts
     * tril.zeros([2, 3]).toArray(); // [[0, 0, 0], [0, 0, 0]]
     * ```
     */
    zeros,

    /**
     * Normally distributed numbers of mean 0 and variance 1 (PCG32, Box and Muller), the same for
     * the same seed and shape everywhere.
     * @throws TrilError where the shape or the seed is invalid, or memory runs out
     *
     * @example
     * ```ts
     * const x = tril.randomNormal([10000], { seed: 1 });
     * const { mean, variance } = tril.statistics(x);
     * Math.abs(mean) < 0.05; // true
     * Math.abs(variance - 1) < 0.05; // true
     * ```
     */
    randomNormal(shape: readonly number[], options: RandomOptions): Tensor {
      checkShape('randomNormal', shape);
      checkKeys('randomNormal', 'options', 'option', options, ['seed']);
      const seed = checkSeed('randomNormal', options.seed);
      return context.run('randomNormal', {}, () =>
        context.adopt(raw._randomNormal(engine, [...shape], seed)!),
      );
    },

    /**
     * Numbers evenly distributed from `low` up to `high` (PCG32), the same for the same seed and
     * shape everywhere.
     * @throws TrilError where the shape, the seed or the range is invalid, or memory runs out
     *
     * @example
     * ```ts
     * const x = tril.randomUniform([10000], { seed: 1, low: -1, high: 1 });
     * const { smallest, largest } = tril.statistics(x);
     * smallest >= -1 && largest < 1; // true
     * ```
     */
    randomUniform(shape: readonly number[], options: UniformOptions): Tensor {
      const call = 'randomUniform';
      checkShape(call, shape);
      checkKeys(call, 'options', 'option', options, ['seed', 'low', 'high']);
      const seed = checkSeed(call, options.seed);
      const low = numberOption(call, 'low', options.low, 0);
      const high = numberOption(call, 'high', options.high, 1);
      if (!(low <= high && Math.fround(high - low) < Infinity)) {
        const problem = `must be at least low, ${low}, and less than 2^128 above it, is ${high}`;
        throw new TrilError(call, 'high', problem);
      }
      return context.run(call, {}, () =>
        context.adopt(raw._randomUniform(engine, [...shape], seed, low, high)!),
      );
    },

    /**
     * Runs `body` and disposes every tensor made inside, except those in its result: a tensor, or arrays, maps and
     * objects with tensors in them. These belong to the surrounding scope, if any. When `body` throws, all are
     * disposed. A model or a tensor made before belongs to the scope once it is passed to `own`, the argument of
     * `body`, which returns it.
     * @throws TrilError where `body` is asynchronous; `own` throws for objects that are disposed or of another
     * module. Errors of `body` pass through
     *
     * @example
     * ```ts
     * const before = tril.memory().tensors;
     * const kept = tril.scope(() => {
     *   const x = tril.randomNormal([8, 64], { seed: 1 });
     *   return tril.layerNorm(tril.gelu(x)); // x and what gelu made are disposed
     * });
     * tril.memory().tensors - before; // 1
     * tril.scope((own) => {
     *   own(kept); // so that it is disposed with what is made of it
     *   return tril.softmax(kept).toArray();
     * });
     * kept.disposed; // true
     * ```
     */
    scope<Result>(body: (own: Own) => Result): Result {
      return context.scope(body);
    },

    /**
     * The working memory of calls, besides their tensors. `{ reset: true }` restarts the peak, so that the next call
     * gives the peak since then.
     *
     * @throws TrilError for an unknown option
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([2048, 16], { seed });
     * const [q, k, v] = [normal(1), normal(2), normal(3)];
     * const peakOf = (method: 'full' | 'online') => {
     *   tril.workingMemory({ reset: true });
     *   tril.attention(q, k, v, { method }).output.dispose();
     *   return tril.workingMemory().peakBytes;
     * };
     * const [full, online] = [peakOf('full'), peakOf('online')];
     * full > 4 * 2048 ** 2; // true
     * full > 10 * online; // true
     * ```
     */
    workingMemory(options: { readonly reset?: boolean } = {}): WorkingMemory {
      checkKeys('workingMemory', 'options', 'option', options, ['reset']);
      const reset = booleanOption('workingMemory', 'reset', options.reset, false);
      context.checkOpen('workingMemory');
      const { workingBytes, peakBytes } = engine;
      if (reset) engine.resetPeak();
      return { bytes: workingBytes, peakBytes };
    },

    /**
     * The number of living tensors, and the memory of this module.
     *
     * @example
     * ```ts
     * const { bytes } = tril.memory();
     * const x = tril.zeros([16, 16]);
     * tril.memory().bytes - bytes; // 1024
     * x.dispose();
     * ```
     */
    memory(): MemoryUse {
      context.checkOpen('memory');
      return {
        tensors: engine.tensors,
        bytes: engine.bytes,
        heapBytes: raw._heapBytes(),
      };
    },

    /**
     * Ends the threads of this module, which otherwise live as long as the page or the process. The module cannot be
     * used any more: all calls but `dispose` throw. Its memory is free once nothing references it or its tensors.
     * Closing again does nothing.
     *
     * @throws TrilError while a view is lent
     *
     * @example
     * ```ts
     * import { loadTril } from 'tril';
     *
     * const own = await loadTril({ variant: 'simd' });
     * const x = own.zeros([2]);
     * own.close();
     * x.read(); // throws TrilError: read: tril: has been closed
     * own.zeros([2]); // throws TrilError: zeros: tril: has been closed
     * ```
     */
    close(): void {
      context.close();
    },
  };
};
