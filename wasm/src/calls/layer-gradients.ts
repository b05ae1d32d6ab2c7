import type { Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { booleanOption, checkKeys, stringOption } from '../names.js';
import { adoptGradients, type Named, type WeightGradients } from '../named-tensors.js';
import type { Tensor } from '../tensor.js';
import type { Activation } from './feed-forward.js';
import type { FeedForwardOptions, FeedForwardResult, FeedForwardWeights } from './feed-forward.js';
import { rawRotary, type OutOption, type RotaryOptions } from './layers.js';
import type { MatmulOptions } from './matmul.js';

/** The result of `matmulBackward`. */
export interface MatmulGradients {
  /** The gradient of `a`, in its shape, summed along axes that were broadcast. */
  readonly dA: Tensor;
  /** The gradient of `b`, in its shape, summed along axes that were broadcast. */
  readonly dB: Tensor;
}

/** The options of `gatedActivation`. */
export interface GatedOptions extends OutOption {
  /** Activation of the gate (default `'silu'`). */
  readonly activation?: Activation;
}

/** The result of `gatedActivationBackward`. */
export interface GatedGradients {
  readonly dGate: Tensor;
  readonly dUp: Tensor;
}

export const layerGradientCalls = (context: Context) => {
  const { engine } = context;

  const ofFeedForward = <Weights extends object>(
    call: 'feedForwardBackward' | 'gatedFeedForwardBackward',
    dOutput: Tensor,
    x: Tensor,
    weights: Weights,
    options: Pick<FeedForwardOptions, 'activation'>,
  ): WeightGradients<Weights> => {
    const gated = call === 'gatedFeedForwardBackward';
    checkKeys(call, 'weights', 'weight', weights, context.weightNames('feedForward'));
    checkKeys(call, 'options', 'option', options, ['activation']);
    const fallback = gated ? 'silu' : 'relu';
    const activation = stringOption(call, 'activation', options.activation, fallback);
    return context.runWithWeights(call, weights, { dOutput, x }, (t, state) => {
      const raw = context.training(call);
      const made = raw._feedForwardBackward(engine, gated, t.dOutput, t.x, state, activation);
      return adoptGradients(context, made);
    });
  };

  return {
    /**
     * The gradients of the inputs of `matmul`, from the gradient `dOutput` of its output. Works in a
     * module of `tril/training`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const [a, b] = [tril.tensor([[1, 2]]), tril.tensor([[3], [4]])];
     * const { dA, dB } = tril.matmulBackward(tril.tensor([[10]]), a, b);
     * dA.toArray(); // [[30, 40]]
     * dB.toArray(); // [[10], [20]]
     * ```
     */
    matmulBackward(
      dOutput: Tensor,
      a: Tensor,
      b: Tensor,
      options: Pick<MatmulOptions, 'transposeA' | 'transposeB'> = {},
    ): MatmulGradients {
      const call = 'matmulBackward';
      checkKeys(call, 'options', 'option', options, ['transposeA', 'transposeB']);
      const rawOptions = {
        method: 'auto',
        transposeA: booleanOption(call, 'transposeA', options.transposeA, false),
        transposeB: booleanOption(call, 'transposeB', options.transposeB, false),
        levels: -1,
      };
      return context.run(call, { dOutput, a, b }, (t) => {
        const raw = context.training(call);
        return context.adoptAll(raw._matmulBackward(engine, t.dOutput, t.a, t.b, rawOptions));
      }) as unknown as MatmulGradients;
    },

    /**
     * The gradient of the input of `rotaryPositions`, from the gradient of its output: rotated back,
     * with the same positions, tables and options. `out` may be `dOutput`. Works in a module of
     * `tril/training`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const turned = tril.rotaryPositions(tril.tensor([[1, 2], [3, 4]]));
     * tril.rotaryPositionsBackward(turned).toArray(); // [[1.0000, 2.0000], [3.0000, 4.0000]]
     * ```
     */
    rotaryPositionsBackward(dOutput: Tensor, options: RotaryOptions = {}): Tensor {
      const call = 'rotaryPositionsBackward';
      const { positions, rotary, tables } = rawRotary(call, options);
      const tensors = { dOutput, ...tables, out: options.out ?? absent };
      return context.produce(call, tensors, (t) =>
        context
          .training(call)
          ._rotaryPositionsBackward(
            ...[engine, t.dOutput, positions, t.cos, t.sin],
            ...[rotary, t.out],
          ),
      );
    },

    /**
     * `activation(gate) up`, element by element (Shazeer 2020); with `'silu'` it is the gate of
     * SwiGLU. Both inputs have one shape; `out` may be either. Works in a module of `tril/training`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const [gate, up] = [tril.tensor([-1, 0, 2]), tril.tensor([1, 1, 10])];
     * tril.gatedActivation(gate, up).toArray(); // [-0.2689, 0.0000, 17.6159]
     * tril.gatedActivation(gate, up, { activation: 'relu' }).toArray(); // [0, 0, 20]
     * ```
     */
    gatedActivation(gate: Tensor, up: Tensor, options: GatedOptions = {}): Tensor {
      const call = 'gatedActivation';
      checkKeys(call, 'options', 'option', options, ['activation', 'out']);
      const activation = stringOption(call, 'activation', options.activation, 'silu');
      return context.produce(call, { gate, up, out: options.out ?? absent }, (t) =>
        context.training(call)._gatedActivation(engine, t.gate, t.up, activation, t.out),
      );
    },

    /**
     * The gradients of the inputs of `gatedActivation`, from the gradient of its output. Works in a
     * module of `tril/training`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const [dOutput, gate, up] = [tril.tensor([1, 1]), tril.tensor([-1, 2]), tril.tensor([3, 4])];
     * const options = { activation: 'relu' } as const;
     * const { dGate, dUp } = tril.gatedActivationBackward(dOutput, gate, up, options);
     * dGate.toArray(); // [0, 4]
     * dUp.toArray(); // [0, 2]
     * ```
     */
    gatedActivationBackward(
      dOutput: Tensor,
      gate: Tensor,
      up: Tensor,
      options: Pick<GatedOptions, 'activation'> = {},
    ): GatedGradients {
      const call = 'gatedActivationBackward';
      checkKeys(call, 'options', 'option', options, ['activation']);
      const activation = stringOption(call, 'activation', options.activation, 'silu');
      return context.run(call, { dOutput, gate, up }, (t) => {
        const raw = context.training(call);
        const made = raw._gatedActivationBackward(engine, t.dOutput, t.gate, t.up, activation);
        return context.adoptAll(made);
      }) as unknown as GatedGradients;
    },

    /**
     * The feed-forward with a gate (Shazeer 2020); with `'silu'`, the default, it is SwiGLU: x
     * `[..., C]`; `linear1.weight` `[2 F, C]`, the rows of the gate above those of the gated
     * values; `linear2.weight` `[C, F]`; gives `[..., C]`. Works in a module of `tril/training`.
     *
     * @throws TrilError where shapes do not fit, and for weights that are missing or unknown
     *
     * @example
     * ```ts
     * const weights = {
     *   'linear1.weight': tril.tensor([[1, 0], [0, 1]]), // F = 1
     *   'linear2.weight': tril.tensor([[1], [10]]),
     * };
     * const options = { activation: 'relu', trace: true } as const;
     * const { output, trace } = tril.gatedFeedForward(tril.tensor([2, 3]), weights, options);
     * trace.activated.toArray(); // [6]
     * output.toArray(); // [6, 60]
     * ```
     */
    gatedFeedForward<const Options extends FeedForwardOptions, Weights extends object>(
      x: Tensor,
      weights: Weights & Named<Weights, FeedForwardWeights>,
      options: Options & Known<Options, FeedForwardOptions> = {} as never,
    ): FeedForwardResult<Options> {
      const call = 'gatedFeedForward';
      checkKeys(call, 'weights', 'weight', weights, context.weightNames('feedForward'));
      checkKeys(call, 'options', 'option', options, ['activation', 'trace', 'out']);
      const activation = stringOption(call, 'activation', options.activation, 'silu');
      const wanted = booleanOption(call, 'trace', options.trace, false);
      const out = options.out ?? absent;
      return context.runWithWeights(call, weights, { x, out }, (t, state) => {
        const raw = context.training(call);
        const made = raw._gatedFeedForward(engine, t.x, state, activation, wanted, t.out);
        const { output = out, ...trace } = context.adoptAll(made);
        return { output, ...(wanted && { trace }) } as unknown as FeedForwardResult<Options>;
      });
    },

    /**
     * The gradients of the inputs of `feedForward`, from the gradient `dOutput` of its output. The
     * intermediate results are computed again. Works in a module of `tril/training`.
     *
     * @throws TrilError where shapes do not fit, and for weights that are missing or unknown
     *
     * @example
     * ```ts
     * const weights = {
     *   'linear1.weight': tril.tensor([[1, 0], [0, 1]]),
     *   'linear2.weight': tril.tensor([[1, 1], [0, 0]]),
     * };
     * const { dX, dWeights } = tril.feedForwardBackward(tril.tensor([1, 0]), tril.tensor([2, -3]), weights);
     * dX.toArray(); // [1, 0]
     * dWeights['linear2.weight'].toArray(); // [[2, 0], [0, 0]]
     * ```
     */
    feedForwardBackward<Weights extends object>(
      dOutput: Tensor,
      x: Tensor,
      weights: Weights & Named<Weights, FeedForwardWeights>,
      options: Pick<FeedForwardOptions, 'activation'> = {},
    ): WeightGradients<Weights> {
      return ofFeedForward('feedForwardBackward', dOutput, x, weights, options);
    },

    /**
     * The gradients of the inputs of `gatedFeedForward`, from the gradient of its output. Works in a
     * module of `tril/training`.
     *
     * @throws TrilError where shapes do not fit, and for weights that are missing or unknown
     *
     * @example
     * ```ts
     * const weights = {
     *   'linear1.weight': tril.tensor([[1, 0], [0, 1]]),
     *   'linear2.weight': tril.tensor([[1], [10]]),
     * };
     * const [dOutput, x] = [tril.tensor([1, 0]), tril.tensor([2, 3])];
     * const options = { activation: 'relu' } as const;
     * tril.gatedFeedForwardBackward(dOutput, x, weights, options).dX.toArray(); // [3, 2]
     * ```
     */
    gatedFeedForwardBackward<Weights extends object>(
      dOutput: Tensor,
      x: Tensor,
      weights: Weights & Named<Weights, FeedForwardWeights>,
      options: Pick<FeedForwardOptions, 'activation'> = {},
    ): WeightGradients<Weights> {
      return ofFeedForward('gatedFeedForwardBackward', dOutput, x, weights, options);
    },
  };
};
