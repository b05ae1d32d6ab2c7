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
import { checkTransformerWeights, otherAttention } from './transformer.js';
import { rawBlockOptions, rawTransformerOptions } from './transformer.js';
import type {
  DecoderBlockOptions,
  DecoderBlockWeights,
  TransformerBlockOptions,
  TransformerBlockWeights,
  TransformerOptions,
  TransformerWeights,
} from './transformer-types.js';

/** The result of `transformerBlockBackward`. */
export type BlockGradients<Weights, Options = object> = WeightGradients<Weights> &
  IfRequested<
    Options,
    { maskGradient: true },
    {
      /** The gradient of the mask, `[B, H, T, T]`; 0 where a query may not look. */
      readonly dMask: Tensor;
    }
  >;

/** The result of `decoderBlockBackward`. */
export type DecoderGradients<Weights, Options = object> = BlockGradients<Weights, Options> & {
  /** The gradient of `memory`, in its shape. */
  readonly dMemory: Tensor;
} & IfRequested<
    Options,
    { maskGradient: true },
    {
      /** The gradient of the memory's mask, `[B, H, T, S]`. */
      readonly dMemoryMask: Tensor;
    }
  >;

/** The optional result of a block's backward pass. */
export interface MaskGradientOption {
  /** Also return the gradient of the values that an additive mask adds to the scores. */
  readonly maskGradient?: boolean;
}

/** The result of `transformerBackward`. */
export interface TransformerGradients<Weights> {
  /** The gradient of `source`, in its shape. */
  readonly dSource: Tensor;
  /** The gradient of `target`, in its shape. */
  readonly dTarget: Tensor;
  readonly dWeights: DWeights<Weights>;
}

/** The options of `transformerBlockBackward`: those of `transformerBlock`. */
export type TransformerBlockBackwardOptions = Omit<
  TransformerBlockOptions,
  'trace' | 'out' | 'past'
> &
  MaskGradientOption &
  SavedArgument;
/** The options of `decoderBlockBackward`: those of `decoderBlock`. */
export type DecoderBlockBackwardOptions = Omit<
  DecoderBlockOptions,
  'trace' | 'out' | 'past' | 'memoryPast'
> &
  MaskGradientOption &
  SavedArgument;
/** The options of `transformerBackward`: those of `transformer`. */
export type TransformerBackwardOptions = Omit<TransformerOptions, 'trace' | 'out'> & SavedArgument;

const sharedNames = [
  ...['heads', 'kvHeads', 'causal', 'scale', 'softcap', 'method', 'norm', 'activation', 'eps'],
  'saved',
];
const blockNames = [...sharedNames, 'mask', 'keyLengths', 'maskGradient'];
const transformerNames = [...sharedNames, 'sourceMask', 'targetMask', 'memoryMask'];

