// Attention and multi-head attention: computed by the core in one call, and read by their unfolded form.
import { boolean, choice, fuse, integer, number, optional, type Shape } from '../operation.js';
import { constant, equal, numberOf, one, over, shapeText, sizeText } from '../sizes.js';
import { times, type Sum } from '../sizes.js';
import type { Value } from '../calls.js';
import { broadcast, upTo } from './common.js';
import { checkPadding, maskOf, ruleOptions, rulesTex, type Rules } from './rules.js';

/** The order of axes that swaps the last two. */
const swapped = (rank: number): number[] => [...upTo(rank - 2), rank - 1, rank - 2];

/** The number of heads of q that share a head of k; undefined if it is not an integer. */
function groupOf(q: Shape, k: Shape): Sum | undefined {
  const [heads, shared] = [q.at(-3) ?? one, k.at(-3) ?? one];
  const group = equal(heads, shared) ? one : over(heads, shared);
  return group && Number.isInteger(numberOf(group) ?? 1) ? group : undefined;
}

interface Options extends Rules {
  readonly scale: number | null;
  readonly kind: 'boolean' | 'additive';
}

/** `softmax(scale q k^T + mask) v`: several heads of q may share a head of k and v. */
export const attention = fuse<Options>({
  takes: ['q', 'k', 'v', 'mask?'],
  options: {
    ...ruleOptions,
    scale: optional(number(Number.NaN)),
    kind: choice(['boolean', 'additive']),
  },
  shape: ([q, k, v, mask], options, fail) => {
    if (q!.length < 2 || q!.length > 4) throw fail('q', 'must have two to four axes');
    const lead = q!.slice(0, -2);
    const fits = (x: Shape, like: Shape) =>
      x.length === like.length && x.every((size, axis) => equal(size, like[axis]!));
    if (!fits([...k!.slice(0, -3), k!.at(-1)!], [...q!.slice(0, -3), q!.at(-1)!])) {
      throw fail('k', 'must have the axes of q but for the number of keys');
    }
    if (k!.length !== q!.length || !groupOf(q!, k!)) {
      throw fail('k', 'must have a number of heads that divides those of q');
    }
    if (!fits(v!.slice(0, -1), k!.slice(0, -1))) {
      throw fail('v', 'must have the axes of k but for its width');
    }
    const scores = [...lead, q!.at(-2)!, k!.at(-2)!];
    if (mask && broadcast(scores, mask, 'mask', fail).length > q!.length) {
      throw fail('mask', 'must have no more axes than q');
    }
    checkPadding(options, scores, fail);
    return [...lead, q!.at(-2)!, v!.at(-1)!];
  },
  run: (tril, [q, k, v, given], { options }) => {
    const { kind, scale } = options;
    const masks = [given && tril.mask.dense(given, { kind }), maskOf(tril, options)];
    const mask = tril.mask.and(...masks.filter((each) => each !== undefined));
    return tril.attention(q!, k!, v!, { mask, ...(scale !== null && { scale }) }).output;
  },
  tex: (args, { options }) =>
    `\\mathrm{attention}${rulesTex(options)}\\left(${args.join(', ')}\\right)`,
  unfold: ([q, k, v, mask], { options, inputs: [first, second, third] }, calls) => {
    const { kind, scale, ...rules } = options;
    const [queries, width] = first!.slice(-2) as [Sum, Sum];
    const [keys, lead] = [second!.at(-2)!, first!.slice(0, -2)];
    // Heads of queries that share keys are joined along the query axis.
    const group = groupOf(first!, second!)!;
    const isShared = !equal(group, one);
    const grouped = [...second!.slice(0, -2), times(group, queries)];
    const as = (value: Value, shape: Shape) =>
      isShared ? calls.reshape(value, shape.map(sizeText)) : value;
    const key = calls.transpose(k!, swapped(second!.length));
    const products = calls.matmul(as(q!, [...grouped, width]), key);
    const apart = as(products, [...lead, queries, keys]);
    const scores =
      scale === null
        ? calls.divide(apart, calls.sqrt(sizeText(width)))
        : calls.multiply(apart, scale);
    const added = mask && kind === 'additive' ? calls.add(scores, mask) : scores;
    const seen = kind === 'boolean' ? mask : undefined;
    const given = Object.entries(rules).filter(([, rule]) => rule);
    const hides = seen !== undefined || given.length > 0;
    const masked = hides ? calls.mask(added, seen, Object.fromEntries(given)) : added;
    const weights = calls.softmax(masked);
    const parts = masked === scores ? { scores, weights } : { scores, masked, weights };
    const blended = calls.matmul(as(weights, [...grouped, keys]), v!);
    return { ...parts, output: as(blended, [...lead, queries, third!.at(-1)!]) };
  },
});

/**
 * Multi-head self-attention between two linear layers, with PyTorch's weights: x `[..., T, C]`, in `[3*C, C]`,
 * out `[C, C]`.
 */
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
    // This order of axes turns [..., T, H, D] into [..., H, T, D], and back.
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
