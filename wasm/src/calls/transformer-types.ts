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
/** The weights of attention, a name in front of theirs. */
type Attention<Part extends string> = {
  readonly [Name in keyof MultiHeadWeights as `${Part}.${Name}`]: MultiHeadWeights[Name];
};

/**
 * The `state_dict` of `nn.TransformerEncoderLayer`; biases, and norms' weights, may be left out.
 */
export type TransformerBlockWeights = Attention<'self_attn'> &
  FeedForwardWeights &
  Norms<'norm1' | 'norm2'>;

/**
 * The `state_dict` of `nn.TransformerDecoderLayer`; biases, and norms' weights, may be left out.
 */
export type DecoderBlockWeights = Attention<'self_attn' | 'multihead_attn'> &
  FeedForwardWeights &
  Norms<'norm1' | 'norm2' | 'norm3'>;

/**
 * The `state_dict` of `nn.Transformer`: `encoder.layers.0.self_attn.in_proj_weight` and so on, as
 * many layers as there are, and `encoder.norm` and `decoder.norm` where there are.
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
   * A cache, to which the keys and values of self-attention to `x` are appended, and whose tokens are
   * all attended to. Not with `saved`.
   */
  readonly past?: KeyValueCache;
}

/** The options of `decoderBlock`. */
export interface DecoderBlockOptions extends TransformerBlockOptions {
  /** Which part of the memory may be looked at. */
  readonly memoryMask?: Mask;
  /**
   * A cache, to which the keys and values of the memory are appended: give the memory once, and then
   * one without tokens, `[B, 0, Cm]`, so that it is projected a single time. Not with `saved`.
   */
  readonly memoryPast?: KeyValueCache;
}

/** The options of `transformer`. */
export interface TransformerOptions extends Omit<
  DecoderBlockOptions,
  'mask' | 'keyLengths' | 'past' | 'memoryPast'
> {
  /** Which part of the source the encoder may look at. */
  readonly sourceMask?: Mask;
  /** Which part of the target the decoder may look at, besides `causal`. */
  readonly targetMask?: Mask;
}

/** The intermediate results: those of attention, and the others `[B, T, C]`. */
export interface TransformerBlockTrace extends MultiHeadTrace {
  /** The output of attention. */
  readonly attention: Tensor;
  /** After it is added to what it came from. */
  readonly residual1: Tensor;
  readonly normed1: Tensor;
  /** After the first linear layer, `[B, T, F]`. */
  readonly hidden: Tensor;
  /** After the activation, `[B, T, F]`. */
  readonly activated: Tensor;
  /** The output of the feed-forward. */
  readonly feedForward: Tensor;
  readonly residual2: Tensor;
  readonly normed2: Tensor;
}

export interface DecoderBlockTrace extends TransformerBlockTrace {
  /** The intermediate results of attention to the memory. */
  readonly crossAttention: MultiHeadTrace;
  /** Its output. */
  readonly cross: Tensor;
  readonly residual3: Tensor;
  readonly normed3: Tensor;
}

/** The intermediate results. */
export interface TransformerTrace {
  /** A layer each. */
  readonly encoder: readonly TransformerBlockTrace[];
  /** The encoder's output, `[B, S, C]`. */
  readonly memory: Tensor;
  /** A layer each. */
  readonly decoder: readonly DecoderBlockTrace[];
}

/** The result of the blocks and of `transformer`; `trace` where the options ask for it. */
export type BlockResult<Options, Trace> = {
  /** In the shape of `x`, or of the target. */
  readonly output: Tensor;
} & (Options extends { trace: true } ? { readonly trace: Trace } : { readonly trace?: Trace }) &
  SavedResult<Options>;
