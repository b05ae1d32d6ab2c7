import type { Context } from '../context.js';
import { booleanOption, checkKeys, integerOption, stringOption } from '../names.js';
import { rawAttentionOptions, type AttentionOptions } from './attention.js';
import type {
  AdditiveSizes,
  AttentionCost,
  AttentionCostOptions,
  AttentionSizes,
  Cost,
} from './cost-types.js';
import type { LinearAttentionOptions } from './efficient-attention.js';
import type { Activation } from './feed-forward.js';
import type { MatmulMethod } from './matmul.js';
import { blocksOption, type OnlineBlocks } from './online-attention.js';
import { rateCalls, type Rates } from './rates.js';

const attentionSizes = ['batches', 'heads', 'kvHeads', 'queries', 'keys', 'width', 'valueWidth'];
const attentionOptions = ['causal', 'mask', 'softcap', 'keyLengths', 'method', 'past'];

type Given = Readonly<Record<string, unknown>>;

export const costCalls = (context: Context) => {
  /** Checked sizes and options, and the call of the module. */
  const costOf = (name: string, kind: string, names: readonly string[], given: object) => {
    const call = `cost.${name}`;
    checkKeys(call, 'sizes', 'size', given, names);
    const values = given as Given;
    const sizes: Record<string, number | string | boolean> = {};
    const reader = {
      size(size: string, fallback = Number.NaN) {
        return (sizes[size] = integerOption(call, size, values[size], fallback));
      },
      flag(flag: string, fallback: boolean) {
        sizes[flag] = booleanOption(call, flag, values[flag], fallback);
      },
      set(name: string, value: boolean | number) {
        sizes[name] = value;
      },
      text(text: string, fallback: string) {
        sizes[text] = stringOption(call, text, values[text], fallback);
      },
      /** Of attention: the sizes of its tensors. */
      heads() {
        reader.size('batches', 1);
        const heads = reader.size('heads', 1);
        reader.size('kvHeads', heads);
      },
      tensors() {
        reader.heads();
        for (const size of ['queries', 'keys']) reader.size(size);
        const width = reader.size('width');
        reader.size('valueWidth', width);
      },
      cost(attends = false): AttentionCost {
        if (attends) reader.size('past', 0);
        const { causal, mask, softcap, keyLengths, method } = values as AttentionCostOptions;
        const options = attends ? { causal, mask, softcap, keyLengths, method } : {};
        const raw = rawAttentionOptions(
          context,
          call,
          options as AttentionOptions,
          attentionOptions,
        );
        const found = context.run(call, {}, () => context.raw._cost(kind, sizes, raw));
        const { scores, ...cost } = found;
        return (scores < 0 ? cost : found) as AttentionCost;
      },
    };
    return reader;
  };

  const withRates = <Counts extends object>(counts: Counts) =>
    Object.freeze(Object.assign(rateCalls(context) as Rates, counts));

  return {
    /** What calls cost, from their sizes alone. Nothing is computed. */
    cost: withRates({
      /**
       * Of `matmul`, `[batches, rows, depth]` times `[batches, depth, cols]`: 2 flops a term, by
       * Strassen's method less.
       *
       * @throws TrilError for a size below 1, an unknown method and levels that it does not have
       *
       * @example
       * ```ts
       * const { flops, inputBytes } = tril.cost.matmul({ rows: 16, depth: 768, cols: 3072 });
       * flops; // 75497472
       * inputBytes; // 9486336
       * ```
       */
      matmul(sizes: {
        readonly batches?: number;
        readonly rows: number;
        readonly depth: number;
        readonly cols: number;
        readonly method?: MatmulMethod;
        /** Number of times that Strassen halves (default: as often as `matmul` does). */
        readonly levels?: number;
      }): Cost {
        const names = ['batches', 'rows', 'depth', 'cols', 'method', 'levels'];
        const read = costOf('matmul', 'matmul', names, sizes);
        read.size('batches', 1);
        for (const size of ['rows', 'depth', 'cols']) read.size(size);
        read.text('method', 'auto');
        read.size('levels', -1);
        return read.cost();
      },

      /**
       * Of `linear`, x `[rows, in]` to `[rows, out]`.
       *
       * @throws TrilError for a size below 1
       *
       * @example
       * ```ts
       * tril.cost.linear({ rows: 1, in: 768, out: 768 }).flops; // 1180416
       * ```
       */
      linear(sizes: {
        readonly rows: number;
        readonly in: number;
        readonly out: number;
        readonly bias?: boolean;
      }): Cost {
        const read = costOf('linear', 'linear', ['rows', 'in', 'out', 'bias'], sizes);
        for (const size of ['rows', 'in', 'out']) read.size(size);
        read.flag('bias', true);
        return read.cost();
      },

      /**
       * Of `softmax` over rows: 5 flops an element, or 3 as the formula is written, which is not
       * `stable`.
       *
       * @throws TrilError for a size below 1
       *
       * @example
       * ```ts
       * tril.cost.softmax({ rows: 10, length: 100 }).flops; // 5000
       * ```
       */
      softmax(sizes: {
        readonly rows: number;
        readonly length: number;
        readonly stable?: boolean;
      }): Cost {
        const read = costOf('softmax', 'softmax', ['rows', 'length', 'stable'], sizes);
        for (const size of ['rows', 'length']) read.size(size);
        read.flag('stable', true);
        return read.cost();
      },

      /**
       * Of `relu`, `gelu` or `silu` of so many elements.
       *
       * @throws TrilError for a count below 1 and an unknown activation
       *
       * @example
       * ```ts
       * tril.cost.activation({ count: 100, activation: 'gelu' }).flops; // 500
       * ```
       */
      activation(sizes: { readonly count: number; readonly activation: Activation }): Cost {
        const read = costOf('activation', 'activation', ['count', 'activation'], sizes);
        read.size('count');
        read.text('activation', '');
        return read.cost();
      },

      /**
       * Of `layerNorm` of rows, with weight and bias unless `affine` is false.
       *
       * @throws TrilError for a size below 1
       *
       * @example
       * ```ts
       * tril.cost.layerNorm({ rows: 10, width: 768 }).outputBytes; // 30720
       * ```
       */
      layerNorm(sizes: {
        readonly rows: number;
        readonly width: number;
        readonly affine?: boolean;
      }): Cost {
        const read = costOf('layerNorm', 'layer_norm', ['rows', 'width', 'affine'], sizes);
        for (const size of ['rows', 'width']) read.size(size);
        read.flag('affine', true);
        return read.cost();
      },

      /**
       * Of `feedForward`, `[rows, width]` by way of `[rows, hidden]`.
       *
       * @throws TrilError for a size below 1 and an unknown activation
       *
       * @example
       * ```ts
       * const { heldBytes } = tril.cost.feedForward({ rows: 128, width: 512, hidden: 2048 });
       * heldBytes; // 1048576
       * ```
       */
      feedForward(sizes: {
        readonly rows: number;
        readonly width: number;
        readonly hidden: number;
        readonly activation?: Activation;
        readonly bias?: boolean;
      }): Cost {
        const names = ['rows', 'width', 'hidden', 'activation', 'bias'];
        const read = costOf('feedForward', 'feed_forward', names, sizes);
        for (const size of ['rows', 'width', 'hidden']) read.size(size);
        read.text('activation', 'relu');
        read.flag('bias', true);
        return read.cost();
      },

      /**
       * Of `attention`, by its method and mask: only the blocks that the mask lets through count.
       * What is held shows the methods apart: T S scores of a head by `'full'`, 64 S by
       * `'blocked'`, 64 times 128 by `'online'`.
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
            /** Of `'online'`, as `onlineAttention` has them. */
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
       * Of `linearAttention`.
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
       * Of `lowRankAttention`: `keys` are projected to `rank`.
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
       * Of `additiveAttention`. All pairs are scored, whatever the mask.
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
       * Of `multiHeadAttention` over `[batches, queries, width]`, weights with biases unless `bias`
       * is false; with `keys`, cross-attention to a context of that length.
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
       * Of `transformerBlock` over `[batches, tokens, width]` with all biases and scales.
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
    }),
  };
};
