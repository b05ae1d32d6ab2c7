import type { Context } from '../context.js';
import { attentionCosts, type AttentionCosts } from './cost-attention.js';
import { costReader } from './cost-sizes.js';
import type { Cost } from './cost-types.js';
import type { Activation } from './feed-forward.js';
import type { MatmulMethod } from './matmul.js';
import { rateCalls, type Rates } from './rates.js';

export const costCalls = (context: Context) => {
  const costOf = costReader(context);

  const withOthers = <Counts extends object>(counts: Counts) =>
    Object.freeze(
      Object.assign(rateCalls(context) as Rates, attentionCosts(costOf) as AttentionCosts, counts),
    );

  return {
    /** The costs of calls, from their sizes alone. Nothing is computed. */
    cost: withOthers({
      /**
       * The cost of `matmul`, `[batches, rows, depth]` times `[batches, depth, cols]`: 2 flops a term, and less by
       * Strassen's method.
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
        /** Number of times that Strassen halves (default: as in `matmul`). */
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
       * The cost of `linear`, x `[rows, in]` to `[rows, out]`.
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
       * The cost of `softmax` over rows: 5 flops an element, or 3 with `stable: false`, as the formula is written.
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
       * The cost of `relu`, `gelu` or `silu` of a number of elements.
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
       * The cost of `layerNorm` of rows, with weight and bias unless `affine` is false.
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
       * The cost of `feedForward`, `[rows, width]` with a hidden layer `[rows, hidden]`.
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
    }),
  };
};
