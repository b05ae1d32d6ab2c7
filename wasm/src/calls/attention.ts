import type { Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { KeyValueCache } from '../key-value-cache.js';
import { booleanOption, checkKeys, integerOption } from '../names.js';
import { numberOption, optionalNumber, stringOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import { checkLengths, rawMask, type Mask } from './mask.js';
import { checkSeed } from './tensor.js';

/** The methods, all exact, which differ in the number of scores in memory. */
export const attentionMethods = ['auto', 'full', 'blocked', 'online'] as const;
/** One of `attentionMethods`. */
export type AttentionMethod = (typeof attentionMethods)[number];

/** Corresponding keys `[B, Hk, S, D]` and values `[B, Hk, S, Dv]`. */
export interface KeyValue {
  readonly key: Tensor;
  readonly value: Tensor;
}

/** Dropout of attention weights in training (Srivastava et al. 2014). */
export interface AttentionDropout {
  /** Share of the weights that is dropped, from 0 to below 1; the others are divided by 1 minus it. */
  readonly probability: number;
  /** Seed of the dropped weights; use another one for each use and step. */
  readonly seed: number;
}

/** The options of `attention`. */
export interface AttentionOptions {
  /**
   * Whether a query sees no key after its own position. With `past` or `keyLengths`, positions
   * count from there.
   */
  readonly causal?: boolean;
  /** The keys that may be seen, in addition to `causal`. */
  readonly mask?: Mask;
  /** Factor of the scores (default `1 / sqrt(D)`). */
  readonly scale?: number;
  /** Soft cap c > 0: scores become `c * tanh(score / c)`, after scaling and before the mask. */
  readonly softcap?: number;
  /**
   * Keys and values of earlier calls: a cache, to which `k` and `v` are appended in place, or
   * tensors before them; the result then has `present`, all keys and values.
   */
  readonly past?: KeyValue | KeyValueCache;
  /**
   * Number of real keys of each batch; with `causal`, the last query is at the position of the last
   * of them.
   */
  readonly keyLengths?: readonly number[];
  /** Number of heads in the last axis of `q`, whose shape is then `[B, T, H*D]`. */
  readonly heads?: number;
  /** Number of heads that lie side by side in `k` and `v` (default: `heads`). */
  readonly kvHeads?: number;
  /** Method; `'auto'` is the fastest known for the shape (default `'auto'`). */
  readonly method?: AttentionMethod;
  /** Also return the intermediate results. */
  readonly trace?: boolean;
  /** Also return the logarithm of the sum of `e^score` for each query; every method has it. */
  readonly logSumExp?: boolean;
  /** The tensor to write the output to (default: a new one). */
  readonly out?: Tensor;
}

/** The additional options of `attention` and `attentionBackward` of `tril/training`. */
export interface DropoutOption {
  /**
   * Drops weights after softmax; a backward pass with the same options drops the same ones. The
   * trace has the weights before dropout.
   */
  readonly dropout?: AttentionDropout;
}

/** The intermediate results, in this order, each `[B, H, T, S]`. */
export interface AttentionTrace {
  /** `scale * q k^T` */
  readonly scores: Tensor;
  /** The scores after the soft cap, if any. */
  readonly capped?: Tensor;
  /** The scores after the mask: -inf where a query may not look. */
  readonly masked: Tensor;
  /** The weights after softmax: every row sums to 1, or is 0 where the query sees nothing. */
  readonly weights: Tensor;
}

/** The result of `attention`; `trace` and `present` where the options ask for them. */
export type AttentionResult<Options> = {
  /** `[B, H, T, Dv]`, or in the layout of the queries. */
  readonly output: Tensor;
} & (Options extends { trace: true }
  ? { readonly trace: AttentionTrace }
  : { readonly trace?: AttentionTrace }) &
  (Options extends { logSumExp: true }
    ? {
        /**
         * `[B, H, T]`: log of the sum of `e^score` over the keys that a query sees, after soft cap
         * and mask; a weight is `e^(score - logSumExp)`. Infinity where it sees no key.
         */
        readonly logSumExp: Tensor;
      }
    : { readonly logSumExp?: Tensor }) &
  (Options extends { past: KeyValue }
    ? { readonly present: KeyValue }
    : { readonly present?: KeyValue });

const optionNames = [
  ...['causal', 'mask', 'scale', 'softcap', 'past', 'keyLengths'],
  ...['heads', 'kvHeads', 'method', 'trace', 'logSumExp', 'out', 'dropout'],
];

/** Probability and seed, as the module takes them; none without dropout. */
export function rawDropout(
  call: string,
  { dropout }: DropoutOption,
): readonly [number, number] | undefined {
  if (dropout === undefined) return undefined;
  checkKeys(call, 'dropout', 'option', dropout, ['probability', 'seed']);
  const probability = numberOption(call, 'probability', dropout.probability, Number.NaN);
  return [probability, checkSeed(call, dropout.seed)];
}

/** The options as the module takes them; `heads` is 0 where heads have an axis of their own. */
export function rawAttentionOptions(
  context: Context,
  call: string,
  options: AttentionOptions,
  names: readonly string[],
) {
  checkKeys(call, 'options', 'option', options, names);
  const heads = integerOption(call, 'heads', options.heads, 0, options.heads === undefined ? 0 : 1);
  return {
    causal: booleanOption(call, 'causal', options.causal, false),
    mask: rawMask(context, call, options.mask),
    scale: optionalNumber(call, 'scale', options.scale),
    softcap: numberOption(call, 'softcap', options.softcap, 0),
    keyLengths: checkLengths(call, options.keyLengths ?? [], 'keyLengths'),
    method: stringOption(call, 'method', options.method, 'auto'),
    heads,
    kvHeads: integerOption(call, 'kvHeads', options.kvHeads, heads, heads === 0 ? 0 : 1),
    trace: booleanOption(call, 'trace', options.trace, false),
    logSumExp: booleanOption(call, 'logSumExp', options.logSumExp, false),
  };
}

export const attentionCalls = <Training>(context: Context) => ({
  /**
   * Scaled dot-product attention, `softmax(scale * q k^T + mask) v` for every head (Vaswani et al.
   * 2017, section 3.2.1): q `[B, H, T, D]`, k `[B, Hk, S, D]`, v `[B, Hk, S, Dv]`; gives `[B, H, T,
   * Dv]`. Hk divides H: groups of query heads share a head of keys and values (Ainslie et al.
   * 2023). All may omit the batch axis, or both batch and heads; with `heads` they are `[B, T,
   * H*D]` or `[T, H*D]`. A query that sees nothing gets zeros.
   *
   * @throws TrilError where shapes or options do not fit
   *
   * @example
   * ```ts
   * const normal = (seed: number) => tril.randomNormal([1, 8, 16, 64], { seed });
   * const [q, k, v] = [normal(1), normal(2), normal(3)];
   * const { output, trace } = tril.attention(q, k, v, { causal: true, trace: true });
   * output.shape; // [1, 8, 16, 64]
   * trace.weights.shape; // [1, 8, 16, 16]
   * trace.weights.read()[0]; // 1
   * tril.attention(q, k, tril.zeros([1, 8, 15, 64])); // throws TrilError: attention: value:
   * ```
   */
  attention<const Options extends AttentionOptions & Training>(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options: Options & Known<Options, AttentionOptions & Training> = {} as never,
  ): AttentionResult<Options> {
    const call = 'attention';
    const raw = rawAttentionOptions(context, call, options, optionNames);
    const { past } = options;
    const dropout = rawDropout(call, options as DropoutOption);
    const out = options.out ?? absent;
    const cache = past instanceof KeyValueCache ? context.cacheHandle(call, 'past', past) : null;
    const given = past instanceof KeyValueCache ? undefined : past;
    if (given !== undefined) checkKeys(call, 'past', 'part', given, ['key', 'value']);
    const tensors = {
      ...{ query, key, value, out },
      ...{ 'past.key': given ? given.key : absent, 'past.value': given ? given.value : absent },
    };
    return context.run(call, tensors, (t) => {
      const [pastKey, pastValue] = [t['past.key'], t['past.value']];
      const { engine } = context;
      const values = [
        engine,
        t.query,
        t.key,
        t.value,
        pastKey,
        pastValue,
        cache,
        raw,
        t.out,
      ] as const;
      const made = dropout
        ? context.training(call)._attentionDropout(...values, ...dropout)
        : context.raw._attention(...values);
      const all = context.adoptAll(made);
      const { output = out, logSumExp, presentKey, presentValue, ...trace } = all;
      return {
        output,
        ...(raw.trace && { trace }),
        ...(raw.logSumExp && { logSumExp }),
        ...(given && { present: { key: presentKey, value: presentValue } }),
      } as unknown as AttentionResult<Options>;
    });
  },
});

/** The same in a module of `tril/training`, which has dropout. */
export const trainingAttentionCalls = attentionCalls<DropoutOption>;
