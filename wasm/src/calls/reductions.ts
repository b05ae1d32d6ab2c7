import { absent, type Context } from '../context.js';
import { booleanOption, checkKeys, integerOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import { checkShape } from '../values.js';
import type { OutOption } from './layers.js';
import { integers } from './shapes.js';

/** The options of a reduction. */
export interface ReduceOptions extends OutOption {
  /**
   * Axis or axes to reduce, counted from the end where negative (default: all). Without `keepDims`,
   * a result without axes has the shape `[1]`: every tensor has at least one.
   */
  readonly axis?: number | readonly number[] | null;
  /** Whether the reduced axes stay, with size 1 (default false). */
  readonly keepDims?: boolean;
}

/** The options of `argmax`. */
export interface ArgmaxOptions extends ReduceOptions {
  /** Axis, counted from the end where negative (default: all elements in row-major order). */
  readonly axis?: number | null;
}

export const reductionCalls = (context: Context) => {
  const { raw, engine } = context;
  const reduce = (call: string, x: Tensor, options: ReduceOptions): Tensor => {
    checkKeys(call, 'options', 'option', options, ['axis', 'keepDims', 'out']);
    const axis = options.axis ?? undefined;
    const given = Array.isArray(axis)
      ? integers(call, 'axis', axis)
      : axis !== undefined && [integerOption(call, 'axis', axis, 0)];
    const keepDims = booleanOption(call, 'keepDims', options.keepDims, false);
    return context.produce(call, { x, out: options.out ?? absent }, (t) =>
      raw._reduce(engine, call, t.x, given || [...x.shape.keys()], keepDims, t.out),
    );
  };
  return {
    /**
     * The sum along one axis, several or all, as `numpy.sum`, computed in double and rounded once. The sum of no
     * elements is 0.
     *
     * @throws TrilError for an axis that does not exist or is named twice
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2, 3], [4, 5, 6]]);
     * tril.sum(x).toArray(); // [21]
     * tril.sum(x, { axis: 0 }).toArray(); // [5, 7, 9]
     * tril.sum(x, { axis: -1, keepDims: true }).toArray(); // [[6], [15]]
     * tril.sum(x, { axis: 2 }); // throws TrilError: sum: axis: there is no axis 2; shape is [2, 3]
     * ```
     */
    sum(x: Tensor, options: ReduceOptions = {}): Tensor {
      return reduce('sum', x, options);
    },

    /**
     * The mean along one axis, several or all, as `numpy.mean`, computed in double and rounded once. The mean
     * of no elements is NaN.
     *
     * @throws TrilError for an axis that does not exist or is named twice
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2], [3, 8]]);
     * tril.mean(x).toArray(); // [3.5]
     * tril.mean(x, { axis: 0 }).toArray(); // [2, 5]
     * ```
     */
    mean(x: Tensor, options: ReduceOptions = {}): Tensor {
      return reduce('mean', x, options);
    },

    /**
     * The largest element along one axis, several or all, as `numpy.max`: NaN where one is NaN. The larger of two
     * tensors is {@link Tril.maximum}.
     *
     * @throws TrilError for an axis that does not exist or is named twice, and where there are no elements
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 7], [5, 3]]);
     * tril.max(x).toArray(); // [7]
     * tril.max(x, { axis: 1 }).toArray(); // [7, 5]
     * ```
     */
    max(x: Tensor, options: ReduceOptions = {}): Tensor {
      return reduce('max', x, options);
    },

    /**
     * The smallest element along one axis, several or all, as `numpy.min`: NaN where one is NaN.
     *
     * @throws TrilError for an axis that does not exist or is named twice, and where there are no
     * elements
     *
     * @example
     * ```ts
     * tril.min(tril.tensor([[1, 7], [5, 3]]), { axis: 1 }).toArray(); // [1, 3]
     * ```
     */
    min(x: Tensor, options: ReduceOptions = {}): Tensor {
      return reduce('min', x, options);
    },

    /**
     * The index of the largest element, along one axis or among all, as `numpy.argmax`: the first of equal ones, or the
     * first NaN. The result is float32, like all tensors; it holds whole numbers up to 2^24, and more elements are
     * refused. {@link Tril.embedding} takes them by `toArray()`.
     *
     * @throws TrilError for an axis that does not exist, where there are no elements, and for more than 2^24
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 7], [5, 3]]);
     * tril.argmax(x, { axis: 1 }).toArray(); // [1, 0]
     * tril.argmax(x).read()[0]; // 1
     * ```
     */
    argmax(x: Tensor, options: ArgmaxOptions = {}): Tensor {
      return reduce('argmax', x, options);
    },

    /**
     * Sums `x` over the elements that broadcasting repeated, so that it gets the shape `shape`: the gradient of a
     * tensor, from the gradient of the tensor it was broadcast to.
     *
     * @throws TrilError where `shape` does not broadcast to that of `x`
     *
     * @example
     * ```ts
     * const dSum = tril.tensor([[1, 2], [3, 4]]); // of tril.add(x, bias) with x [2, 2] and bias [2]
     * tril.sumTo(dSum, [2]).toArray(); // [4, 6]
     * ```
     */
    sumTo(x: Tensor, shape: readonly number[], options: OutOption = {}): Tensor {
      checkKeys('sumTo', 'options', 'option', options, ['out']);
      checkShape('sumTo', shape);
      return context.produce('sumTo', { x, out: options.out ?? absent }, (t) =>
        raw._sumTo(engine, t.x, [...shape], t.out),
      );
    },
  };
};
