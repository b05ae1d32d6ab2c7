import { absent, type Context, type Optional } from '../context.js';
import { TrilError } from '../error.js';
import { checkKeys, describe, integerOption } from '../names.js';
import type { RawTensor } from '../raw.js';
import type { Tensor } from '../tensor.js';
import { checkShape } from '../values.js';
import type { OutOption } from './layers.js';

/**
 * The selection on an axis: all of it (`null`), one element (a number), which removes the axis, or, as Python's
 * `start:stop:step`, the elements from `start` up to but not including `stop`. Numbers below 0 count from the end;
 * `null` or a missing number is no bound; a step below 0 goes backwards.
 */
export type SliceRange =
  number | null | readonly [start?: number | null, stop?: number | null, step?: number | null];

/** The options of `concatenate` and `stack`. */
export interface JoinOptions extends OutOption {
  /** Axis of the result, counted from its end where negative (default 0). */
  readonly axis?: number;
}

/** The options of `split`. */
export interface SplitOptions {
  /** Axis, counted from the end where negative (default 0). */
  readonly axis?: number;
}

function checkArray(call: string, argument: string, value: unknown): void {
  if (Array.isArray(value)) return;
  throw new TrilError(call, argument, `must be an array, is ${describe(value)}`);
}

/** A copy of `values`, once known to be an array of whole numbers. */
export function integers(call: string, argument: string, values: unknown): number[] {
  checkArray(call, argument, values);
  return Array.from(values as number[], (each) => integerOption(call, argument, each, Number.NaN));
}

/**
 * Three numbers per axis, as the module takes them: NaN stands for a missing one, and a single element has no
 * step.
 */
function rawRanges(call: string, ranges: unknown): number[] {
  checkArray(call, 'ranges', ranges);
  return Array.from(ranges as SliceRange[], (range) => {
    if (typeof range === 'number') return [integerOption(call, 'ranges', range, 0), NaN, NaN];
    if (range === null) return [NaN, NaN, 1];
    if (!Array.isArray(range) || range.length > 3) {
      const kinds = 'a number, null or [start, stop, step]';
      throw new TrilError(
        call,
        'ranges',
        `must be ${kinds} for each axis; one is ${describe(range)}`,
      );
    }
    const [start, stop, step] = range as readonly (number | null | undefined)[];
    const bound = (value: number | null | undefined, otherwise: number) =>
      value === null || value === undefined
        ? otherwise
        : integerOption(call, 'ranges', value, otherwise);
    return [bound(start, NaN), bound(stop, NaN), bound(step, 1)];
  }).flat();
}

