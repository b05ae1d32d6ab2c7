// How long one call takes of what chapters "Mask", "Heads" and "Block" count the cost of, on random numbers of the
// same sizes.
import type { Activation, Tensor, Tril } from 'tril';
import { divisions, headWidth, heads, inputs } from '../handmade/heads-circuit';
import type { Answers } from '../answers';
import type { Speed } from '../steady';
import { deepSizes, feedForwardCost, normCost, sizes } from './block';
import { randomWeights, type BlockForm } from './block-parts';
import { attentionCost, layerCost } from './heads';
import { timed, timedEach } from './timed';

export interface BlockTimeAsk {
  readonly tokens: number;
  readonly norm: BlockForm['norm'];
  readonly activation: Activation;
  readonly causal: boolean;
}

interface Of<Ask> {
  readonly ask: Ask;
  readonly answer: Speed;
}

export interface TimesLessons {
  /** The layer of chapter "Heads", two sequences. */
  layerTime: Of<{ readonly tokens: number }>;
  /** Attention alone, one sequence, for every division. */
  dividedTime: { ask: { readonly tokens: number }; answer: readonly Speed[] };
  /** The block of chapter "Block", its feed-forward alone, and one of its stack of blocks. */
  blockTime: Of<BlockTimeAsk>;
  feedForwardTime: Of<BlockTimeAsk>;
  deepTime: Of<Record<string, never>>;
  normTime: Of<{ readonly rows: number; readonly width: number }>;
}

const drawn = (tril: Tril, ...shape: number[]): Tensor => tril.randomNormal(shape, { seed: 1 });

/** With all biases and scales, as its cost is counted. */
function timeOfBlock(
  tril: Tril,
  all: typeof sizes | typeof deepSizes,
  { tokens, ...form }: BlockTimeAsk,
): Speed {
  const { width, hidden, heads: count } = all;
  const zeros = (length: number) => tril.zeros([length]);
  const weights = {
    ...randomWeights(tril, { width, hidden, heads: count }, 1),
    'self_attn.in_proj_bias': zeros(3 * width),
    'self_attn.out_proj.bias': zeros(width),
    ...{ 'linear1.bias': zeros(hidden), 'linear2.bias': zeros(width) },
    ...{ 'norm1.weight': zeros(width), 'norm1.bias': zeros(width) },
    ...{ 'norm2.weight': zeros(width), 'norm2.bias': zeros(width) },
  };
  const x = drawn(tril, tokens, width);
  const options = { heads: count, ...form };
  const { activation, causal } = form;
  const cost = tril.cost.transformerBlock({ ...all, tokens, activation, causal });
  return timed(tril, ['block', x.shape, options], cost, () =>
    tril.transformerBlock(x, weights, options),
  );
}

export const timesAnswers: Answers<TimesLessons> = {
  layerTime(tril, { tokens }) {
    const width = heads * headWidth;
    const x = drawn(tril, 2, tokens, inputs);
    const weights = {
      in_proj_weight: drawn(tril, 3 * width, inputs),
      'out_proj.weight': drawn(tril, inputs, width),
    };
    return timed(tril, ['layer', tokens], layerCost(tril, 2, tokens), () =>
      tril.multiHeadAttention(x, weights, { heads, causal: true }),
    );
  },

  dividedTime: (tril, { tokens }) =>
    timedEach(
      tril,
      ['divided', tokens],
      divisions.map((count) => {
        const q = drawn(tril, 1, count, tokens, (heads * headWidth) / count);
        return {
          call: () => tril.attention(q, q, q, { causal: true, method: 'full' }),
          cost: attentionCost(tril, 1, count, tokens),
        };
      }),
    ),

  blockTime: (tril, ask) => timeOfBlock(tril, sizes, ask),

  deepTime: (tril) =>
    timeOfBlock(tril, deepSizes, {
      ...{ tokens: deepSizes.tokens, norm: 'post', activation: 'relu', causal: false },
    }),

  feedForwardTime(tril, { tokens, activation }) {
    const x = drawn(tril, tokens, sizes.width);
    const weights = {
      'linear1.weight': drawn(tril, sizes.hidden, sizes.width),
      'linear2.weight': drawn(tril, sizes.width, sizes.hidden),
    };
    const cost = feedForwardCost(tril, tokens, activation);
    return timed(tril, ['feedForward', tokens, activation], cost, () =>
      tril.feedForward(x, weights, { activation }),
    );
  },

  normTime(tril, { rows, width }) {
    const x = drawn(tril, rows, width);
    return timed(tril, ['norm', rows, width], normCost(tril, rows, width), () => tril.layerNorm(x));
  },
};
