import type { Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { TrilError } from '../error.js';
import { booleanOption, checkKeys, describe, stringOption } from '../names.js';
import type { Named } from '../named-tensors.js';
import type { Tensor } from '../tensor.js';
import type { OutOption } from './layers.js';

/** The activation between two linear layers; `'gelu_tanh'` is GELU approximated by a hyperbolic tangent. */
export const activations = ['relu', 'gelu', 'gelu_tanh', 'silu'] as const;
/** One of `activations`. */
export type Activation = (typeof activations)[number];

/** The options of `gelu`. */
export interface GeluOptions extends OutOption {
  /** `'none'` is the exact function, `'tanh'` its approximation (default `'none'`). */
  readonly approximate?: 'none' | 'tanh';
}

/** Two linear layers by the names of `nn.TransformerEncoderLayer`, matrices `[out, in]`. */
export interface FeedForwardWeights {
  /** `[F, C]` */
  readonly 'linear1.weight': Tensor;
  /** `[F]` */
  readonly 'linear1.bias'?: Tensor | null;
  /** `[C, F]` */
  readonly 'linear2.weight': Tensor;
  /** `[C]` */
  readonly 'linear2.bias'?: Tensor | null;
}

/** The options of `feedForward`. */
export interface FeedForwardOptions extends OutOption {
  /** Activation (default `'relu'`). */
  readonly activation?: Activation;
  /** Also return the intermediate results. */
  readonly trace?: boolean;
}

/** The intermediate results, `[..., F]`. */
export interface FeedForwardTrace {
  /** The output of the first linear layer. */
  readonly hidden: Tensor;
  /** The output of the activation. */
  readonly activated: Tensor;
}

/** The result of `feedForward`; `trace` where the options ask for it. */
export type FeedForwardResult<Options> = {
  /** `[..., C]` */
  readonly output: Tensor;
} & (Options extends { trace: true }
  ? { readonly trace: FeedForwardTrace }
  : { readonly trace?: FeedForwardTrace });

/** The core's name for the requested GELU. */
export function geluForm(call: string, approximate: unknown): Activation {
  if (approximate === undefined || approximate === 'none') return 'gelu';
  if (approximate === 'tanh') return 'gelu_tanh';
  const problem = `must be "none" or "tanh", is ${describe(approximate)}`;
  throw new TrilError(call, 'approximate', problem);
}

export const feedForwardCalls = (context: Context) => {
  const { raw, engine } = context;
  const activate = (call: string, activation: Activation, x: Tensor, out: Tensor | undefined) =>
    context.produce(call, { x, out: out ?? absent }, (t) =>
      raw._activate(engine, t.x, activation, t.out),
    );
  return {
    /**
     * `max(x, 0)`, element by element. `out` may be `x`.
     *
     * @throws TrilError where x is no tensor, or `out` has another shape
     *
     * @example
     * ```ts
     * tril.relu(tril.tensor([-1, 0, 2])).toArray(); // [0, 0, 2]
     * ```
     */
    relu(x: Tensor, options: OutOption = {}): Tensor {
      checkKeys('relu', 'options', 'option', options, ['out']);
      return activate('relu', 'relu', x, options.out);
    },

    /**
     * `x` times the normal distribution function of `x` (Hendrycks, Gimpel 2016), element by
     * element. `out` may be `x`.
     *
     * @throws TrilError where x is no tensor, or `out` has another shape
     *
     * @example
     * ```ts
     * const x = tril.tensor([-1, 0, 2]);
     * tril.gelu(x).toArray(); // [-0.1587, 0.0000, 1.9545]
     * tril.gelu(x, { approximate: 'tanh' }).toArray(); // [-0.1588, 0.0000, 1.9546]
     * ```
     */
    gelu(x: Tensor, options: GeluOptions = {}): Tensor {
      checkKeys('gelu', 'options', 'option', options, ['approximate', 'out']);
      return activate('gelu', geluForm('gelu', options.approximate), x, options.out);
    },

    /**
     * `x / (1 + e^-x)`, element by element. `out` may be `x`.
     *
     * @throws TrilError where x is no tensor, or `out` has another shape
     *
     * @example
     * ```ts
     * tril.silu(tril.tensor([-1, 0, 2])).toArray(); // [-0.2689, 0.0000, 1.7616]
     * ```
     */
    silu(x: Tensor, options: OutOption = {}): Tensor {
      checkKeys('silu', 'options', 'option', options, ['out']);
      return activate('silu', 'silu', x, options.out);
    },

    /**
     * Two linear layers with an activation between them, the same for every token (Vaswani et al.
     * 2017, section 3.3): x `[..., C]`; gives `[..., C]`.
     *
     * @throws TrilError where shapes do not fit, and for weights that are missing or unknown
     *
     * @example
     * ```ts
     * const weights = {
     *   'linear1.weight': tril.tensor([[1, 0], [0, 1], [-1, -1]]),
     *   'linear2.weight': tril.tensor([[1, 1, 1], [0, 0, 2]]),
     * };
     * const { output, trace } = tril.feedForward(tril.tensor([1, -3]), weights, { trace: true });
     * trace.activated.toArray(); // [1, 0, 2]
     * output.toArray(); // [3, 4]
     * ```
     */
    feedForward<const Options extends FeedForwardOptions, Weights extends object>(
      x: Tensor,
      weights: Weights & Named<Weights, FeedForwardWeights>,
      options: Options & Known<Options, FeedForwardOptions> = {} as never,
    ): FeedForwardResult<Options> {
      const call = 'feedForward';
      checkKeys(call, 'weights', 'weight', weights, context.weightNames(call));
      checkKeys(call, 'options', 'option', options, ['activation', 'trace', 'out']);
      const activation = stringOption(call, 'activation', options.activation, 'relu');
      const wanted = booleanOption(call, 'trace', options.trace, false);
      const out = options.out ?? absent;
      return context.runWithWeights(call, weights, { x, out }, (t, state) => {
        const { output = out, ...trace } = context.adoptAll(
          raw._feedForward(engine, t.x, state, activation, wanted, t.out),
        );
        return { output, ...(wanted && { trace }) } as unknown as FeedForwardResult<Options>;
      });
    },
  };
};