export const shapeCalls = (context: Context) => {
  const { raw, engine } = context;

  const join = (call: string, tensors: readonly Tensor[], options: JoinOptions): Tensor => {
    checkKeys(call, 'options', 'option', options, ['axis', 'out']);
    checkArray(call, 'tensors', tensors);
    const axis = integerOption(call, 'axis', options.axis, 0);
    const named = Array.from(tensors, (each, i) => [`tensors[${i}]`, each] as const);
    const given: Record<string, Tensor> = Object.fromEntries(named);
    const inputs: Record<string, Optional> & { out: Optional } = {
      ...given,
      out: options.out ?? absent,
    };
    return context.produce(call, inputs, (t) => {
      const list = named.map(([name]) => t[name] as RawTensor);
      return raw._join(engine, call, list, axis, t.out);
    });
  };

  return {
    /**
     * The same numbers in row-major order in another shape, as `numpy.reshape`; one size may be -1 and is computed
     * from the others. A tensor owns its memory, so this is a copy.
     *
     * @throws TrilError where the shape has more or fewer elements
     *
     * @example
     * ```ts
     * const x = tril.tensor([1, 2, 3, 4, 5, 6]);
     * tril.reshape(x, [2, 3]).toArray(); // [[1, 2, 3], [4, 5, 6]]
     * tril.reshape(x, [3, -1]).shape; // [3, 2]
     * tril.reshape(x, [4, 2]); // throws TrilError: reshape: shape: cannot be [4, 2] of 6 elements
     * ```
     */
    reshape(x: Tensor, shape: readonly number[], options: OutOption = {}): Tensor {
      const call = 'reshape';
      checkKeys(call, 'options', 'option', options, ['out']);
      const sizes = integers(call, 'shape', shape);
      checkShape(
        call,
        sizes.map((size) => (size === -1 ? 1 : size)),
      );
      return context.produce(call, { x, out: options.out ?? absent }, (t) =>
        raw._reshape(engine, t.x, sizes, t.out),
      );
    },

    /**
     * The axes in another order, as `numpy.transpose`: axis i of the result is axis `axes[i]` of `x`
     * (default: backwards). A copy.
     *
     * @throws TrilError unless `axes` names every axis once
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2, 3], [4, 5, 6]]);
     * tril.transpose(x).toArray(); // [[1, 4], [2, 5], [3, 6]]
     * tril.transpose(tril.zeros([2, 5, 8, 64]), [0, 2, 1, 3]).shape; // [2, 8, 5, 64]
     * ```
     */
    transpose(x: Tensor, axes?: readonly number[] | null, options: OutOption = {}): Tensor {
      const call = 'transpose';
      checkKeys(call, 'options', 'option', options, ['out']);
      const given = axes === undefined || axes === null ? undefined : integers(call, 'axes', axes);
      return context.produce(call, { x, out: options.out ?? absent }, (t) =>
        raw._transpose(engine, t.x, given ?? [...x.shape.keys()].reverse(), t.out),
      );
    },

    /**
     * A part of each axis, as Python's slices, such as `x[-1]`, `x[:, 1:]` and `x[0, ::-2]`: `ranges[i]` of axis i, and
     * all of the axes after them. A copy.
     *
     * @throws TrilError for an element that does not exist, a step of 0, and more ranges than axes
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2, 3], [4, 5, 6]]);
     * tril.slice(x, [-1]).toArray(); // [4, 5, 6]
     * tril.slice(x, [null, [1]]).toArray(); // [[2, 3], [5, 6]]
     * tril.slice(x, [0, [null, null, -2]]).toArray(); // [3, 1]
     * tril.slice(x, [2]); // throws TrilError: slice: ranges: axis 0 has no element 2; x is [2, 3]
     * ```
     */
    slice(x: Tensor, ranges: readonly SliceRange[], options: OutOption = {}): Tensor {
      checkKeys('slice', 'options', 'option', options, ['out']);
      const taken = rawRanges('slice', ranges);
      return context.produce('slice', { x, out: options.out ?? absent }, (t) =>
        raw._slice(engine, t.x, taken, t.out),
      );
    },

    /**
     * The gradient of the input of `slice`, which has the shape `shape`: `dOutput` at `ranges`, 0
     * elsewhere.
     *
     * @throws TrilError where `dOutput` does not have the shape of the slice
     *
     * @example
     * ```ts
     * const dOutput = tril.tensor([1, 2]);
     * tril.sliceBackward(dOutput, [2, 3], [0, [1]]).toArray(); // [[0, 1, 2], [0, 0, 0]]
     * ```
     */
    sliceBackward(
      dOutput: Tensor,
      shape: readonly number[],
      ranges: readonly SliceRange[],
      options: OutOption = {},
    ): Tensor {
      const call = 'sliceBackward';
      checkKeys(call, 'options', 'option', options, ['out']);
      checkShape(call, shape);
      const taken = rawRanges(call, ranges);
      return context.produce(call, { dOutput, out: options.out ?? absent }, (t) =>
        raw._sliceBackward(engine, t.dOutput, [...shape], taken, t.out),
      );
    },

    /**
     * `x` repeated to `shape`, as `numpy.broadcast_to`: an axis of 1, or one that is missing in front, is repeated.
     * A copy. {@link Tril.sumTo} gives its gradient.
     *
     * @throws TrilError where x does not broadcast to that shape
     *
     * @example
     * ```ts
     * tril.broadcastTo(tril.tensor([[1], [2]]), [2, 3]).toArray(); // [[1, 1, 1], [2, 2, 2]]
     * ```
     */
    broadcastTo(x: Tensor, shape: readonly number[], options: OutOption = {}): Tensor {
      checkKeys('broadcastTo', 'options', 'option', options, ['out']);
      checkShape('broadcastTo', shape);
      return context.produce('broadcastTo', { x, out: options.out ?? absent }, (t) =>
        raw._broadcastTo(engine, t.x, [...shape], t.out),
      );
    },

    /**
     * Tensors one after another along an existing axis, as `numpy.concatenate`. {@link Tril.split} gives its
     * gradient.
     *
     * @throws TrilError where there are no tensors, or where they differ in another axis
     *
     * @example
     * ```ts
     * const [a, b] = [tril.tensor([[1, 2]]), tril.tensor([[3, 4], [5, 6]])];
     * tril.concatenate([a, b]).toArray(); // [[1, 2], [3, 4], [5, 6]]
     * tril.concatenate([b, b], { axis: 1 }).toArray(); // [[3, 4, 3, 4], [5, 6, 5, 6]]
     * ```
     */
    concatenate(tensors: readonly Tensor[], options: JoinOptions = {}): Tensor {
      return join('concatenate', tensors, options);
    },

    /**
     * Tensors of one shape one after another along a new axis, as `numpy.stack`.
     *
     * @throws TrilError where there are no tensors, or where their shapes differ
     *
     * @example
     * ```ts
     * const [a, b] = [tril.tensor([1, 2]), tril.tensor([3, 4])];
     * tril.stack([a, b]).toArray(); // [[1, 2], [3, 4]]
     * tril.stack([a, b], { axis: -1 }).toArray(); // [[1, 3], [2, 4]]
     * ```
     */
    stack(tensors: readonly Tensor[], options: JoinOptions = {}): Tensor {
      return join('stack', tensors, options);
    },

    /**
     * The parts of a tensor along an axis, as `numpy.split`: a number of equal parts, or parts that begin at
     * the indices in an array. Copies.
     *
     * @throws TrilError for an axis that does not exist or has no such parts
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2, 3, 4, 5, 6]]);
     * const [q, k, v] = tril.split(x, 3, { axis: -1 });
     * k!.toArray(); // [[3, 4]]
     * tril.split(x, [1, 4], { axis: -1 }).map((part) => part.shape[1]); // [1, 3, 2]
     * tril.split(x, 4, { axis: -1 }); // throws TrilError: split: sections: axis 1 cannot be split into 4
     * ```
     */
    split(x: Tensor, sections: number | readonly number[], options: SplitOptions = {}): Tensor[] {
      const call = 'split';
      checkKeys(call, 'options', 'option', options, ['axis']);
      const axis = integerOption(call, 'axis', options.axis, 0);
      const [count, bounds] = Array.isArray(sections)
        ? [-1, integers(call, 'sections', sections)]
        : [integerOption(call, 'sections', sections as number, Number.NaN, 0), []];
      return context
        .run(call, { x }, (t) => raw._split(engine, t.x, count, bounds, axis))
        .map((part) => context.adopt(part));
    },
  };
};
