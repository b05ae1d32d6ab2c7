import { absent, type Context } from '../context.js';
import { checkKeys, integerOption, numberOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import { flattenIntegers, type NestedNumbers } from '../values.js';
import { geluForm, type Activation, type GeluOptions } from './feed-forward.js';
import type { OutOption } from './layers.js';
import type { RmsNormOptions } from './norms.js';
import type { SoftmaxOptions } from './softmax.js';

/** The gradients of a layer with a bias, each with the shape of its input or weight. */
export interface LayerGradients {
  readonly dX: Tensor;
  readonly dWeight: Tensor;
  readonly dBias: Tensor;
}

/** The options of the backward pass of a normalisation: those of the normalisation. */
export type NormBackwardOptions = Omit<RmsNormOptions, 'out'>;

export const gradientCalls = (context: Context) => {
  const { raw, engine } = context;

  const norm = (
    call: 'layerNormBackward' | 'rmsNormBackward',
    dOutput: Tensor,
    x: Tensor,
    options: NormBackwardOptions,
  ) => {
    checkKeys(call, 'options', 'option', options, ['weight', 'axes', 'eps']);
    const centred = call === 'layerNormBackward';
    const rawNorm = {
      axes: integerOption(call, 'axes', options.axes, 1, 1),
      eps: numberOption(call, 'eps', options.eps, 1e-5),
    };
    return context.run(call, { dOutput, x, weight: options.weight ?? absent }, (t) =>
      context.adoptAll(raw._normBackward(engine, centred, t.dOutput, t.x, t.weight, rawNorm)),
    );
  };

  const activation = (
    call: string,
    kind: Activation,
    dOutput: Tensor,
    x: Tensor,
    options: OutOption,
    names: readonly string[] = ['out'],
  ) => {
    checkKeys(call, 'options', 'option', options, names);
    return context.produce(call, { dOutput, x, out: options.out ?? absent }, (t) =>
      raw._activateBackward(engine, call, t.dOutput, t.x, kind, t.out),
    );
  };

  const softmax = (
    call: 'softmaxBackward' | 'logSoftmaxBackward',
    dOutput: Tensor,
    output: Tensor,
    options: SoftmaxOptions,
  ) => {
    checkKeys(call, 'options', 'option', options, ['axis', 'temperature', 'out']);
    const rawSoftmax = {
      axis: integerOption(call, 'axis', options.axis, -1),
      temperature: numberOption(call, 'temperature', options.temperature, 1),
    };
    return context.produce(call, { dOutput, output, out: options.out ?? absent }, (t) =>
      raw[`_${call}`](engine, t.dOutput, t.output, rawSoftmax, t.out),
    );
  };

  return {
    /**
     * The gradient of the input of `softmax`, from the gradient of its output and the output itself;
     * options as for `softmax`. `out` may be either.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const output = tril.softmax(tril.tensor([0, 0]));
     * tril.softmaxBackward(tril.tensor([1, 0]), output).toArray(); // [0.25, -0.25]
     * ```
     */
    softmaxBackward(dOutput: Tensor, output: Tensor, options: SoftmaxOptions = {}): Tensor {
      return softmax('softmaxBackward', dOutput, output, options);
    },

    /**
     * The gradient of the input of `logSoftmax`, from the gradient of its output and the output
     * itself.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const output = tril.logSoftmax(tril.tensor([0, 0]));
     * tril.logSoftmaxBackward(tril.tensor([1, 0]), output).toArray(); // [0.5000, -0.5000]
     * ```
     */
    logSoftmaxBackward(dOutput: Tensor, output: Tensor, options: SoftmaxOptions = {}): Tensor {
      return softmax('logSoftmaxBackward', dOutput, output, options);
    },

    /**
     * The gradients of the inputs of `linear`: `dOutput W`, `dOutput^T x`, and the sum of the rows of
     * `dOutput`.
     *
     * @throws TrilError where shapes do not fit
     *
     * @example
     * ```ts
     * const [x, weight] = [tril.tensor([[1, 2]]), tril.tensor([[3, 4]])];
     * const { dX, dWeight, dBias } = tril.linearBackward(tril.tensor([[10]]), x, weight);
     * dX.toArray(); // [[30, 40]]
     * dWeight.toArray(); // [[10, 20]]
     * dBias.toArray(); // [10]
     * ```
     */
    linearBackward(dOutput: Tensor, x: Tensor, weight: Tensor): LayerGradients {
      return context.run('linearBackward', { dOutput, x, weight }, (t) =>
        context.adoptAll(raw._linearBackward(engine, t.dOutput, t.x, t.weight)),
      ) as unknown as LayerGradients;
    },

    /**
     * The gradients of the inputs of `layerNorm`, with the same `weight`, `axes` and `eps`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2, 3]]);
     * const { dX, dBias } = tril.layerNormBackward(tril.tensor([[1, 1, 1]]), x);
     * dX.toArray(); // [[0, 0, 0]]
     * dBias.toArray(); // [1, 1, 1]
     * ```
     */
    layerNormBackward(
      dOutput: Tensor,
      x: Tensor,
      options: NormBackwardOptions = {},
    ): LayerGradients {
      return norm('layerNormBackward', dOutput, x, options) as unknown as LayerGradients;
    },

    /**
     * The gradients of the inputs of `rmsNorm`, with the same `weight`, `axes` and `eps`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const { dWeight } = tril.rmsNormBackward(tril.tensor([[1, 2]]), tril.tensor([[3, 3]]));
     * dWeight.toArray(); // [1.0000, 2.0000]
     * ```
     */
    rmsNormBackward(
      dOutput: Tensor,
      x: Tensor,
      options: NormBackwardOptions = {},
    ): Omit<LayerGradients, 'dBias'> {
      return norm('rmsNormBackward', dOutput, x, options) as unknown as LayerGradients;
    },

    /**
     * `dOutput` where `x` is above 0, else 0. `out` may be either.
     *
     * @throws TrilError where shapes do not fit
     *
     * @example
     * ```ts
     * tril.reluBackward(tril.tensor([1, 1]), tril.tensor([-2, 3])).toArray(); // [0, 1]
     * ```
     */
    reluBackward(dOutput: Tensor, x: Tensor, options: OutOption = {}): Tensor {
      return activation('reluBackward', 'relu', dOutput, x, options);
    },

    /**
     * `dOutput` times the slope of `gelu` at `x`. `out` may be either.
     *
     * @throws TrilError where shapes do not fit
     *
     * @example
     * ```ts
     * tril.geluBackward(tril.tensor([1, 1]), tril.tensor([0, 1])).toArray(); // [0.5000, 1.0833]
     * ```
     */
    geluBackward(dOutput: Tensor, x: Tensor, options: GeluOptions = {}): Tensor {
      const call = 'geluBackward';
      const names = ['out', 'approximate'];
      checkKeys(call, 'options', 'option', options, names);
      return activation(call, geluForm(call, options.approximate), dOutput, x, options, names);
    },

    /**
     * `dOutput` times the slope of `silu` at `x`. `out` may be either.
     *
     * @throws TrilError where shapes do not fit
     *
     * @example
     * ```ts
     * tril.siluBackward(tril.tensor([1, 1]), tril.tensor([0, 1])).toArray(); // [0.5000, 0.9277]
     * ```
     */
    siluBackward(dOutput: Tensor, x: Tensor, options: OutOption = {}): Tensor {
      return activation('siluBackward', 'silu', dOutput, x, options);
    },

    /**
     * The gradient of the table of `embedding`, `[rows, C]`: row i of `dOutput`, `[..., C]`, is
     * added to row `ids[i]`.
     *
     * @throws TrilError where shapes do not fit, and for an id outside the table
     *
     * @example
     * ```ts
     * const dOutput = tril.tensor([[1, 2], [3, 4], [5, 6]]);
     * tril.embeddingBackward(dOutput, [2, 0, 2], 3).toArray(); // [[3, 4], [0, 0], [6, 8]]
     * ```
     */
    embeddingBackward(dOutput: Tensor, ids: NestedNumbers | Int32Array, rows: number): Tensor {
      const call = 'embeddingBackward';
      const { shape, values } = flattenIntegers(call, 'ids', ids);
      const count = integerOption(call, 'rows', rows, Number.NaN, 0);
      return context.run(call, { dOutput }, (t) =>
        context.adopt(raw._embeddingBackward(engine, t.dOutput, values, shape, count)!),
      );
    },
  };
};
