import type {
  AdditiveSizes,
  AttentionCost,
  AttentionCostOptions,
  AttentionSizes,
  Cost,
} from './cost-types.js';
import { attentionOptions, attentionSizes, type CostReader } from './cost-sizes.js';
import type { LinearAttentionOptions } from './efficient-attention.js';
import type { Activation } from './feed-forward.js';
import { blocksOption, type OnlineBlocks } from './online-attention.js';

/** The costs of attention, and of the layers built on it. */
export const attentionCosts = (costOf: CostReader) => ({
  /**
   * The cost of `attention`, by its method and mask: only blocks that the mask does not hide entirely count. The
   * methods differ in memory: T S scores per head with `'full'`, 64 S with `'blocked'`, 64 times 128 with
   * `'online'`.
   *
   * @throws TrilError for a size below 1 and for what `attention` refuses
   *
   * @example
   * ```ts
   * const sizes = { heads: 8, queries: 1024, keys: 1024, width: 64 };
   * tril.cost.attention(sizes).scores; // 8388608
   * const full = tril.cost.attention({ ...sizes, method: 'full' }).heldBytes;
   * const online = tril.cost.attention({ ...sizes, method: 'online' }).heldBytes;
   * full / online > 50; // true
   * ```
   */
  attention(
    sizes: AttentionSizes &
      AttentionCostOptions & {
        /** The block sizes of `'online'`, as in `onlineAttention`. */
        readonly blocks?: OnlineBlocks;
      },
  ): AttentionCost {
    const names = [...attentionSizes, ...attentionOptions, 'blocks'];
    const read = costOf('attention', 'attention', names, sizes);
    read.tensors();
    const { queries, keys } = blocksOption('cost.attention', sizes.blocks);
    read.set('blockQueries', queries);
    read.set('blockKeys', keys);
    return read.cost(true);
  },

  /**
   * The cost of `linearAttention`.
   *
   * @throws TrilError for a size below 1, an unknown feature map and an unknown order
   *
   * @example
   * ```ts
   * const sizes = { queries: 4096, keys: 4096, width: 64 };
   * const ratio = tril.cost.attention(sizes).flops / tril.cost.linearAttention(sizes).flops;
   * ratio > 30; // true
   * ```
   */
  linearAttention(
    sizes: AttentionSizes &
      Pick<LinearAttentionOptions, 'featureMap' | 'order' | 'causal' | 'normalise'>,
  ): Cost {
    const names = [...attentionSizes, 'featureMap', 'order', 'causal', 'normalise'];
    const read = costOf('linearAttention', 'linear_attention', names, sizes);
    read.tensors();
    read.text('featureMap', 'elu_plus_one');
    read.text('order', 'values_first');
    read.flag('causal', false);
    read.flag('normalise', true);
    return read.cost();
  },

  /**
   * The cost of `lowRankAttention`: `keys` are projected to `rank`.
   *
   * @throws TrilError for a size below 1
   *
   * @example
   * ```ts
   * const sizes = { queries: 4096, keys: 4096, width: 64 };
   * tril.cost.lowRankAttention({ ...sizes, rank: 256 }).scores; // 1048576
   * ```
   */
  lowRankAttention(sizes: AttentionSizes & { readonly rank: number }): AttentionCost {
    const names = [...attentionSizes, 'rank'];
    const read = costOf('lowRankAttention', 'low_rank_attention', names, sizes);
    read.tensors();
    read.size('rank');
    return read.cost();
  },

  /**
   * The cost of `additiveAttention`. All pairs are scored, whatever the mask.
   *
   * @throws TrilError for a size below 1
   *
   * @example
   * ```ts
   * const sizes = { queries: 128, keys: 128, width: 64 };
   * const network = tril.cost.additiveAttention({ ...sizes, units: 64 });
   * network.scores; // 16384
   * network.flops / tril.cost.attention(sizes).flops > 1.5; // true
   * ```
   */
  additiveAttention(sizes: AdditiveSizes): AttentionCost {
    const names = ['batches', 'queries', 'keys', 'width', 'keyWidth', 'valueWidth', 'units'];
    const read = costOf('additiveAttention', 'additive_attention', names, sizes);
    read.size('batches', 1);
    for (const size of ['queries', 'keys']) read.size(size);
    const width = read.size('width');
    for (const size of ['keyWidth', 'valueWidth']) read.size(size, width);
    read.size('units');
    return read.cost();
  },

  /**
   * The cost of `multiHeadAttention` over `[batches, queries, width]`, with biases unless `bias` is false; with `keys`,
   * the cost of cross-attention to a context of that length.
   *
   * @throws TrilError for a size below 1, and for heads that do not divide the width
   *
   * @example
   * ```ts
   * const { outputBytes } = tril.cost.multiHeadAttention({ queries: 10, width: 64, heads: 4 });
   * outputBytes; // 2560
   * ```
   */
  multiHeadAttention(
    sizes: {
      readonly batches?: number;
      readonly queries: number;
      readonly keys?: number;
      readonly width: number;
      readonly heads: number;
      readonly kvHeads?: number;
      readonly bias?: boolean;
    } & AttentionCostOptions,
  ): AttentionCost {
    const own = ['batches', 'queries', 'keys', 'width', 'heads', 'kvHeads', 'bias'];
    const names = [...own, ...attentionOptions];
    const cross = sizes !== null && sizes?.keys !== undefined;
    const read = costOf('multiHeadAttention', 'multi_head_attention', names, sizes);
    read.heads();
    const queries = read.size('queries');
    read.size('keys', queries);
    read.size('width');
    read.flag('bias', true);
    read.set('cross', cross);
    return read.cost(true);
  },

  /**
   * The cost of `transformerBlock` over `[batches, tokens, width]` with all biases and scales.
   *
   * @throws TrilError for a size below 1, and for heads that do not divide the width
   *
   * @example
   * ```ts
   * const sizes = { tokens: 512, width: 512, heads: 8, hidden: 2048 };
   * tril.cost.transformerBlock(sizes).flops > 2 * 512 * 12 * 512 ** 2; // true
   * ```
   */
  transformerBlock(
    sizes: {
      readonly batches?: number;
      readonly tokens: number;
      readonly width: number;
      readonly heads: number;
      readonly kvHeads?: number;
      readonly hidden: number;
      readonly activation?: Activation;
    } & AttentionCostOptions,
  ): AttentionCost {
    const own = ['batches', 'tokens', 'width', 'heads', 'kvHeads', 'hidden', 'activation'];
    const names = [...own, ...attentionOptions];
    const read = costOf('transformerBlock', 'transformer_block', names, sizes);
    read.heads();
    for (const size of ['tokens', 'width', 'hidden']) read.size(size);
    read.text('activation', 'relu');
    return read.cost(true);
  },
});

/** The calls of `tril.cost` for attention and the layers built on it; an interface, for the reason of `Rates`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the name is what counts
export interface AttentionCosts extends ReturnType<typeof attentionCosts> {}
