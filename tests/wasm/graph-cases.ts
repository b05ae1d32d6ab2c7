// Graphs for the tests of all graph functions, one for each operation and some with several, and their inputs.
import { graph, type Graph, type GraphValues } from 'tril/graph';
import type { Numbers } from './graph-reference.js';
import { tril } from './helpers.js';

export interface Case {
  readonly name: string;
  readonly graph: Graph;
  /** Shapes of the inputs; integer inputs have their bound in `below`. */
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly below?: Readonly<Record<string, number>>;
}

/** The names of all operations except inputs, as in a graph: `split` becomes several slices. */
export const operations: readonly string[] = (() => {
  let names: readonly string[] = [];
  graph({ x: [1] }, ({ x }, calls) => {
    names = Object.keys(calls).filter((name) => name !== 'split');
    return { y: calls.exp(x) };
  });
  return names;
})();

/** One head of attention from small operations. */
export const attention = graph(
  { X: ['T', 'C'], W_Q: ['C', 'D'], W_K: ['C', 'D'], W_V: ['C', 'D'] },
  ({ X, W_Q, W_K, W_V }, { matmul, transpose, divide, sqrt, softmax }) => {
    const [Q, K, V] = [matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V)];
    const scores = divide(matmul(Q, transpose(K)), sqrt('D'));
    const weights = softmax(scores);
    return { Q, K, V, scores, weights, output: matmul(weights, V) };
  },
);

