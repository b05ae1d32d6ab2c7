import { absent, type Context } from '../context.js';
import { checkKeys, integerOption, numberOption } from '../names.js';
import type { Tensor } from '../tensor.js';

/** The options of `softmax` and `logSoftmax`. */
export interface SoftmaxOptions {
  /** Axis that sums to 1, counted from the end where negative (default -1). */
  readonly axis?: number;
  /** Divisor of the numbers: below 1 the result is sharper, above 1 flatter (default 1). */
  readonly temperature?: number;
  /** The tensor to write the result to, in the shape of `x`; may be `x` (default: a new one). */
  readonly out?: Tensor;
}

export const softmaxCalls = (context: Context) => {
  const checked = (call: string, options: SoftmaxOptions) => {
    checkKeys(call, 'options', 'option', options, ['axis', 'temperature', 'out']);
    return {
      axis: integerOption(call, 'axis', options.axis, -1),
      temperature: numberOption(call, 'temperature', options.temperature, 1),
    };
  };
  return {
    /**
     * `e^(x / temperature)` divided by its sum along one axis, for a tensor of any rank. The
     * maximum is subtracted first, so that nothing overflows; -inf gives 0, and a slice of -inf
     * alone gives 0 everywhere.
     *
     * @throws TrilError for an axis that is not there and a temperature that is not above 0
     *
     * @example
     * ```ts
     * const x = tril.tensor([0, Math.log(3), -Infinity]);
     * tril.softmax(x).toArray(); // [0.2500, 0.7500, 0.0000]
     * tril.softmax(x, { temperature: 0.5 }).toArray(); // [0.1000, 0.9000, 0.0000]
     * tril.softmax(x, { axis: 1 }); // throws TrilError: softmax: axis:
     * ```
     */
    softmax(x: Tensor, options: SoftmaxOptions = {}): Tensor {
      const raw = checked('softmax', options);
      return context.produce('softmax', { x, out: options.out ?? absent }, (t) =>
        context.raw._softmax(context.engine, t.x, raw, t.out),
      );
    },

    /**
     * The logarithm of `softmax`, without rounding small weights to 0 in between. A slice of -inf
     * alone gives -inf everywhere.
     *
     * @throws TrilError as `softmax`
     *
     * @example
     * ```ts
     * tril.logSoftmax(tril.tensor([0, Math.log(3)])).toArray(); // [-1.3863, -0.2877]
     * ```
     */
    logSoftmax(x: Tensor, options: SoftmaxOptions = {}): Tensor {
      const raw = checked('logSoftmax', options);
      return context.produce('logSoftmax', { x, out: options.out ?? absent }, (t) =>
        context.raw._logSoftmax(context.engine, t.x, raw, t.out),
      );
    },
  };
};
