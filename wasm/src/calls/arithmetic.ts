import { absent, type Context, type Optional } from '../context.js';
import { TrilError } from '../error.js';
import { checkKeys, snakeCase } from '../names.js';
import type { Tensor } from '../tensor.js';
import type { OutOption } from './layers.js';

/** An operand of arithmetic: a tensor, or a number that stands for a tensor filled with it. */
export type Operand = Tensor | number;

/** The tensor of an operand, where it is one. */
export const tensorOf = (operand: Operand): Optional =>
  typeof operand === 'number' ? absent : operand;
/** The number of an operand, where it is one. */
export const numberOf = (operand: Operand): number => (typeof operand === 'number' ? operand : 0);

export const arithmeticCalls = (context: Context) => {
  const { raw, engine } = context;
  const compute = (call: string, x: Operand, y: Operand, options: OutOption): Tensor => {
    checkKeys(call, 'options', 'option', options, ['out']);
    if (typeof x === 'number' && typeof y === 'number') {
      throw new TrilError(call, 'y', `one of both must be a tensor; x is ${x}, y is ${y}`);
    }
    const tensors = { x: tensorOf(x), y: tensorOf(y), out: options.out ?? absent };
    const operation = snakeCase(call);
    return context.produce(call, tensors, (t) =>
      raw._arithmetic(engine, operation, t.x, numberOf(x), t.y, numberOf(y), t.out),
    );
  };
  return {
    /**
     * `x + y`, element by element, as `numpy.add`: shapes are aligned at the last axis, and an axis of
     * 1, or a missing one, is repeated; a number is added to all elements. `out` may be an input of
     * the result's shape.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2], [3, 4]]);
     * tril.add(x, tril.tensor([10, 20])).toArray(); // [[11, 22], [13, 24]]
     * tril.add(x, 1, { out: x }).toArray(); // [[2, 3], [4, 5]]
     * tril.add(x, tril.zeros([3])); // throws TrilError: add: y: shapes do not broadcast; x is [2, 2]
     * ```
     */
    add(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('add', x, y, options);
    },

    /**
     * `x - y`, element by element, as `numpy.subtract`; broadcasts as {@link Tril.add}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2], [3, 5]]);
     * tril.subtract(x, tril.tensor([[1], [3]])).toArray(); // [[0, 1], [0, 2]]
     * tril.subtract(1, x).toArray(); // [[0, -1], [-2, -4]]
     * ```
     */
    subtract(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('subtract', x, y, options);
    },

    /**
     * `x * y`, element by element, as `numpy.multiply`; broadcasts as {@link Tril.add}, so that a row
     * scales columns and a column scales rows.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2], [3, 4]]);
     * tril.multiply(x, tril.tensor([[10], [100]])).toArray(); // [[10, 20], [300, 400]]
     * tril.multiply(x, 0.5).toArray(); // [[0.5, 1], [1.5, 2]]
     * ```
     */
    multiply(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('multiply', x, y, options);
    },

    /**
     * `x / y`, element by element, as `numpy.divide`; broadcasts as {@link Tril.add}. Division by 0
     * gives infinities, and 0 by 0 NaN.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2], [3, 4]]);
     * tril.divide(x, tril.tensor([2, 4])).toArray(); // [[0.5, 0.5], [1.5, 1]]
     * tril.divide(1, tril.tensor([0, 4])).toArray(); // [Infinity, 0.25]
     * ```
     */
    divide(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('divide', x, y, options);
    },

    /**
     * `x` to the power of `y`, element by element, as `numpy.power` of floats; broadcasts as {@link Tril.add}.
     * Negative numbers have integer powers only; other powers are NaN.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * const x = tril.tensor([1, 2, 3]);
     * tril.power(x, 2).toArray(); // [1, 4, 9]
     * tril.power(4, tril.tensor([0.5, -1])).toArray(); // [2, 0.25]
     * ```
     */
    power(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('power', x, y, options);
    },

    /**
     * The larger of `x` and `y`, element by element, as `numpy.maximum`; broadcasts as {@link Tril.add}. NaN where
     * either is. The largest element of one tensor is {@link Tril.max}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.maximum(tril.tensor([-1, 2]), 0).toArray(); // [0, 2]
     * tril.maximum(tril.tensor([1, 5]), tril.tensor([[3], [7]])).toArray(); // [[3, 5], [7, 7]]
     * ```
     */
    maximum(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('maximum', x, y, options);
    },

    /**
     * The smaller of `x` and `y`, element by element, as `numpy.minimum`; broadcasts as {@link Tril.add}. NaN where
     * either is.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.minimum(tril.tensor([-1, 2]), 0).toArray(); // [-1, 0]
     * ```
     */
    minimum(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('minimum', x, y, options);
    },

    /**
     * 1 where `x` equals `y`, else 0, element by element, as `numpy.equal`; broadcasts as {@link Tril.add}.
     * There are no booleans: such a tensor is the condition of {@link Tril.where}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.equal(tril.tensor([1, 2, 3]), 2).toArray(); // [0, 1, 0]
     * ```
     */
    equal(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('equal', x, y, options);
    },

    /**
     * 1 where `x` differs from `y`, else 0, element by element, as `numpy.not_equal`; broadcasts as {@link Tril.add}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.notEqual(tril.tensor([1, 2, 3]), 2).toArray(); // [1, 0, 1]
     * ```
     */
    notEqual(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('notEqual', x, y, options);
    },

    /**
     * 1 where `x` is less than `y`, else 0, element by element, as `numpy.less`; broadcasts as {@link Tril.add}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.less(tril.tensor([1, 2, 3]), 2).toArray(); // [1, 0, 0]
     * ```
     */
    less(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('less', x, y, options);
    },

    /**
     * 1 where `x` is at most `y`, else 0, element by element, as `numpy.less_equal`; broadcasts as {@link Tril.add}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.lessEqual(tril.tensor([1, 2, 3]), 2).toArray(); // [1, 1, 0]
     * ```
     */
    lessEqual(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('lessEqual', x, y, options);
    },

    /**
     * 1 where `x` is greater than `y`, else 0, element by element, as `numpy.greater`; broadcasts as {@link Tril.add}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.greater(tril.tensor([1, 2, 3]), 2).toArray(); // [0, 0, 1]
     * ```
     */
    greater(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('greater', x, y, options);
    },

    /**
     * 1 where `x` is at least `y`, else 0, element by element, as `numpy.greater_equal`; broadcasts as {@link Tril.add}.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * tril.greaterEqual(tril.tensor([1, 2, 3]), 2).toArray(); // [0, 1, 1]
     * ```
     */
    greaterEqual(x: Operand, y: Operand, options: OutOption = {}): Tensor {
      return compute('greaterEqual', x, y, options);
    },
  };
};
