// Attention and multi-head attention: computed by the core at once, and read by what they are made of.
import { boolean, fuse, integer, type Shape } from '../operation.js';
import { constant, equal, over, shapeText, sizeText, times } from '../sizes.js';
import { broadcast, upTo } from './common.js';

/** The last two axes the other way round. */
const swapped = (rank: number): number[] => [...upTo(rank - 2), rank - 1, rank - 2];

/** `softmax(q k^T / sqrt(D)) v`; -inf in the scores of keys after the query's own, or where `seen` is 0. */
export const attention = fuse<{ causal: boolean }>({
  takes: ['q', 'k', 'v', 'seen?'],
  options: { causal: boolean(false) },
  shape: ([q, k, v, seen], _, fail) => {
    if (q!.length < 2 || q!.length > 4) throw fail('q', 'must have two to four axes');
    const lead = q!.slice(0, -2);
    const leads = (x: Shape) =>
      x.length === q!.length && lead.every((size, axis) => equal(size, x[axis]!));
    if (!leads(k!) || !equal(k!.at(-1)!, q!.at(-1)!)) {
      throw fail('k', 'must have the axes of q but for the number of keys');
    }
    if (!leads(v!) || !equal(v!.at(-2)!, k!.at(-2)!)) {
      throw fail('v', 'must have the axes of k but for its width');
    }
    if (seen) broadcast([...lead, q!.at(-2)!, k!.at(-2)!], seen, 'seen', fail);
    return [...lead, q!.at(-2)!, v!.at(-1)!];
  },
  run: (tril, [q, k, v, seen], { options }) => {
    const mask = seen && tril.mask.dense(seen, { kind: 'boolean' });
    return tril.attention(q!, k!, v!, { ...options, ...(mask && { mask }) }).output;
  },
  tex: ([q, k, v]) => `\\mathrm{attention}\\left(${[q, k, v].join(', ')}\\right)`,
  unfold: ([q, k, v, seen], { options, inputs }, calls) => {
    const width = calls.sqrt(sizeText(inputs[0]!.at(-1)!));
    const key = calls.transpose(k!, swapped(inputs[1]!.length));
    const scores = calls.divide(calls.matmul(q!, key), width);
    const causal = options.causal ? calls.mask(scores) : scores;
    const masked = seen ? calls.mask(causal, seen) : causal;
    const weights = calls.softmax(masked);
    const parts = masked === scores ? { scores, weights } : { scores, masked, weights };
    return { ...parts, output: calls.matmul(weights, v!) };
  },
});

/** Self-attention of heads between two linear layers, with PyTorch's weights: x `[..., T, C]`, in `[3*C, C]`, out `[C, C]`. */
export const multiHeadAttention = fuse<{ heads: number; causal: boolean }>({
  takes: ['x', 'in_proj_weight', 'out_proj_weight', 'in_proj_bias?', 'out_proj_bias?'],
  options: {
    heads: integer(Number.NaN),
    causal: boolean(false),
  },
  shape: ([x, ...weights], { heads }, fail) => {
    if (x!.length < 2 || x!.length > 3) throw fail('x', 'must have two or three axes');
    if (heads < 1) throw fail('heads', `must be at least 1, is ${heads}`);
    const width = x!.at(-1)!;
    const three = times(constant(3), width);
    const wanted = [[three, width], [width, width], [three], [width]];
    const names = ['in_proj_weight', 'out_proj_weight', 'in_proj_bias', 'out_proj_bias'];
    for (const [i, each] of weights.entries()) {
      const is = wanted[i]!;
      const fits = each.length === is.length && is.every((size, axis) => equal(size, each[axis]!));
      if (!fits) throw fail(names[i]!, `must be ${shapeText(is)}`);
    }
    return x!;
  },
  run: (tril, [x, inWeight, outWeight, inBias, outBias], { options }) => {
    const weights = {
      ...{ in_proj_weight: inWeight!, 'out_proj.weight': outWeight! },
      ...(inBias && { in_proj_bias: inBias }),
      ...(outBias && { 'out_proj.bias': outBias }),
    };
    return tril.multiHeadAttention(x!, weights, options).output;
  },
  tex: ([x]) => `\\mathrm{multihead}\\left(${x}\\right)`,
  unfold: ([x, inWeight, outWeight, inBias, outBias], { options, inputs: [shape] }, calls) => {
    const lead = shape!.slice(0, -1).map(sizeText);
    const width = sizeText(over(shape!.at(-1)!, constant(options.heads))!);
    // [..., T, C] as [..., H, T, D], and back by the same order of axes.
    const order = [...upTo(lead.length - 1), lead.length, lead.length - 1, lead.length + 1];
    const headsOf = (value: typeof x) =>
      calls.transpose(calls.reshape(value!, [...lead, options.heads, width]), order);
    const [q, k, v] = calls.split(calls.linear(x!, inWeight!, inBias), 3, { axis: -1 });
    const parts = { q: headsOf(q), k: headsOf(k), v: headsOf(v) };
    const heads = calls.attention(parts.q, parts.k, parts.v, { causal: options.causal });
    const joined = calls.reshape(calls.transpose(heads, order), [
      ...lead,
      sizeText(shape!.at(-1)!),
    ]);
    return { ...parts, heads, output: calls.linear(joined, outWeight!, outBias) };
  },
});