export const cases: readonly Case[] = [
  {
    ...{ name: 'attention', graph: attention },
    inputs: { X: [4, 3], W_Q: [3, 2], W_K: [3, 2], W_V: [3, 2] },
  },
  {
    name: 'matmul of stacks',
    graph: graph({ a: ['B', 1, 'T', 'D'], b: ['H', 'D', 'S'] }, ({ a, b }, { matmul }) => ({
      y: matmul(a, b),
    })),
    inputs: { a: [2, 1, 3, 2], b: [3, 2, 4] },
  },
  {
    name: 'arithmetic',
    graph: graph({ x: ['T', 'D'], y: ['D'], z: ['T', 1] }, ({ x, y, z }, c) => {
      const sum = c.add(x, y);
      const quotient = c.divide(c.subtract(sum, z), c.exp(y));
      return { sum, quotient, y2: c.multiply(quotient, c.multiply(z, 0.5)) };
    }),
    inputs: { x: [2, 3], y: [3], z: [2, 1] },
  },
  {
    name: 'functions of one element',
    graph: graph({ x: ['T', 'D'] }, ({ x }, c) => {
      const positive = c.exp(x);
      return {
        ...{ log: c.log(c.add(positive, 1)), root: c.sqrt(positive), tanh_: c.tanh(x) },
        ...{ minus: c.negate(x), surprise: c.negate(c.log(positive)) },
        ...{ relu_: c.relu(x), gelu_: c.gelu(x), silu_: c.silu(x) },
      };
    }),
    inputs: { x: [2, 3] },
  },
  {
    name: 'softmax',
    graph: graph({ x: ['B', 'T', 'D'] }, ({ x }, { softmax, logSoftmax }) => ({
      ...{ rows: softmax(x), columns: softmax(x, { axis: 1 }), logs: logSoftmax(x, { axis: 0 }) },
    })),
    inputs: { x: [2, 3, 2] },
  },
  {
    name: 'transpose',
    graph: graph({ x: ['B', 'T', 'D'] }, ({ x }, { transpose, exp }) => ({
      back: transpose(x),
      ...{ swapped: exp(transpose(x, [0, 2, 1])), turned: transpose(x, [2, 0, -2]) },
    })),
    inputs: { x: [2, 3, 4] },
  },
  {
    name: 'linear',
    graph: graph({ x: ['B', 'T', 'C'], W: ['D', 'C'], b: ['D'] }, ({ x, W, b }, { linear }) => ({
      ...{ y: linear(x, W, b), z: linear(x, W) },
    })),
    inputs: { x: [2, 3, 2], W: [4, 2], b: [4] },
  },
  {
    name: 'reductions',
    graph: graph({ x: ['B', 'T', 'D'] }, ({ x }, { sum, mean, max }) => ({
      ...{ all: sum(x), rows: sum(x, { axis: -1 }), first: mean(x, { axis: 0, keepDims: true }) },
      ...{ average: mean(x, { keepDims: true }), most: max(x), largest: max(x, { axis: 1 }) },
    })),
    inputs: { x: [2, 3, 2] },
  },
  {
    name: 'heads by reshaping, and parts',
    graph: graph({ x: ['T', '3*C'], w: ['C'] }, ({ x, w }, c) => {
      const [q, k, v] = c.split(x, 3, { axis: 1 });
      const heads = c.transpose(c.reshape(c.multiply(k, w), ['T', 2, 'C/2']), [1, 0, 2]);
      const half = c.slice(v, { axis: -1, start: 'C/2', stop: 'C' });
      return { q, heads, half, joined: c.concatenate([q, half, v], { axis: 1 }) };
    }),
    inputs: { x: [2, 12], w: [4] },
  },
  {
    name: 'masks',
    graph: graph({ x: ['H', 'T', 'T'], seen: ['T', 'T'] }, ({ x, seen }, { mask, exp }) => ({
      ...{ causal: exp(mask(x)), shown: mask(x, seen) },
    })),
    inputs: { x: [2, 3, 3], seen: [3, 3] },
    below: { seen: 2 },
  },
  {
    name: 'masks by rules',
    graph: graph({ x: ['B', 'H', 'T', 'S'], seen: ['T', 'S'] }, ({ x, seen }, { mask }) => ({
      near: mask(x, { window: { left: 1, right: 0 } }),
      ahead: mask(x, { window: { right: 1 }, hidden: -3 }),
      often: mask(x, { strided: { local: 1, stride: 2 }, causal: true, hidden: 0.5 }),
      short: mask(x, { padding: [1, 3] }),
      both: mask(x, seen, { causal: true, hidden: -1 }),
    })),
    inputs: { x: [2, 2, 3, 4], seen: [3, 4] },
    below: { seen: 2 },
  },
  {
    name: 'what a mask hides',
    graph: graph({ x: ['T', 'T'], v: ['T', 2], d: ['T', 2] }, ({ x, v, d }, c) => {
      const masked = c.mask(x);
      const weights = c.softmax(masked);
      // The backward pass: scores whose weight is 0 have no gradient.
      const dWeights = c.matmul(d, c.transpose(v));
      const products = c.multiply(weights, dWeights);
      const sums = c.sum(products, { axis: 1, keepDims: true });
      const dScores = c.multiply(weights, c.subtract(dWeights, sums));
      const dV = c.matmul(c.transpose(weights), d);
      return {
        ...{ masked, weights, blend: c.matmul(weights, v), logs: c.logSoftmax(masked) },
        ...{ dWeights, products, sums, dScores, dV, dX: c.matmul(dScores, x) },
      };
    }),
    inputs: { x: [3, 3], v: [3, 2], d: [3, 2] },
  },
  {
    name: 'averages up to now',
    graph: graph({ x: ['B', 'T', 'C'] }, ({ x }, c) => {
      const L = c.tri('T');
      const weights = c.divide(L, c.sum(L, { axis: -1, keepDims: true }));
      const [M, leaks] = [c.mask(0, L), c.mask(0, L, { hidden: -2 })];
      return {
        ...{ loops: c.runningAverage(x), sums: c.runningAverage(x, { sum: true }), L, weights },
        ...{ M, soft: c.softmax(M), leaks, open: c.matmul(c.softmax(leaks), x) },
        ...{ leaked: c.mask(c.matmul(x, c.transpose(x, [0, 2, 1])), { hidden: -1.5 }) },
      };
    }),
    inputs: { x: [2, 3, 2] },
  },
  {
    name: 'powers, the larger and the smaller',
    graph: graph({ x: ['T', 'D'], y: ['D'] }, ({ x, y }, c) => {
      const positive = c.exp(x);
      return {
        ...{ square: c.power(x, 2), root: c.power(positive, 0.5), both: c.power(positive, y) },
        ...{ larger: c.maximum(x, y), smaller: c.minimum(x, 0) },
        ...{ least: c.min(x, { axis: 0 }), place: c.argmax(x, { axis: -1 }), first: c.argmax(x) },
      };
    }),
    inputs: { x: [2, 3], y: [3] },
  },
  {
    name: 'comparisons',
    graph: graph({ x: ['T', 'D'], y: ['D'] }, ({ x, y }, c) => ({
      ...{ same: c.equal(x, y), other: c.notEqual(x, y), below: c.less(x, y) },
      ...{ atMost: c.lessEqual(x, y), above: c.greater(x, 1), atLeast: c.greaterEqual(x, y) },
    })),
    inputs: { x: [2, 3], y: [3] },
    below: { x: 3, y: 3 },
  },
  {
    name: 'a condition',
    graph: graph({ x: ['T', 'D'], y: ['D'], seen: ['T', 1] }, ({ x, y, seen }, { where }) => ({
      ...{ chosen: where(seen, x, y), shown: where(seen, x, 0) },
    })),
    inputs: { x: [3, 3], y: [3], seen: [3, 1] },
    below: { seen: 2 },
  },
  {
    name: 'places',
    graph: graph({ x: ['T', 3], y: ['D'], z: [2] }, ({ x, y, z }, c) => ({
      ...{ columns: c.take(x, { axis: 1, indices: [2, 0, 0] }), one: c.take(y, { indices: [1] }) },
      ...{
        put_: c.put([x, y, z], {
          places: [
            [0, 4, 2],
            [4, 5],
          ],
        }),
        again: c.exp(c.put([z, z], { places: [[1, 1]] })),
      },
    })),
    inputs: { x: [2, 3], y: [3], z: [2] },
  },
  {
    name: 'norms',
    graph: graph({ x: ['T', 'C'], w: ['C'], b: ['C'] }, ({ x, w, b }, c) => ({
      ...{ y: c.layerNorm(x, w, b), plain: c.layerNorm(x, { eps: 0.5 }) },
      ...{ scaled: c.rmsNorm(x, w), bare: c.rmsNorm(x, { eps: 0.01 }) },
    })),
    inputs: { x: [3, 4], w: [4], b: [4] },
  },
  {
    name: 'tokens and their loss',
    graph: graph(
      { ids: ['B', 'T'], table: ['V', 'C'], W: ['V', 'C'], targets: ['B', 'T'] },
      ({ ids, table, W, targets }, { embedding, linear, crossEntropy }) => {
        const x = embedding(ids, table);
        const logits = linear(x, W);
        return { x, logits, loss: crossEntropy(logits, targets) };
      },
    ),
    inputs: { ids: [2, 2], table: [3, 2], W: [3, 2], targets: [2, 2] },
    below: { ids: 3, targets: 3 },
  },
  {
    name: 'fused attention',
    graph: graph(
      { q: ['H', 'T', 'D'], k: ['H', 'S', 'D'], v: ['H', 'S', 'E'], seen: ['T', 'S'] },
      ({ q, k, v, seen }, { attention }) => ({
        ...{ all: attention(q, k, v), some: attention(q, k, v, seen) },
        causal: attention(q, k, v, { causal: true }),
      }),
    ),
    inputs: { q: [2, 3, 2], k: [2, 4, 2], v: [2, 4, 3], seen: [3, 4] },
    below: { seen: 3 },
  },
  {
    name: 'fused attention with scale, masks and rules',
    graph: graph(
      { q: ['T', 'D'], k: ['S', 'D'], v: ['S', 'E'], bias: ['T', 'S'], seen: ['T', 'S'] },
      ({ q, k, v, bias, seen }, { attention, add, mask }) => {
        const M = mask(0, seen);
        return {
          ...{ M, plain: attention(q, k, v, { scale: 0.25 }) },
          biased: attention(q, k, v, bias, { kind: 'additive', scale: -2 }),
          open: attention(q, k, v, add(bias, M), { kind: 'additive' }),
          near: attention(q, k, v, { window: { left: 1, right: 1 } }),
          often: attention(q, k, v, seen, { strided: { local: 1, stride: 2 }, causal: true }),
          short: attention(q, k, v, M, { kind: 'additive', padding: [3] }),
        };
      },
    ),
    inputs: { q: [3, 2], k: [4, 2], v: [4, 3], bias: [3, 4], seen: [3, 4] },
    below: { seen: 3 },
  },
  {
    name: 'fused attention with shared heads',
    graph: graph(
      { q: ['B', '2*G', 'T', 'D'], k: ['B', 'G', 'S', 'D'], v: ['B', 'G', 'S', 'E'] },
      ({ q, k, v }, { attention, slice }) => {
        const one = (value: typeof k) => slice(value, { axis: 1, stop: 1 });
        return {
          groups: attention(q, k, v),
          causal: attention(q, k, v, { causal: true, scale: 1 }),
          shared: attention(q, one(k), one(v), { padding: [2, 1] }),
        };
      },
    ),
    inputs: { q: [2, 4, 2, 2], k: [2, 2, 3, 2], v: [2, 2, 3, 1] },
  },
  {
    name: 'fused heads',
    graph: graph(
      { x: ['B', 'T', 'C'], W: ['3*C', 'C'], O: ['C', 'C'], b: ['3*C'], c: ['C'] },
      ({ x, W, O, b, c }, { multiHeadAttention }) => ({
        y: multiHeadAttention(x, W, O, b, c, { heads: 2 }),
        z: multiHeadAttention(x, W, O, { heads: 1, causal: true }),
      }),
    ),
    inputs: { x: [2, 2, 2], W: [6, 2], O: [2, 2], b: [6], c: [2] },
  },
];

/** The inputs of a case, the same numbers for the same seed. */
export function inputsOf({ inputs, below = {} }: Case, seed = 1): GraphValues {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, shape], i) => {
      const x = tril.randomNormal(shape, { seed: 100 * seed + i });
      const most = below[name];
      if (most === undefined) return [name, x];
      return [name, x.write(x.read().map((value) => Math.abs(Math.trunc(value * 7)) % most))];
    }),
  );
}

export const numbersOf = (values: GraphValues): Record<string, Numbers> =>
  Object.fromEntries(
    Object.entries(values).map(([name, x]) => [name, { shape: x.shape, data: [...x.read()] }]),
  );

/** The largest magnitude of the numbers, at least 1. */
export const scaleOf = (numbers: readonly number[]): number =>
  Math.max(1, ...numbers.filter(Number.isFinite).map(Math.abs));