export const blockGradientCalls = (context: Context) => {
  const { engine } = context;
  const adopt = <Result>(made: Parameters<typeof context.adoptAll>[0]) =>
    adoptGradients<Result>(context, made);

  return {
    /**
     * The gradients of the inputs of `transformerBlock`, from the gradient of its output. The forward
     * pass is computed again unless its `saved` is given. Works in a module of `tril/training`.
     *
     * @throws TrilError as `transformerBlock`
     *
     * @example
     * ```ts
     * const normal = (seed: number, ...shape: number[]) => tril.randomNormal(shape, { seed });
     * const weights = {
     *   'self_attn.in_proj_weight': normal(1, 192, 64),
     *   'self_attn.out_proj.weight': normal(2, 64, 64),
     *   'linear1.weight': normal(3, 256, 64),
     *   'linear2.weight': normal(4, 64, 256),
     * };
     * const [x, dOutput] = [normal(5, 1, 10, 64), normal(6, 1, 10, 64)];
     * const options = { heads: 4, norm: 'pre', causal: true, maskGradient: true } as const;
     * const { dX, dMask, dWeights } = tril.transformerBlockBackward(dOutput, x, weights, options);
     * dX.shape; // [1, 10, 64]
     * dMask.shape; // [1, 4, 10, 10]
     * dWeights['linear1.weight'].shape; // [256, 64]
     * ```
     */
    transformerBlockBackward<
      Weights extends object,
      const Options extends TransformerBlockBackwardOptions,
    >(
      dOutput: Tensor,
      x: Tensor,
      weights: Weights & Named<Weights, TransformerBlockWeights>,
      options: Options & Known<Options, TransformerBlockBackwardOptions>,
    ): BlockGradients<Weights, Options> {
      const call = 'transformerBlockBackward';
      checkKeys(call, 'weights', 'weight', weights, context.weightNames('transformerBlock'));
      const block = rawBlockOptions(context, call, options, blockNames);
      const wanted = booleanOption(call, 'maskGradient', options.maskGradient, false);
      const saved = options.saved ?? absent;
      return context.runWithWeights(call, weights, { dOutput, x, saved }, (t, state) =>
        adopt(
          context
            .training(call)
            ._transformerBlockBackward(engine, t.dOutput, t.x, state, block, wanted, t.saved),
        ),
      );
    },

    /**
     * The gradients of the inputs of `decoderBlock`, from the gradient of its output. The forward pass
     * is computed again unless its `saved` is given. Works in a module of `tril/training`.
     *
     * @throws TrilError as `decoderBlock`
     *
     * @example
     * ```ts
     * const normal = (seed: number, ...shape: number[]) => tril.randomNormal(shape, { seed });
     * const weights = {
     *   'self_attn.in_proj_weight': normal(1, 192, 64),
     *   'self_attn.out_proj.weight': normal(2, 64, 64),
     *   'multihead_attn.in_proj_weight': normal(3, 192, 64),
     *   'multihead_attn.out_proj.weight': normal(4, 64, 64),
     *   'linear1.weight': normal(5, 256, 64),
     *   'linear2.weight': normal(6, 64, 256),
     * };
     * const [x, memory] = [normal(7, 1, 10, 64), normal(8, 1, 20, 64)];
     * const options = { heads: 4, causal: true };
     * tril.decoderBlockBackward(x, x, memory, weights, options).dMemory.shape; // [1, 20, 64]
     * ```
     */
    decoderBlockBackward<Weights extends object, const Options extends DecoderBlockBackwardOptions>(
      dOutput: Tensor,
      x: Tensor,
      memory: Tensor,
      weights: Weights & Named<Weights, DecoderBlockWeights>,
      options: Options & Known<Options, DecoderBlockBackwardOptions>,
    ): DecoderGradients<Weights, Options> {
      const call = 'decoderBlockBackward';
      checkKeys(call, 'weights', 'weight', weights, context.weightNames('decoderBlock'));
      const block = rawBlockOptions(context, call, options, [...blockNames, 'memoryMask']);
      const cross = otherAttention(context, call, options, options.memoryMask);
      const wanted = booleanOption(call, 'maskGradient', options.maskGradient, false);
      const saved = options.saved ?? absent;
      return context.runWithWeights(call, weights, { dOutput, x, memory, saved }, (t, state) =>
        adopt(
          context
            .training(call)
            ._decoderBlockBackward(
              ...[engine, t.dOutput, t.x, t.memory, state],
              ...([block, cross, wanted, t.saved] as const),
            ),
        ),
      );
    },

    /**
     * The gradients of the inputs of `transformer`, from the gradient of its output. The forward pass
     * is computed again unless its `saved` is given. Works in a module of `tril/training`.
     *
     * @throws TrilError as `transformer`
     *
     * @example
     * ```ts
     * const attention = { 'in_proj_weight': [24, 8], 'out_proj.weight': [8, 8] };
     * const under = (name: string, shapes: object) =>
     *   Object.entries(shapes).map(([own, shape]) => [`${name}.${own}`, shape as number[]] as const);
     * const feedForward = { 'linear1.weight': [16, 8], 'linear2.weight': [8, 16] };
     * const weights = Object.fromEntries(
     *   [
     *     ...under('encoder.layers.0.self_attn', attention),
     *     ...under('encoder.layers.0', feedForward),
     *     ...under('decoder.layers.0.self_attn', attention),
     *     ...under('decoder.layers.0.multihead_attn', attention),
     *     ...under('decoder.layers.0', feedForward),
     *   ].map(([name, shape], seed) => [name, tril.randomNormal(shape, { seed })]),
     * );
     * const [source, target] = [tril.randomNormal([7, 8], { seed: 20 }), tril.zeros([5, 8])];
     * const options = { heads: 2, causal: true };
     * const gradients = tril.transformerBackward(target, source, target, weights, options);
     * gradients.dSource.shape; // [7, 8]
     * gradients.dWeights['encoder.layers.0.linear1.weight']!.shape; // [16, 8]
     * ```
     */
    transformerBackward<Weights extends TransformerWeights>(
      dOutput: Tensor,
      source: Tensor,
      target: Tensor,
      weights: Weights,
      options: TransformerBackwardOptions,
    ): TransformerGradients<Weights> {
      const call = 'transformerBackward';
      checkTransformerWeights(context, call, weights);
      const all = rawTransformerOptions(context, call, options, transformerNames);
      const { block, ofSource, cross } = all;
      const saved = options.saved ?? absent;
      return context.runWithWeights(call, weights, { dOutput, source, target, saved }, (t, state) =>
        adopt(
          context
            .training(call)
            ._transformerBackward(
              ...[engine, t.dOutput, t.source, t.target, state],
              ...([block, ofSource, cross, t.saved] as const),
            ),
        ),
      );
    },
  };
};
