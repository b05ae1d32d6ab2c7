// Costs of calls of the core, by its own count for their sizes, and the duration of one call on numbers of these sizes.
import type { Activation, AttentionSizes, MatmulMethod, Tensor } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Answers } from '../answers';
import { headWidth, heads, inputs } from '../../shared/handmade/heads-circuit';
import type { CostData } from '../../page/protocol';
import type { Speed } from '../../shared/steady';
import { sizes as blockSizes, type BlockForm } from '../../shared/handmade/block-graph';
import { deepSizes, randomBlock } from './block';
import { ownCall } from './check-cost';
import { stepCall } from './learn';
import { longerCall } from './longer-cost';
import { blocksCall } from './mask-blocks';
import { callAnswers, type Call } from './timed';
import { towersCall } from './towers-cost';

const drawn = (tril: Tril, ...shape: number[]): Tensor => tril.randomNormal(shape, { seed: 1 });

interface ProductSizes {
  readonly rows: number;
  readonly depth: number;
  readonly cols: number;
  readonly method?: MatmulMethod;
  readonly levels?: number;
}

const product: Call<ProductSizes> = (tril, { rows, depth, cols, ...way }) => ({
  cost: tril.cost.matmul({ rows, depth, cols, ...way }),
  prepare() {
    const [a, b, out] = [
      drawn(tril, rows, depth),
      drawn(tril, depth, cols),
      drawn(tril, rows, cols),
    ];
    return () => tril.matmul(a, b, { ...way, out });
  },
});

const softmax: Call<{ readonly length: number; readonly stable: boolean }> = (
  tril,
  { length, stable },
) => ({
  cost: tril.cost.softmax({ rows: 1, length, stable }),
  prepare() {
    const row = drawn(tril, 1, length);
    return () => tril.softmaxSteps(row, { stable });
  },
});

/** Softmax of scores, unless weights are given, and the blend. */
const blend: Call<{ readonly length: number; readonly free: boolean }> = (
  tril,
  { length, free },
) => {
  const blended = tril.cost.matmul({ rows: 1, depth: length, cols: 1 });
  const weighed = tril.cost.softmax({ rows: 1, length });
  return {
    cost: free ? blended : tril.cost.sum([weighed, blended]),
    prepare() {
      const [scores, values] = [drawn(tril, 1, length), drawn(tril, length, 1)];
      return () => tril.matmul(free ? scores : tril.softmax(scores), values);
    },
  };
};

const attention: Call<
  AttentionSizes & { readonly causal: boolean; readonly method?: 'full' | 'online' }
> = (tril, sizes) => ({
  cost: tril.cost.attention(sizes),
  prepare() {
    const { batches = 1, heads: count = 1, queries, keys, width, ...given } = sizes;
    const { valueWidth = width, ...options } = given;
    const [q, k, v] = [
      ...[drawn(tril, batches, count, queries, width), drawn(tril, batches, count, keys, width)],
      drawn(tril, batches, count, keys, valueWidth),
    ];
    return () => tril.attention(q, k, v, options);
  },
});

/** The layer of chapter "Heads" for two sequences: the costs of its five calls together. */
const layer: Call<{ readonly tokens: number }> = (tril, { tokens }) => {
  const width = heads * headWidth;
  const linear = (from: number, to: number) =>
    tril.cost.linear({ rows: 2 * tokens, in: from, out: to, bias: false });
  const sizes = { batches: 2, heads, queries: tokens, keys: tokens, width: headWidth };
  return {
    cost: tril.cost.sum([
      ...[1, 2, 3].map(() => linear(inputs, width)),
      tril.cost.attention({ ...sizes, causal: true, method: 'full' }),
      linear(width, inputs),
    ]),
    prepare() {
      const x = drawn(tril, 2, tokens, inputs);
      const weights = {
        in_proj_weight: drawn(tril, 3 * width, inputs),
        'out_proj.weight': drawn(tril, inputs, width),
      };
      return () => tril.multiHeadAttention(x, weights, { heads, causal: true });
    },
  };
};

export interface BlockCall {
  readonly tokens: number;
  readonly norm: BlockForm['norm'];
  readonly activation: Activation;
  readonly causal: boolean;
}

/** A block with all biases and scales. */
const blockOf =
  ({ width, hidden, heads: count }: typeof blockSizes | typeof deepSizes): Call<BlockCall> =>
  (tril, { tokens, norm: order, activation, causal }) => ({
    cost: tril.cost.transformerBlock({
      ...{ tokens, width, hidden, heads: count, activation, causal },
    }),
    prepare() {
      const zeros = (length: number) => tril.zeros([length]);
      const weights = {
        ...randomBlock(tril, { width, hidden }, 1),
        'self_attn.in_proj_bias': zeros(3 * width),
        'self_attn.out_proj.bias': zeros(width),
        ...{ 'linear1.bias': zeros(hidden), 'linear2.bias': zeros(width) },
        ...{ 'norm1.weight': zeros(width), 'norm1.bias': zeros(width) },
        ...{ 'norm2.weight': zeros(width), 'norm2.bias': zeros(width) },
      };
      const x = drawn(tril, tokens, width);
      const options = { heads: count, norm: order, activation, causal };
      return () => tril.transformerBlock(x, weights, options);
    },
  });

/** One block of the stack. */
const deepBlock: Call<Record<string, never>> = (tril) =>
  blockOf(deepSizes)(tril, {
    ...{ tokens: deepSizes.tokens, norm: 'post', activation: 'relu', causal: false },
  });

/** The feed-forward of the block. */
const feedForward: Call<Pick<BlockCall, 'tokens' | 'activation'>> = (
  tril,
  { tokens, activation },
) => {
  const { width, hidden } = blockSizes;
  return {
    cost: tril.cost.feedForward({ rows: tokens, width, hidden, activation, bias: false }),
    prepare() {
      const x = drawn(tril, tokens, width);
      const weights = {
        'linear1.weight': drawn(tril, hidden, width),
        'linear2.weight': drawn(tril, width, hidden),
      };
      return () => tril.feedForward(x, weights, { activation });
    },
  };
};

const norm: Call<{ readonly rows: number; readonly width: number }> = (tril, { rows, width }) => ({
  cost: tril.cost.layerNorm({ rows, width, affine: false }),
  prepare() {
    const x = drawn(tril, rows, width);
    return () => tril.layerNorm(x);
  },
});

const calls = {
  ...{ product, softmax, blend, attention, layer, block: blockOf(blockSizes), deepBlock },
  ...{ feedForward, norm, step: stepCall, blocks: blocksCall, longer: longerCall },
  ...{ towers: towersCall, own: ownCall },
};

export type CallId = keyof typeof calls;
export type SizesOf<Id extends CallId> = Parameters<(typeof calls)[Id]>[1];

/** One call, and the sizes to be compared. */
export type CallAsk = {
  [Id in CallId]: { readonly call: Id; readonly sizes: readonly SizesOf<Id>[] };
}[CallId];

export interface CallsLessons {
  cost: { ask: CallAsk; answer: readonly CostData[] };
  time: { ask: CallAsk; answer: readonly Speed[] };
}

export const callsAnswers: Answers<CallsLessons> = callAnswers<CallAsk>(calls);
