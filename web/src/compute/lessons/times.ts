// How long one call takes of what chapters "Mask", "Heads" and "Block" count the cost of, on random numbers of the
// same sizes.
import type { Activation, Tensor, Tril } from 'tril';
import { divisions, headWidth, heads, inputs } from '../handmade/heads-circuit';
import type { Answers } from '../answers';
import type { Time } from '../steady';
import { timeOfEach } from '../timing';
import { deepSizes, sizes } from './block';
import { randomWeights, type BlockForm } from './block-parts';

export interface BlockTimeAsk {
  readonly tokens: number;
  readonly norm: BlockForm['norm'];
  readonly activation: Activation;
  readonly causal: boolean;
}

interface Of<Ask> {
  readonly ask: Ask;
  readonly answer: Time;
}

export interface TimesLessons {
  /** The layer of chapter "Heads", two sequences. */
  layerTime: Of<{ readonly tokens: number }>;
  /** Attention alone, one sequence, for every division. */
  dividedTime: { ask: { readonly tokens: number }; answer: readonly Time[] };
  /** The block of chapter "Block", its feed-forward alone, and one of its stack of blocks. */
  blockTime: Of<BlockTimeAsk>;
  feedForwardTime: Of<BlockTimeAsk>;
  deepTime: Of<Record<string, never>>;
  normTime: Of<{ readonly rows: number; readonly width: number }>;
}

const known = new Map<string, readonly Time[]>();

/**
 * Each `what` is timed once, so that two figures of one call say the same. What a call leaves behind is gone before
 * the next.
 */
export function timedEach(
  tril: Tril,
  what: unknown,
  calls: readonly (() => unknown)[],
): readonly Time[] {
  const key = JSON.stringify(what);
  const alone = calls.map((call) => () => tril.scope(() => void call()));
  const times = known.get(key) ?? timeOfEach(alone);
  known.set(key, times);
  return times;
}

export const timed = (tril: Tril, what: unknown, call: () => unknown): Time =>
  timedEach(tril, what, [call])[0];

const drawn = (tril: Tril, ...shape: number[]): Tensor => tril.randomNormal(shape, { seed: 1 });

/** With all biases and scales, as its cost is counted. */
function timeOfBlock(
  tril: Tril,
  { width, hidden, heads: count }: typeof sizes | typeof deepSizes,
  { tokens, ...form }: BlockTimeAsk,
): Time {
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
  return timed(tril, ['block', x.shape, options], () => tril.transformerBlock(x, weights, options));
}

export const timesAnswers: Answers<TimesLessons> = {
  layerTime(tril, { tokens }) {
    const width = heads * headWidth;
    const x = drawn(tril, 2, tokens, inputs);
    const weights = {
      in_proj_weight: drawn(tril, 3 * width, inputs),
      'out_proj.weight': drawn(tril, inputs, width),
    };
    return timed(tril, ['layer', tokens], () =>
      tril.multiHeadAttention(x, weights, { heads, causal: true }),
    );
  },

  dividedTime: (tril, { tokens }) =>
    timedEach(
      tril,
      ['divided', tokens],
      divisions.map((count) => {
        const q = drawn(tril, 1, count, tokens, (heads * headWidth) / count);
        return () => tril.attention(q, q, q, { causal: true, method: 'full' });
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
    return timed(tril, ['feedForward', tokens, activation], () =>
      tril.feedForward(x, weights, { activation }),
    );
  },

  normTime(tril, { rows, width }) {
    const x = drawn(tril, rows, width);
    return timed(tril, ['norm', rows, width], () => tril.layerNorm(x));
  },
};
