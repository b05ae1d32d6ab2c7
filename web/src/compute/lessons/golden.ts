// Examples that PyTorch has computed in float64 (tests/golden), computed again by the core. Inputs come from the
// generator that both have: a seed gives the same bits in Python and here.
import type { MultiHeadWeights, Tensor, TransformerBlockWeights, Tril } from 'tril';
import { asRows, type TensorData } from './layouts';

export const exampleIds = [
  ...(['multiHead', 'block', 'preBlock', 'softmax', 'layerNorm', 'gelu'] as const),
  ...(['window', 'grouped', 'linear', 'singular'] as const),
] as const;
export type ExampleId = (typeof exampleIds)[number];

/** How far apart is allowed: by the Frobenius norm of the difference, or element by element. */
export type Limit =
  | { readonly kind: 'norm'; readonly most: number }
  | { readonly kind: 'elements'; readonly absolute: number; readonly relative: number };

export interface Example {
  readonly limit: Limit;
  readonly run: (tril: Tril) => Tensor;
}

/** Numbers of one seed, one after another: even in [-1, 1). */
class Draws {
  readonly #all: Float32Array;
  #next = 0;

  constructor(
    readonly tril: Tril,
    seed: number,
    count: number,
  ) {
    this.#all = tril.randomUniform([count], { seed, low: -1, high: 1 }).read();
  }

  data(shape: readonly number[], change: (value: number) => number = (value) => value): TensorData {
    const count = shape.reduce((product, size) => product * size);
    const data = this.#all.slice(this.#next, (this.#next += count));
    return { shape, data: data.map(change) };
  }

  take(shape: readonly number[], change?: (value: number) => number): Tensor {
    return this.tril.tensor(shape, this.data(shape, change).data);
  }
}

/** Normal numbers of one seed; each takes two draws, so that those before may be skipped in pairs. */
function normal(tril: Tril, seed: number, skipped: number, ...shapes: readonly number[][]) {
  const counts = shapes.map((shape) => shape.reduce((product, size) => product * size));
  const before = skipped / 2;
  const total = before + counts.reduce((sum, count) => sum + count);
  const all = tril.randomNormal([total], { seed }).read();
  let next = before;
  return shapes.map((shape, i) => tril.tensor(shape, all.slice(next, (next += counts[i]))));
}

/** As tests/golden/make_attention.py: Glorot's bounds, no biases. */
function multiHead(tril: Tril): Tensor {
  const [width, heads, tokens] = [64, 4, 100];
  const sizes = { inward: 3 * width * width, outward: width * width, before: 10 * tokens * width };
  const draws = new Draws(tril, 7, sizes.inward + sizes.outward);
  const within = (bound: number) => (value: number) => value * Math.fround(bound);
  const weights: MultiHeadWeights = {
    in_proj_weight: draws.take([3 * width, width], within((6 / (4 * width)) ** 0.5)),
    'out_proj.weight': draws.take([width, width], within(width ** -0.5)),
  };
  const skipped = sizes.inward + sizes.outward + sizes.before;
  const [x] = normal(tril, 7, skipped, [1, tokens, width]);
  return tril.multiHeadAttention(x, weights, { heads, causal: true }).output;
}

/** As tests/golden/make_block_golden.py: in the order of the state_dict. */
function block(tril: Tril, norm: 'post' | 'pre'): Tensor {
  const [width, heads, hidden, tokens] = [64, 4, 128, 100];
  const matrix = (columns: number) => {
    let halvings = 0;
    while (4 ** halvings < columns) ++halvings;
    return (value: number) => value / 2 ** halvings;
  };
  const small = (value: number) => value / 8;
  const nearOne = (value: number) => 1 + value / 4;
  const parts: readonly (readonly [string, readonly number[], (value: number) => number])[] = [
    ['self_attn.in_proj_weight', [3 * width, width], matrix(width)],
    ['self_attn.in_proj_bias', [3 * width], small],
    ['self_attn.out_proj.weight', [width, width], matrix(width)],
    ['self_attn.out_proj.bias', [width], small],
    ['linear1.weight', [hidden, width], matrix(width)],
    ['linear1.bias', [hidden], small],
    ['linear2.weight', [width, hidden], matrix(hidden)],
    ['linear2.bias', [width], small],
    ['norm1.weight', [width], nearOne],
    ['norm1.bias', [width], small],
    ['norm2.weight', [width], nearOne],
    ['norm2.bias', [width], small],
  ];
  const draws = new Draws(tril, 8, 50_000);
  const weights = Object.fromEntries(
    parts.map(([name, shape, change]) => [name, draws.take(shape, change)]),
  ) as unknown as TransformerBlockWeights;
  const x = draws.take([1, tokens, width]);
  return tril.transformerBlock(x, weights, { heads, norm, causal: true }).output;
}

