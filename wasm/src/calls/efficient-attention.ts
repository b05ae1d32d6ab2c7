import type { Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { TrilError } from '../error.js';
import { booleanOption, checkKeys, integerOption, optionalNumber, stringOption } from '../names.js';
import type { Named } from '../named-tensors.js';
import type { Tensor } from '../tensor.js';
import type { AttentionTrace } from './attention.js';
import type { OutOption } from './layers.js';
import { rawMask, type Mask } from './mask.js';

/** The network instead of the dot product: `v . tanh(w_q q + w_k k)`. */
export interface AdditiveWeights {
  /** `[A, Dq]` */
  readonly w_q: Tensor;
  /** `[A, Dk]` */
  readonly w_k: Tensor;
  /** `[A]` */
  readonly v: Tensor;
}

/** The options of `additiveAttention`. */
export interface AdditiveOptions extends OutOption {
  /** The keys that may be seen. */
  readonly mask?: Mask;
  /** Also return the intermediate results. */
  readonly trace?: boolean;
}

/** The intermediate results. */
export interface AdditiveTrace extends Omit<AttentionTrace, 'capped'> {
  /** `w_q q`, `[B, T, A]` */
  readonly queries: Tensor;
  /** `w_k k`, `[B, S, A]` */
  readonly keys: Tensor;
}

interface HeadOptions extends OutOption {
  /** Number of heads in the last axis of `q`, whose shape is then `[B, T, H*D]`. */
  readonly heads?: number;
  /** Number of heads that lie side by side in `k` and `v` (default: `heads`). */
  readonly kvHeads?: number;
}

/** The options of `linearAttention`. */
export interface LinearAttentionOptions extends HeadOptions {
  /** Feature map of queries and keys: `'elu_plus_one'`, which is always above 0, or none (default `'elu_plus_one'`). */
  readonly featureMap?: 'elu_plus_one' | 'identity';
  /**
   * Order of the products: `'values_first'`, `q (k^T v)`, takes time and memory proportional to T +
   * S and has no scores; `'scores_first'`, `(q k^T) v`, is the order of the formula (default
   * `'values_first'`).
   */
  readonly order?: 'values_first' | 'scores_first';
  /** Whether a query sees no key after its own position. */
  readonly causal?: boolean;
  /** Whether the output is divided by the sum of the weights (default true). */
  readonly normalise?: boolean;
  /** Also return the weights; only `'scores_first'` has them. */
  readonly needWeights?: boolean;
}

/** The options of `lowRankAttention`. */
export interface LowRankOptions extends HeadOptions {
  /** The projection of the S keys to R, `[R, S]`. */
  readonly e: Tensor;
  /** The projection of the S values to R, `[R, S]`. */
  readonly f: Tensor;
  /** Factor of the scores (default `1 / sqrt(D)`). */
  readonly scale?: number;
  /** Also return the intermediate results, with R in place of S. */
  readonly trace?: boolean;
}

type Traced<Options, Trace> = { readonly output: Tensor } & (Options extends { trace: true }
  ? { readonly trace: Trace }
  : { readonly trace?: Trace });
/** The result of `additiveAttention`; `trace` where the options ask for it. */
export type AdditiveResult<Options> = Traced<Options, AdditiveTrace>;
/** The result of `lowRankAttention`; `trace` where the options ask for it. */
export type LowRankResult<Options> = Traced<Options, AttentionTrace>;
/** The result of `linearAttention`; `weights` where the options ask for them. */
export type LinearAttentionResult<Options> = {
  readonly output: Tensor;
} & (Options extends { needWeights: true }
  ? { readonly weights: Tensor }
  : { readonly weights?: Tensor });

function rawHeads(call: string, options: HeadOptions) {
  const heads = integerOption(call, 'heads', options.heads, 0, options.heads === undefined ? 0 : 1);
  const kvHeads = integerOption(call, 'kvHeads', options.kvHeads, heads, heads === 0 ? 0 : 1);
  return { heads, kvHeads };
}

export const efficientAttentionCalls = (context: Context) => {
  const { raw, engine } = context;
  return {
    /**
     * Attention with a small network instead of the dot product (Bahdanau, Cho, Bengio 2015): q
     * `[B, T, Dq]`, k `[B, S, Dk]`, v `[B, S, Dv]`, or all without a batch; gives `[B, T, Dv]`.
     *
     * @throws TrilError where shapes do not fit, and for weights that are missing or unknown
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([5, 8], { seed });
     * const [q, k, v] = [normal(1), normal(2), normal(3)];
     * const weights = {
     *   w_q: tril.randomNormal([16, 8], { seed: 4 }),
     *   w_k: tril.randomNormal([16, 8], { seed: 5 }),
     *   v: tril.randomNormal([16], { seed: 6 }),
     * };
     * tril.additiveAttention(q, k, v, weights).output.shape; // [5, 8]
     * ```
     */
    additiveAttention<const Options extends AdditiveOptions, Weights extends object>(
      query: Tensor,
      key: Tensor,
      value: Tensor,
      weights: Weights & Named<Weights, AdditiveWeights>,
      options: Options & Known<Options, AdditiveOptions> = {} as never,
    ): AdditiveResult<Options> {
      const call = 'additiveAttention';
      checkKeys(call, 'weights', 'weight', weights, ['w_q', 'w_k', 'v']);
      checkKeys(call, 'options', 'option', options, ['mask', 'trace', 'out']);
      const mask = rawMask(context, call, options.mask);
      const wanted = booleanOption(call, 'trace', options.trace, false);
      const out = options.out ?? absent;
      const inputs = { query, key, value, out };
      return context.runWithWeights(call, weights, inputs, (t, state) => {
        const { output = out, ...trace } = context.adoptAll(
          raw._additiveAttention(engine, t.query, t.key, t.value, state, mask, wanted, t.out),
        );
        return { output, ...(wanted && { trace }) } as unknown as AdditiveResult<Options>;
      });
    },

    /**
     * Attention without softmax: the weight of a key is `f(q) . f(k)`, divided by the sum over all
     * keys seen, so that the product can be multiplied in either order (Katharopoulos et al. 2020).
     * Inputs as for `attention`.
     *
     * @throws TrilError where shapes or options do not fit
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([2, 100, 16], { seed });
     * const [q, k, v] = [normal(1), normal(2), normal(3)];
     * const first = tril.linearAttention(q, k, v, { causal: true });
     * const other = tril.linearAttention(q, k, v, { causal: true, order: 'scores_first' });
     * tril.compare(other.output, first.output, { absolute: 1e-4 }).beyond; // 0
     * ```
     */
    linearAttention<const Options extends LinearAttentionOptions>(
      query: Tensor,
      key: Tensor,
      value: Tensor,
      options: Options & Known<Options, LinearAttentionOptions> = {} as never,
    ): LinearAttentionResult<Options> {
      const call = 'linearAttention';
      checkKeys(call, 'options', 'option', options, [
        ...['featureMap', 'order', 'causal', 'normalise', 'needWeights'],
        ...['heads', 'kvHeads', 'out'],
      ]);
      const rawOptions = {
        featureMap: stringOption(call, 'featureMap', options.featureMap, 'elu_plus_one'),
        order: stringOption(call, 'order', options.order, 'values_first'),
        causal: booleanOption(call, 'causal', options.causal, false),
        normalise: booleanOption(call, 'normalise', options.normalise, true),
        needWeights: booleanOption(call, 'needWeights', options.needWeights, false),
        ...rawHeads(call, options),
      };
      const out = options.out ?? absent;
      return context.run(call, { query, key, value, out }, (t) => {
        const made = raw._linearAttention(engine, t.query, t.key, t.value, rawOptions, t.out);
        return {
          output: out,
          ...context.adoptAll(made),
        } as unknown as LinearAttentionResult<Options>;
      });
    },

    /**
     * Linformer's attention, to R mixtures of the S keys and values, `softmax(scale * q (e k)^T) (f v)`
     * (Wang et al. 2020), so that time and memory grow with T R. Inputs as for `attention`. The
     * mixtures belong to no single position, so there is no mask.
     *
     * @throws TrilError where shapes or options do not fit
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([2, 100, 16], { seed });
     * const [q, k, v] = [normal(1), normal(2), normal(3)];
     * const e = tril.randomNormal([10, 100], { seed: 4 });
     * const f = tril.randomNormal([10, 100], { seed: 5 });
     * const { output, trace } = tril.lowRankAttention(q, k, v, { e, f, trace: true });
     * output.shape; // [2, 100, 16]
     * trace.weights.shape; // [2, 100, 10]
     * ```
     */
    lowRankAttention<const Options extends LowRankOptions>(
      query: Tensor,
      key: Tensor,
      value: Tensor,
      options: Options & Known<Options, LowRankOptions>,
    ): LowRankResult<Options> {
      const call = 'lowRankAttention';
      checkKeys(call, 'options', 'option', options, [
        ...['e', 'f', 'scale', 'trace', 'heads', 'kvHeads', 'out'],
      ]);
      for (const name of ['e', 'f'] as const) {
        if (options[name] === undefined) throw new TrilError(call, name, 'must be given');
      }
      const rawOptions = {
        scale: optionalNumber(call, 'scale', options.scale),
        trace: booleanOption(call, 'trace', options.trace, false),
        ...rawHeads(call, options),
      };
      const { e, f } = options;
      const out = options.out ?? absent;
      return context.run(call, { query, key, value, e, f, out }, (t) => {
        const { output = out, ...trace } = context.adoptAll(
          raw._lowRankAttention(engine, t.query, t.key, t.value, t.e, t.f, rawOptions, t.out),
        );
        return { output, ...(rawOptions.trace && { trace }) } as unknown as LowRankResult<Options>;
      });
    },
  };
};
