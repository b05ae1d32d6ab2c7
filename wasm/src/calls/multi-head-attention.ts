import type { Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { TrilError } from '../error.js';
import type { KeyValueCache } from '../key-value-cache.js';
import { booleanOption, checkKeys, integerOption, numberOption } from '../names.js';
import { wantsSaved, type SavedOption, type SavedResult } from '../saved.js';
import type { Named } from '../named-tensors.js';
import type { Tensor } from '../tensor.js';
import { rotaryPairs, type RotaryOptions } from './layers.js';
import { rawAttentionOptions, type AttentionOptions, type AttentionTrace } from './attention.js';

/**
 * The `state_dict` of `nn.MultiheadAttention`, matrices `[out, in]`: the three projections stacked
 * in `in_proj_weight` `[E + 2 Ek, C]`, or separate where their inputs differ in width. E = H * D is
 * the width of all heads of queries, Ek = Hk * D that of keys and values.
 */
export interface MultiHeadWeights {
  readonly in_proj_weight?: Tensor;
  /** `[E, C]` */
  readonly q_proj_weight?: Tensor;
  /** `[Ek, width of context]` */
  readonly k_proj_weight?: Tensor;
  /** `[Ek, width of valueContext]` */
  readonly v_proj_weight?: Tensor;
  /** `[E + 2 Ek]` */
  readonly in_proj_bias?: Tensor | null;
  /** `[C, E]` */
  readonly 'out_proj.weight': Tensor;
  /** `[C]` */
  readonly 'out_proj.bias'?: Tensor | null;
}

/** The options of `multiHeadAttention`. */
export interface MultiHeadOptions extends Omit<AttentionOptions, 'past' | 'heads' | 'logSumExp'> {
  /** Number of heads. */
  readonly heads: number;
  /** Source of the keys and values, `[B, S, ...]`, for cross-attention (default: `x`). */
  readonly context?: Tensor;
  /** Source of the values (default: `context`). */
  readonly valueContext?: Tensor;
  /** Rotations of queries and keys by their positions, which count from the length of the cache. */
  readonly rotary?: Omit<RotaryOptions, 'positions' | 'out'>;
  /**
   * A cache, to which the keys and values of `x` are appended, and all of whose tokens are attended
   * to. With a `context`, its keys and values are appended instead: pass it once, and then a
   * context without tokens, `[B, 0, ...]`, for cross-attention that projects its memory only once.
   */
  readonly past?: KeyValueCache;
  /** Also return the weights after softmax. */
  readonly needWeights?: boolean;
  /** Their mean over the heads, `[B, T, S]` (the default), or all of them, `[B, H, T, S]`. */
  readonly averageWeights?: boolean;
}

/** The intermediate results: the projections of each head, and the scores. */
export interface MultiHeadTrace extends AttentionTrace {
  /** `[B, H, T, D]` */
  readonly queries: Tensor;
  /** `[B, Hk, S, D]` */
  readonly keys: Tensor;
  /** `[B, Hk, S, D]` */
  readonly values: Tensor;
  /** The output of attention before `out_proj`: `[B, H, T, D]`. */
  readonly heads: Tensor;
}

/** The result of `multiHeadAttention`; `weights` and `trace` where the options ask for them. */
export type MultiHeadResult<Options> = {
  /** `[B, T, C]` */
  readonly output: Tensor;
} & (Options extends { needWeights: true }
  ? { readonly weights: Tensor }
  : { readonly weights?: Tensor }) &
  SavedResult<Options> &
  (Options extends { trace: true }
    ? { readonly trace: MultiHeadTrace }
    : { readonly trace?: MultiHeadTrace });

const optionNames = [
  ...[
    'heads',
    'kvHeads',
    'context',
    'valueContext',
    'rotary',
    'past',
    'causal',
    'mask',
    'scale',
    'softcap',
  ],
  ...['keyLengths', 'method', 'needWeights', 'averageWeights', 'trace', 'out'],
  'saved',
];

/** The options as the module takes them, except cache and contexts. */
export function rawMultiHeadOptions(
  context: Context,
  call: string,
  options: MultiHeadOptions,
  names: readonly string[],
) {
  const attention = rawAttentionOptions(context, call, options, names);
  const { rotary } = options;
  if (rotary !== undefined) {
    checkKeys(call, 'rotary', 'option', rotary, ['base', 'pairs', 'width']);
  }
  if (options.heads === undefined) throw new TrilError(call, 'heads', 'must be given');
  return {
    attention,
    needWeights: booleanOption(call, 'needWeights', options.needWeights, false),
    averageWeights: booleanOption(call, 'averageWeights', options.averageWeights, true),
    rotates: rotary !== undefined,
    rotary: {
      base: numberOption(call, 'rotary.base', rotary?.base, 10000),
      pairs: rotaryPairs(call, 'rotary.pairs', rotary?.pairs),
      width:
        rotary?.width === undefined ? 0 : integerOption(call, 'rotary.width', rotary.width, 0, 1),
      heads: 0, // have an axis of their own here
    },
  };
}

export const multiHeadCalls = <Training>(context: Context) => ({
  /**
   * Multi-head attention as `nn.MultiheadAttention` with `batch_first` (Vaswani et al. 2017, section
   * 3.2.2): x `[B, T, C]`, or `[T, C]` without a batch, projected to queries, and `context` or x projected
   * to keys and values; attention in every head; the heads side by side through `out_proj`. Gives `[B, T,
   * C]`, and with `saved: true` of `tril/training` also the `saved` of `multiHeadAttentionBackward`.
   *
   * @throws TrilError where shapes or options do not fit, and for weights that are missing or unknown
   *
   * @example
   * ```ts
   * const x = tril.randomNormal([2, 10, 64], { seed: 1 });
   * const weights = {
   *   in_proj_weight: tril.randomNormal([192, 64], { seed: 2 }),
   *   'out_proj.weight': tril.randomNormal([64, 64], { seed: 3 }),
   * };
   * const options = { heads: 4, causal: true, needWeights: true } as const;
   * const { output, weights: seen } = tril.multiHeadAttention(x, weights, options);
   * output.shape; // [2, 10, 64]
   * seen.shape; // [2, 10, 10]
   * ```
   */
  multiHeadAttention<const Options extends MultiHeadOptions & Training, Weights extends object>(
    x: Tensor,
    weights: Weights & Named<Weights, MultiHeadWeights>,
    options: Options & Known<Options, MultiHeadOptions & Training>,
  ): MultiHeadResult<Options> {
    const call = 'multiHeadAttention';
    checkKeys(call, 'weights', 'weight', weights, context.weightNames(call));
    const raw = rawMultiHeadOptions(context, call, options, optionNames);
    const { past } = options;
    const cache = context.cacheOption(call, 'past', past);
    const out = options.out ?? absent;
    const keysFrom = options.context ?? absent;
    const valueContext = options.valueContext ?? absent;
    const inputs = { x, context: keysFrom, valueContext, out };
    const others = { past, needWeights: raw.needWeights, trace: raw.attention.trace };
    if (wantsSaved(call, options as SavedOption, others)) {
      return context.runWithWeights(call, weights, inputs, (t, state) => {
        const made = context
          .training(call)
          ._multiHeadAttentionSaved(
            ...[context.engine, t.x, state, t.context, t.valueContext, raw, t.out],
          );
        return { output: out, ...context.adoptAll(made) } as unknown as MultiHeadResult<Options>;
      });
    }
    return context.runWithWeights(call, weights, inputs, (t, state) => {
      const made = context.raw._multiHeadAttention(
        ...[context.engine, t.x, state, t.context, t.valueContext, cache, raw, t.out],
      );
      const { output = out, averageWeights, ...trace } = context.adoptAll(made);
      return {
        output,
        ...(raw.needWeights && { weights: averageWeights ?? trace['weights'] }),
        ...(raw.attention.trace && { trace }),
      } as unknown as MultiHeadResult<Options>;
    });
  },
});

/** The same in a module of `tril/training`, which can save what the backward pass needs. */
export const trainingMultiHeadCalls = multiHeadCalls<SavedOption>;
