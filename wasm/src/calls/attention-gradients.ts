import type { IfRequested, Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { booleanOption, checkKeys } from '../names.js';
import type { SavedArgument } from '../saved.js';
import {
  adoptGradients,
  type DWeights,
  type Named,
  type WeightGradients,
} from '../named-tensors.js';
import type { Tensor } from '../tensor.js';
import type { AdditiveOptions, AdditiveWeights } from './efficient-attention.js';
import { rawMask } from './mask.js';
import { rawMultiHeadOptions } from './multi-head-attention.js';
import type { MultiHeadOptions, MultiHeadWeights } from './multi-head-attention.js';

/** The result of `additiveAttentionBackward`. */
export interface AdditiveGradients {
  readonly dQuery: Tensor;
  readonly dKey: Tensor;
  readonly dValue: Tensor;
  readonly dWeights: DWeights<AdditiveWeights>;
}

/** The result of `multiHeadAttentionBackward`. */
export type MultiHeadGradients<Weights, Options = object> = WeightGradients<Weights> & {
  /** The gradient of the context, where there is one. */
  readonly dContext?: Tensor;
  /** The gradient of the value context, where there is one. */
  readonly dValueContext?: Tensor;
} & IfRequested<
    Options,
    { maskGradient: true },
    {
      /** The gradient of the mask, `[B, H, T, S]`; 0 where a query may not look. */
      readonly dMask: Tensor;
    }
  >;

/** The options of `multiHeadAttentionBackward`: those of `multiHeadAttention`. */
export interface MultiHeadBackwardOptions
  extends
    Omit<MultiHeadOptions, 'past' | 'needWeights' | 'averageWeights' | 'trace' | 'out'>,
    SavedArgument {
  /** Also return the gradient of the values that an additive mask adds to the scores. */
  readonly maskGradient?: boolean;
}

const multiHeadNames = [
  ...['heads', 'kvHeads', 'causal', 'mask', 'scale', 'softcap', 'keyLengths', 'method'],
  ...['context', 'valueContext', 'rotary', 'maskGradient', 'saved'],
];

export const attentionGradientCalls = (context: Context) => {
  const { engine } = context;
  const adopt = <Result>(made: Parameters<typeof context.adoptAll>[0]) =>
    adoptGradients<Result>(context, made);

  return {
    /**
     * The gradients of the inputs of `additiveAttention`, from the gradient of its output. Works in a
     * module of `tril/training`.
     *
     * @throws TrilError where shapes do not fit, and for weights that are missing or unknown
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([5, 8], { seed });
     * const [q, k, v, dOutput] = [normal(1), normal(2), normal(3), normal(4)];
     * const weights = {
     *   w_q: tril.randomNormal([16, 8], { seed: 4 }),
     *   w_k: tril.randomNormal([16, 8], { seed: 5 }),
     *   v: tril.randomNormal([16], { seed: 6 }),
     * };
     * const { dKey, dWeights } = tril.additiveAttentionBackward(dOutput, q, k, v, weights);
     * dKey.shape; // [5, 8]
     * dWeights.w_q.shape; // [16, 8]
     * ```
     */
    additiveAttentionBackward<Weights extends object>(
      dOutput: Tensor,
      query: Tensor,
      key: Tensor,
      value: Tensor,
      weights: Weights & Named<Weights, AdditiveWeights>,
      options: Pick<AdditiveOptions, 'mask'> = {},
    ): AdditiveGradients {
      const call = 'additiveAttentionBackward';
      checkKeys(call, 'weights', 'weight', weights, ['w_q', 'w_k', 'v']);
      checkKeys(call, 'options', 'option', options, ['mask']);
      const mask = rawMask(context, call, options.mask);
      const inputs = { dOutput, query, key, value };
      return context.runWithWeights(call, weights, inputs, (t, state) =>
        adopt(
          context
            .training(call)
            ._additiveAttentionBackward(
              ...[engine, t.dOutput, t.query, t.key, t.value],
              ...[state, mask],
            ),
        ),
      );
    },

    /**
     * The gradients of the inputs of `multiHeadAttention`, from the gradient of its output: of `x`,
     * of the contexts, if any, and of all weights. The forward pass is computed again unless its
     * `saved` is given. Works in a module of `tril/training`.
     *
     * @throws TrilError where shapes or options do not fit, and for weights missing or unknown
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([2, 10, 64], { seed });
     * const [x, dOutput] = [normal(1), normal(2)];
     * const weights = {
     *   in_proj_weight: tril.randomNormal([192, 64], { seed: 3 }),
     *   'out_proj.weight': tril.randomNormal([64, 64], { seed: 4 }),
     * };
     * const options = { heads: 4, causal: true, maskGradient: true } as const;
     * const { dX, dMask, dWeights } = tril.multiHeadAttentionBackward(dOutput, x, weights, options);
     * dX.shape; // [2, 10, 64]
     * dMask.shape; // [2, 4, 10, 10]
     * dWeights.in_proj_weight.shape; // [192, 64]
     * const { saved } = tril.multiHeadAttention(x, weights, { heads: 4, causal: true, saved: true });
     * const same = tril.multiHeadAttentionBackward(dOutput, x, weights, { ...options, saved });
     * tril.compare(same.dX, dX).maxAbsolute; // 0
     * ```
     */
    multiHeadAttentionBackward<
      Weights extends object,
      const Options extends MultiHeadBackwardOptions,
    >(
      dOutput: Tensor,
      x: Tensor,
      weights: Weights & Named<Weights, MultiHeadWeights>,
      options: Options & Known<Options, MultiHeadBackwardOptions>,
    ): MultiHeadGradients<Weights, Options> {
      const call = 'multiHeadAttentionBackward';
      checkKeys(call, 'weights', 'weight', weights, context.weightNames('multiHeadAttention'));
      const rawOptions = rawMultiHeadOptions(context, call, options, multiHeadNames);
      const wanted = booleanOption(call, 'maskGradient', options.maskGradient, false);
      const contexts = {
        context: options.context ?? absent,
        valueContext: options.valueContext ?? absent,
        saved: options.saved ?? absent,
      };
      return context.runWithWeights(call, weights, { dOutput, x, ...contexts }, (t, state) =>
        adopt(
          context
            .training(call)
            ._multiHeadAttentionBackward(
              ...[engine, t.dOutput, t.x, state, t.context],
              ...([t.valueContext, rawOptions, wanted, t.saved] as const),
            ),
        ),
      );
    },
  };
};
