import type { KeyValueCache } from '../key-value-cache.js';
import type { SavedResult } from '../saved.js';
import type { Tensor } from '../tensor.js';
import type { AttentionOptions } from './attention.js';
import type { Activation, FeedForwardWeights } from './feed-forward.js';
import type { Mask } from './mask.js';
import type { MultiHeadTrace, MultiHeadWeights } from './multi-head-attention.js';

type Norms<Names extends string> = {
  readonly [Name in `${Names}.${'weight' | 'bias'}`]?: Tensor | null;
};
/** The weights of attention, with a prefix before their names. */
type Attention<Part extends string> = {
  readonly [Name in keyof MultiHeadWeights as `${Part}.${Name}`]: MultiHeadWeights[Name];
};

/**
 * The `state_dict` of `nn.TransformerEncoderLayer`; biases, and the weights of norms, are optional.
 */
export type TransformerBlockWeights = Attention<'self_attn'> &
  FeedForwardWeights &
  Norms<'norm1' | 'norm2'>;

/**
 * The `state_dict` of `nn.TransformerDecoderLayer`; biases, and the weights of norms, are optional.
 */
export type DecoderBlockWeights = Attention<'self_attn' | 'multihead_attn'> &
  FeedForwardWeights &
  Norms<'norm1' | 'norm2' | 'norm3'>;

/**
 * The `state_dict` of `nn.Transformer`: `encoder.layers.0.self_attn.in_proj_weight` and so on, for
 * any number of layers, with optional `encoder.norm` and `decoder.norm`.
 */
export type TransformerWeights = { readonly [name: string]: Tensor | null | undefined };

/** The options of `transformerBlock`. */
export interface TransformerBlockOptions extends Omit<
  AttentionOptions,
  'past' | 'heads' | 'logSumExp'
> {
  /** Number of heads of attention. */
  readonly heads: number;
  /**
   * The position of norms: `'post'`, after the residual; `'pre'`, before each sublayer (default `'post'`).
   */
  readonly norm?: 'post' | 'pre';
  /** Activation of the feed-forward (default `'relu'`). */
  readonly activation?: Activation;
  /** Number that the norms add to the variance (default 1e-5). */
  readonly eps?: number;
  /**
   * A cache, to which the keys and values of self-attention to `x` are appended, and all of whose
   * tokens are attended to. Not with `saved`.
   */
  readonly past?: KeyValueCache;
}

/** The options of `decoderBlock`. */
export interface DecoderBlockOptions extends TransformerBlockOptions {
  /** The part of the memory that may be seen. */
  readonly memoryMask?: Mask;
  /**
   * A cache, to which the keys and values of the memory are appended: pass the memory once, and then
   * a memory without tokens, `[B, 0, Cm]`, so that it is projected only once. Not with `saved`.
   */
  readonly memoryPast?: KeyValueCache;
}

/** The options of `transformer`. */
export interface TransformerOptions extends Omit<
  DecoderBlockOptions,
  'mask' | 'keyLengths' | 'past' | 'memoryPast'
> {
  /** The part of the source that the encoder may see. */
  readonly sourceMask?: Mask;
  /** The part of the target that the decoder may see, in addition to `causal`. */
  readonly targetMask?: Mask;
}

/** The intermediate results: those of attention, and the others `[B, T, C]`. */
export interface TransformerBlockTrace extends MultiHeadTrace {
  /** The output of attention. */
  readonly attention: Tensor;
  /** The sum of attention's output and its input. */
  readonly residual1: Tensor;
  readonly normed1: Tensor;
  /** The output of the first linear layer, `[B, T, F]`. */
  readonly hidden: Tensor;
  /** The output of the activation, `[B, T, F]`. */
  readonly activated: Tensor;
  /** The output of the feed-forward. */
  readonly feedForward: Tensor;
  readonly residual2: Tensor;
  readonly normed2: Tensor;
}

export interface DecoderBlockTrace extends TransformerBlockTrace {
  /** The intermediate results of attention to the memory. */
  readonly crossAttention: MultiHeadTrace;
  /** The output of attention to the memory. */
  readonly cross: Tensor;
  readonly residual3: Tensor;
  readonly normed3: Tensor;
}

/** The intermediate results. */
export interface TransformerTrace {
  /** One for each layer. */
  readonly encoder: readonly TransformerBlockTrace[];
  /** The encoder's output, `[B, S, C]`. */
  readonly memory: Tensor;
  /** One for each layer. */
  readonly decoder: readonly DecoderBlockTrace[];
}

/** The result of the blocks and of `transformer`; `trace` where the options ask for it. */
export type BlockResult<Options, Trace> = {
  /** The output, in the shape of `x`, or of the target. */
  readonly output: Tensor;
} & (Options extends { trace: true } ? { readonly trace: Trace } : { readonly trace?: Trace }) &
  SavedResult<Options>;
