import { absent, type Context } from '../context.js';
import { TrilError } from '../error.js';
import { checkKeys } from '../names.js';
import type { Tensor } from '../tensor.js';
import type { OutOption } from './layers.js';

/** What arithmetic is done with: a tensor, or a number that stands for a tensor full of it. */
export type Operand = Tensor | number;

export const arithmeticCalls = (context: Context) => {
  const compute = (call: string, x: Operand, y: Operand, options: OutOption): Tensor => {
    checkKeys(call, 'options', 'option', options, ['out']);
    if (typeof x === 'number' && typeof y === 'number') {
      throw new TrilError(call, 'y', `one of both must be a tensor; x is ${x}, y is ${y}`);
    }
    const tensor = (operand: Operand) => (typeof operand === 'number' ? absent : operand);
    const number = (operand: Operand) => (typeof operand === 'number' ? operand : 0);
    const tensors = { x: tensor(x), y: tensor(y), out: options.out ?? absent };
    return context.produce(call, tensors, (t) =>
      context.raw._arithmetic(context.engine, call, t.x, number(x), t.y, number(y), t.out),
    );
  };
  return {
    /**
     * `x + y`, element by element, as `numpy.add`: shapes are laid over each other from the last axis
     * back, and an axis of 1, or one that is missing, is repeated; a number is added to all. `out` may
     * be an input of the result's shape.
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
  };
};
