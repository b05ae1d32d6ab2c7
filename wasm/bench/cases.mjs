// The cases: sizes and shapes, and the participants of each.

import { attentionMethods as ofAttention, matmulMethods } from '../dist/index.js';

/** Puts Tril's own choice after the others. */
const chosenLast = (names) => [...names.filter((name) => name !== 'auto'), 'auto'];
export const methods = chosenLast(matmulMethods);
export const attentionMethods = chosenLast(ofAttention);
const loopOrders = methods.filter((name) => /^[ijk]{3}$/.test(name));

/** rows x depth x cols, as text. */
const product = (rows, depth, cols) => ({
  group: 'matmul',
  name: rows === depth && depth === cols ? `${rows}` : `${rows}x${depth}x${cols}`,
  ...{ rows, depth, cols },
  flops: 2 * rows * depth * cols,
});
const square = (n) => product(n, n, n);

/** [B, H, T, D] for queries, keys and values, causal: masked scores are not `needed`. */
const attention = (time, heads = 8, width = 64) => ({
  group: 'attention',
  name: `T=${time}`,
  ...{ time, heads, width },
  needed: 4 * heads * width * ((time * (time + 1)) / 2),
});

/** The backward pass of attention, to all three inputs: five products instead of two, after a forward pass. */
const attentionBackward = (time) => {
  const { needed, ...sizes } = attention(time);
  return { ...sizes, group: 'attention backward', needed: 2.5 * needed };
};

/** One query, as in decoding a token: keys and values [1, H, S, D] are read once, in `bytes`. */
const decoding = (keys, heads = 8, width = 64) => ({
  group: 'decoding',
  name: `S=${keys}`,
  ...{ time: 1, keys, heads, width },
  bytes: 4 * 2 * heads * keys * width,
});

/** A post-norm encoder block of width 512, 8 heads, 2048 hidden units, not causal. */
const block = (batch, time) => ({
  group: 'block',
  name: batch === 1 ? `T=${time}` : `${batch}xT=${time}`,
  ...{ batch, time, width: 512, heads: 8, hidden: 2048 },
  needed: batch * time * (2 * (4 * 512 ** 2 + 2 * 512 * 2048) + 4 * time * 512),
});

const softmax = { group: 'softmax', name: '1024x1024', rows: 1024, cols: 1024 };
const layerNorm = { group: 'layer norm', name: '1024x768', rows: 1024, cols: 768 };

/**
 * A training step, with GPT-2's shape and AdamW: nanoGPT's recipe for characters (Karpathy 2022), and a model seven
 * times as large. `flops` follow the usual count: 6 per parameter and token, and causal attention.
 */
const training = (name, sizes) => {
  const { layers, width, context, batch, vocabulary } = sizes;
  const perToken =
    6 * (12 * layers * width ** 2 + vocabulary * width) + 6 * layers * context * width;
  return { group: 'training', name, ...sizes, flops: perToken * batch * context };
};
const steps = [
  training('nanogpt', {
    ...{ layers: 4, heads: 4, width: 128, context: 64, batch: 12, vocabulary: 65 },
  }),
  training('larger', {
    ...{ layers: 6, heads: 8, width: 256, context: 256, batch: 8, vocabulary: 4096 },
  }),
];

/** A Llama-like model with 5.85 M parameters writes this many tokens, one by one, after a first. */
const generation = (tokens) => ({
  group: 'generation',
  name: `${tokens} tokens`,
  ...{ layers: 6, heads: 8, width: 256, hidden: 688, vocabulary: 4096, tokens },
});

const shapes = [product(1, 768, 3072), product(16, 768, 3072), product(128, 512, 2048)];
const sizes = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048];

export const allCases = [
  ...sizes.map(square),
  ...shapes,
  ...[128, 1024, 4096].map((time) => attention(time)),
  attentionBackward(1024),
  ...[1024, 8192].map((keys) => decoding(keys)),
  ...[block(1, 128), block(1, 512), block(8, 128)],
  softmax,
  layerNorm,
  ...steps,
];
export const quickCases = [
  ...[16, 64, 256].map(square),
  shapes[0],
  attention(128),
  attentionBackward(128),
  decoding(1024),
  block(1, 128),
  softmax,
  layerNorm,
  steps[0],
];
/** `tril_bench` and training.py measure models natively. */
export const peerCases = [
  ...[64, 256, 512, 1024].map(square),
  ...shapes.slice(0, 2).reverse(),
  ...allCases.filter(({ group }) => group !== 'matmul'),
  generation(128),
];

/** The limit of operations above which a method takes seconds without new insight. */
const mostFlops = { blocked: 2 * 1024 ** 3 };
for (const order of loopOrders) mostFlops[order] = 2 * 512 ** 3;

/** The methods of a product that are worth their time. */
export const methodsFor = ({ flops }) =>
  methods.filter((method) => flops <= (mostFlops[method] ?? Infinity));
