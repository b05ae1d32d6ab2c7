import type { Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { checkKeys, integerOption } from '../names.js';
import type { RawWithLessons } from '../raw.js';
import type { Tensor } from '../tensor.js';
import { rawAttentionOptions, type AttentionOptions } from './attention.js';

/** The numbers of queries and keys in a step. */
export interface OnlineBlocks {
  /** Number of queries (default 64). */
  readonly queries?: number;
  /** Number of keys (default 128). */
  readonly keys?: number;
}

/** The options of `onlineAttention`. */
export interface OnlineOptions extends Omit<AttentionOptions, 'past' | 'method' | 'logSumExp'> {
  readonly blocks?: OnlineBlocks;
}

/**
 * The steps of online softmax, one for each of the N blocks of keys; each holds the state after it.
 */
export interface OnlineTrace {
  /** The largest score seen so far, -inf while there is none: `[B, H, T, N]`. */
  readonly maximum: Tensor;
  /** The sum of `e^(score - maximum)` so far: `[B, H, T, N]`. */
  readonly sum: Tensor;
  /** The scale of sum and output where the maximum grew: `[B, H, T, N]`. */
  readonly factor: Tensor;
  /** The output so far, not divided by the sum: `[B, H, T, N, Dv]`. */
  readonly partial: Tensor;
  /**
   * 1 for a computed block, 0 for a block that the mask hides entirely, which is skipped: `[B, H,
   * blocks of queries, N]`.
   */
  readonly visited: Tensor;
}

/** The result of `onlineAttention`; `trace` where the options ask for it. */
export type OnlineResult<Options> = {
  /** `[B, H, T, Dv]`, or in the layout of the queries. */
  readonly output: Tensor;
} & (Options extends { trace: true }
  ? { readonly trace: OnlineTrace }
  : { readonly trace?: OnlineTrace });

const optionNames = [
  ...['causal', 'mask', 'scale', 'softcap', 'keyLengths'],
  ...['heads', 'kvHeads', 'blocks', 'trace', 'out'],
];

/** The block sizes, with defaults. */
export function blocksOption(call: string, blocks: OnlineBlocks = {}): Required<OnlineBlocks> {
  checkKeys(call, 'blocks', 'size', blocks, ['queries', 'keys']);
  return {
    queries: integerOption(call, 'blocks.queries', blocks.queries, 64, 1),
    keys: integerOption(call, 'blocks.keys', blocks.keys, 128, 1),
  };
}

export const onlineAttentionCalls = (context: Context) => ({
  /**
   * Attention by online softmax (Milakov and Gimelshein 2018; Dao et al. 2022), with its steps:
   * blocks of keys follow one another, and for each query only a maximum, a sum and the weighted
   * values so far are kept. Inputs and result are as for `attention`; traces have the same axes of
   * batch and heads.
   *
   * @throws TrilError where shapes or options do not fit
   *
   * @example
   * ```ts
   * const normal = (seed: number) => tril.randomNormal([4, 256, 32], { seed });
   * const [q, k, v] = [normal(1), normal(2), normal(3)];
   * const { output, trace } = tril.onlineAttention(q, k, v, { trace: true });
   * trace.maximum.shape; // [4, 256, 2]
   * const { beyond } = tril.compare(tril.attention(q, k, v).output, output, { absolute: 1e-5 });
   * beyond; // 0
   * ```
   */
  onlineAttention<const Options extends OnlineOptions>(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options: Options & Known<Options, OnlineOptions> = {} as never,
  ): OnlineResult<Options> {
    const call = 'onlineAttention';
    const raw = rawAttentionOptions(context, call, options, optionNames);
    const { blocks } = options;
    const out = options.out ?? absent;
    const { queries, keys } = blocksOption(call, blocks);
    return context.run(call, { query, key, value, out }, (t) => {
      const made = (context.raw as RawWithLessons)._onlineAttention(
        ...[context.engine, t.query, t.key, t.value, raw, queries, keys, t.out],
      );
      const { output = out, ...trace } = context.adoptAll(made);
      return { output, ...(raw.trace && { trace }) } as unknown as OnlineResult<Options>;
    });
  },
});
