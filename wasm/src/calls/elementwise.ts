import { absent, type Context } from '../context.js';
import { TrilError } from '../error.js';
import { checkKeys, describe } from '../names.js';
import type { Tensor } from '../tensor.js';
import { numberOf, tensorOf, type Operand } from './arithmetic.js';
import type { OutOption } from './layers.js';

/** Throws unless the value is a number. */
function checkNumber(call: string, argument: string, value: unknown): void {
  if (typeof value === 'number') return;
  throw new TrilError(call, argument, `must be a number, is ${describe(value)}`);
}

export const elementwiseCalls = (context: Context) => {
  const { raw, engine } = context;
  const unary = (call: string, x: Tensor, options: OutOption): Tensor => {
    checkKeys(call, 'options', 'option', options, ['out']);
    return context.produce(call, { x, out: options.out ?? absent }, (t) =>
      raw._unary(engine, call, t.x, t.out),
    );
  };
  return {
    /**
     * `e^x`, element by element, as `numpy.exp`, within 1 unit in the last place. `out` may be `x`.
     *
     * @throws TrilError where `out` does not have the shape of `x`
     *
     * @example
     * ```ts
     * tril.exp(tril.tensor([0, Math.log(2)])).toArray(); // [1, 2.0000]
     * ```
     */
    exp(x: Tensor, options: OutOption = {}): Tensor {
      return unary('exp', x, options);
    },

    /**
     * The natural logarithm, element by element, as `numpy.log`, within 1 unit in the last place: -Infinity of 0,
     * NaN of negative numbers. `out` may be `x`.
     *
     * @throws TrilError where `out` does not have the shape of `x`
     *
     * @example
     * ```ts
     * tril.log(tril.tensor([1, Math.E, 0, -1])).toArray(); // [0, 1.0000, -Infinity, NaN]
     * ```
     */
    log(x: Tensor, options: OutOption = {}): Tensor {
      return unary('log', x, options);
    },

    /**
     * The square root, element by element, as `numpy.sqrt`: NaN of negative numbers. `out` may be
     * `x`.
     *
     * @throws TrilError where `out` does not have the shape of `x`
     *
     * @example
     * ```ts
     * tril.sqrt(tril.tensor([4, 9, -1])).toArray(); // [2, 3, NaN]
     * ```
     */
    sqrt(x: Tensor, options: OutOption = {}): Tensor {
      return unary('sqrt', x, options);
    },

    /**
     * The absolute value, element by element, as `numpy.abs`. `out` may be `x`.
     *
     * @throws TrilError where `out` does not have the shape of `x`
     *
     * @example
     * ```ts
     * tril.abs(tril.tensor([-2, 3])).toArray(); // [2, 3]
     * ```
     */
    abs(x: Tensor, options: OutOption = {}): Tensor {
      return unary('abs', x, options);
    },

    /**
     * `-x`, element by element, as `numpy.negative`. `out` may be `x`.
     *
     * @throws TrilError where `out` does not have the shape of `x`
     *
     * @example
     * ```ts
     * tril.negate(tril.tensor([-2, 3])).toArray(); // [2, -3]
     * ```
     */
    negate(x: Tensor, options: OutOption = {}): Tensor {
      return unary('negate', x, options);
    },

    /**
     * The hyperbolic tangent, element by element, as `numpy.tanh`, within 3 units in the last place. `out` may be `x`.
     *
     * @throws TrilError where `out` does not have the shape of `x`
     *
     * @example
     * ```ts
     * tril.tanh(tril.tensor([0, 1, Infinity])).toArray(); // [0, 0.7616, 1]
     * ```
     */
    tanh(x: Tensor, options: OutOption = {}): Tensor {
      return unary('tanh', x, options);
    },

    /**
     * `x` where `condition` is not 0, else `y`, element by element, as `numpy.where`; all three broadcast as
     * {@link Tril.add}, and `x` and `y` may be numbers. `out` may be an input of the result's shape.
     *
     * @throws TrilError where the shapes do not broadcast
     *
     * @example
     * ```ts
     * const x = tril.tensor([-1, 2, -3]);
     * tril.where(tril.less(x, 0), 0, x).toArray(); // [0, 2, 0]
     * ```
     */
    where(condition: Tensor, x: Operand, y: Operand, options: OutOption = {}): Tensor {
      checkKeys('where', 'options', 'option', options, ['out']);
      const tensors = { condition, x: tensorOf(x), y: tensorOf(y), out: options.out ?? absent };
      return context.produce('where', tensors, (t) =>
        raw._where(engine, t.condition, t.x, numberOf(x), t.y, numberOf(y), t.out),
      );
    },

    /**
     * The numbers `start`, `start + step`, ... before `stop`, as `numpy.arange`; a single number is `stop`,
     * and `start` is 0. Each is computed in double and rounded to float32.
     *
     * @throws TrilError for a step of 0 and numbers that are not finite, and where memory runs out
     *
     * @example
     * ```ts
     * tril.arange(3).toArray(); // [0, 1, 2]
     * tril.arange(1, 2, 0.25).toArray(); // [1, 1.25, 1.5, 1.75]
     * tril.arange(3, 0, -1).toArray(); // [3, 2, 1]
     * ```
     */
    arange(start: number, stop?: number, step = 1): Tensor {
      const [from, to] = stop === undefined ? [0, start] : [start, stop];
      checkNumber('arange', 'start', from);
      checkNumber('arange', 'stop', to);
      checkNumber('arange', 'step', step);
      return context.run('arange', {}, () => context.adopt(raw._arange(engine, from, to, step)!));
    },
  };
};
