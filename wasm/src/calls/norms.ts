import { absent, type Context } from '../context.js';
import { checkKeys, integerOption, numberOption } from '../names.js';
import type { Tensor } from '../tensor.js';

/** The options of `rmsNorm`. */
export interface RmsNormOptions {
  /** Factor of the result, in the shape of the normalised axes (default 1). */
  readonly weight?: Tensor | null;
  /** Number of axes at the end that are normalised together (default 1). */
  readonly axes?: number;
  /** Number that is added to the variance or mean square (default 1e-5). */
  readonly eps?: number;
  /** The tensor to write the result to; may be `x` (default: a new one). */
  readonly out?: Tensor;
}

/** The options of `layerNorm`. */
export interface LayerNormOptions extends RmsNormOptions {
  /** Summand of the result, in the shape of the normalised axes (default 0). */
  readonly bias?: Tensor | null;
}

export const normCalls = (context: Context) => {
  const { raw, engine } = context;
  const rawOptions = (call: string, options: LayerNormOptions, names: string[]) => {
    checkKeys(call, 'options', 'option', options, names);
    return {
      axes: integerOption(call, 'axes', options.axes, 1, 1),
      eps: numberOption(call, 'eps', options.eps, 1e-5),
    };
  };
  return {
    /**
     * Shifts every row to mean 0 and scales it to variance 1, as `torch.nn.functional.layer_norm`
     * (Ba, Kiros, Hinton 2016): `(x - mean) / sqrt(variance + eps) * weight + bias`, with the
     * biased variance.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2, 3], [10, 20, 30]]);
     * tril.layerNorm(x).toArray(); // [[-1.2247, 0.0000, 1.2247], [-1.2247, 0.0000, 1.2247]]
     * const weight = tril.tensor([1, 1, 2]);
     * tril.layerNorm(x, { weight, out: x });
     * x.toArray(); // [[-1.2247, 0.0000, 2.4495], [-1.2247, 0.0000, 2.4495]]
     * ```
     */
    layerNorm(x: Tensor, options: LayerNormOptions = {}): Tensor {
      const rawNorm = rawOptions('layerNorm', options, ['weight', 'bias', 'axes', 'eps', 'out']);
      const weight = options.weight ?? absent;
      const bias = options.bias ?? absent;
      const out = options.out ?? absent;
      return context.produce('layerNorm', { x, weight, bias, out }, (t) =>
        raw._layerNorm(engine, t.x, t.weight, t.bias, rawNorm, t.out),
      );
    },

    /**
     * Divides every row by its root mean square, as `torch.nn.functional.rms_norm` (Zhang, Sennrich
     * 2019): `x / sqrt(mean(x^2) + eps) * weight`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * tril.rmsNorm(tril.tensor([3, 4])).toArray(); // [0.8485, 1.1314]
     * ```
     */
    rmsNorm(x: Tensor, options: RmsNormOptions = {}): Tensor {
      const rawNorm = rawOptions('rmsNorm', options, ['weight', 'axes', 'eps', 'out']);
      const weight = options.weight ?? absent;
      const out = options.out ?? absent;
      return context.produce('rmsNorm', { x, weight, out }, (t) =>
        raw._rmsNorm(engine, t.x, t.weight, rawNorm, t.out),
      );
    },
  };
};