/** Softmax of causal scores, to be compared as a matrix. */
function softmax(tril: Tril): Tensor {
  const [x] = normal(tril, 303, 0, [1, 1, 40, 8]);
  const { weights } = tril.attention(x, x, x, { causal: true, trace: true }).trace;
  return tril.tensor([40, 40], weights.read());
}

/** The case of width 64 with scale and shift; those before it take their draws too. */
function layerNorm(tril: Tril): Tensor {
  const draws = new Draws(tril, 22, 4000);
  for (const width of [1, 1, 3, 3, 64]) draws.data([5 * width + 2 * width]);
  const [x, weight, bias] = [[5, 64], [64], [64]].map((shape) => draws.take(shape));
  return tril.layerNorm(x, { weight, bias, eps: 1e-3 });
}

const gelu = (tril: Tril) =>
  tril.gelu(new Draws(tril, 11, 7 * 33).take([7, 33], (value) => 8 * value));

function attention(tril: Tril, which: 'window' | 'grouped'): Tensor {
  if (which === 'window') {
    const shape = [1, 2, 100, 4];
    const [q, k, v] = normal(tril, 114, 0, shape, shape, shape);
    return tril.attention(q, k, v, { mask: tril.mask.window({ left: 10, right: 3 }) }).output;
  }
  const [q, k, v] = normal(tril, 110, 0, [3, 8, 7, 4], [3, 2, 7, 4], [3, 2, 7, 4]);
  return tril.attention(q, k, v, { causal: true }).output;
}

function linear(tril: Tril): Tensor {
  const [q, k, v] = normal(tril, 301, 0, [2, 4, 13, 6], [2, 2, 13, 6], [2, 2, 13, 5]);
  return tril.linearAttention(q, k, v).output;
}

/** Of the weights that softmax, above, is compared with. */
function singular(tril: Tril): Tensor {
  const { rows, cols, data } = asRows({ shape: [40, 40], data: softmax(tril).read() });
  return tril.singularValues(tril.tensor([rows, cols], data));
}

const elements = (absolute: number): Limit => ({ kind: 'elements', absolute, relative: 1.3e-6 });

/** The limits are those of the core's own tests. */
export const examples: Readonly<Record<ExampleId, Example>> = {
  // PyTorch's own float32 result is 2.0978e-6 away (float32_errors_h4.npy); a quarter more is allowed.
  multiHead: { limit: { kind: 'norm', most: 1.25 * 2.0978e-6 }, run: multiHead },
  block: { limit: { kind: 'norm', most: 8e-6 }, run: (tril) => block(tril, 'post') },
  preBlock: { limit: { kind: 'norm', most: 8e-6 }, run: (tril) => block(tril, 'pre') },
  softmax: { limit: elements(1e-5), run: softmax },
  layerNorm: { limit: elements(1e-6), run: layerNorm },
  gelu: { limit: elements(1e-5), run: gelu },
  window: { limit: elements(1e-5), run: (tril) => attention(tril, 'window') },
  grouped: { limit: elements(1e-5), run: (tril) => attention(tril, 'grouped') },
  linear: { limit: elements(1e-5), run: linear },
  singular: { limit: elements(1e-5), run: singular },
};
