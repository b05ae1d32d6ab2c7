import { graph, type Calls, type GraphEdit, type Value } from '../../graph/index.js';
import {
  larger,
  normal,
  shapesOf,
  type Exercise,
  type ExerciseCase,
  type Mistake,
} from './exercise.js';

/** Every step from queries, keys and values to the output. */
export function steps(c: Calls, q: Value, k: Value, v: Value, rank: number, width: number) {
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  const turned = c.transpose(k, [...axes.slice(0, -2), rank - 1, rank - 2]);
  const product = c.matmul(q, turned);
  const root = c.sqrt(width);
  const scores = c.divide(product, root);
  return { turned, product, root, scores, v };
}

export const scaling: readonly Mistake[] = [
  {
    id: 'no-scale',
    says: 'the scores are not divided by the root of the width of a head',
    edits: () => [{ remove: 'scores' }],
  },
  {
    id: 'scale-by-width',
    says: 'the scores are divided by the width, not by its root',
    edits: () => [{ remove: 'root' }],
  },
  {
    id: 'multiplied',
    says: 'the scores are multiplied by the root of the width, not divided by it',
    edits: () => [{ replace: 'scores', operation: 'multiply' }],
  },
];

/** Of weights that are made of these scores. */
export const weighting = (scores: string): readonly Mistake[] => [
  {
    id: 'columns',
    says: 'softmax runs down the columns: each query’s weights are a row',
    edits: () => [{ replace: 'weights', options: { axis: -2 } }],
  },
  {
    id: 'no-softmax',
    says: 'the scores are used as they are, without softmax',
    edits: () => [{ remove: 'weights' }],
  },
  {
    id: 'overflow',
    says: 'e^x is taken of the scores as they are, and overflows where these are large',
    edits: () => [
      { add: { name: 'powers', operation: 'exp', inputs: [scores], options: {} } },
      {
        add: {
          ...{ name: 'total', operation: 'sum', inputs: ['powers'] },
          options: { axis: -1, keepDims: true },
        },
      },
      { replace: 'weights', operation: 'divide', inputs: ['powers', 'total'], options: {} },
    ],
  },
];

/** Scores whose rows and columns change places, in a graph of so many axes. */
export const exchanged = (rankOf: (of: ExerciseCase) => number): Mistake => ({
  id: 'exchanged',
  says: 'keys and queries are exchanged: row t must be what query t looks at',
  edits: (of): readonly GraphEdit[] => {
    const rank = rankOf(of);
    const front = Array.from({ length: rank - 2 }, (_, axis) => axis);
    const options = { axes: [...front, rank - 1, rank - 2] };
    return [
      { add: { name: 'other', operation: 'transpose', inputs: ['product'], options } },
      { rewire: 'scores', input: 'x', to: 'other' },
    ];
  },
});

export const keysForValues: Mistake = {
  id: 'keys-for-values',
  says: 'the weights meet the keys; the output is a blend of the values',
  edits: () => [{ rewire: 'output', input: 'b', to: 'K' }],
};

const qkv = (shape: readonly number[]) => ({ Q: shape, K: shape, V: shape });
const one = normal('5 tokens', qkv([5, 4]));

/** One head, without a mask. */
export const attention: Exercise = {
  id: 'attention',
  title: 'One head',
  task: 'Q, K and V have the shapes [..., T, D], [..., S, D] and [..., S, E]. Return softmax(Q K^T / sqrt(D)) V.',
  skeleton: `import numpy as np

def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def attention(Q, K, V):
    pass
`,
  hints: [
    'The score of a query and a key is their dot product: all of them are one product of matrices.',
    '`K.swapaxes(-1, -2)` is the transpose of each matrix of a batch; `K.T` turns the batch, too.',
    'The scores are divided by the root of the last axis of Q, before softmax along the last axis.',
  ],
  name: 'attention',
  parameters: ['Q', 'K', 'V'],
  results: ['output'],
  cases: [
    one,
    normal('a batch', qkv([3, 4, 2])),
    normal('3 queries, 5 keys', { Q: [3, 4], K: [5, 4], V: [5, 6] }),
    larger('large scores', one, 20),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ Q, K, V }, c) => {
      const { shape } = of.inputs.Q!;
      const { v, ...made } = steps(c, Q!, K!, V!, shape.length, shape.at(-1)!);
      const weights = c.softmax(made.scores);
      return { ...made, weights, output: c.matmul(weights, v) };
    }),
  mistakes: [
    ...scaling,
    ...weighting('scores'),
    exchanged((of) => of.inputs.Q!.shape.length),
    keysForValues,
  ],
};

/** Hides every key behind the query's own position. */
const hide = (hidden: number) => ({ replace: 'masked', options: { hidden } });

/** One head that does not see what comes after. */
export const causal: Exercise = {
  id: 'causal',
  title: 'The causal mask',
  task: 'As one head, but token t sees the tokens 0 to t alone. Q, K and V have the shape [..., T, D].',
  skeleton: attention.skeleton.replace('def attention(', 'def causal_attention('),
  hints: [
    'What is hidden must get the weight 0, and the weights of a row still add up to 1.',
    'The mask comes before softmax: a score of -inf becomes e^-inf = 0.',
    '`np.triu(np.full((T, T), -np.inf), 1)` is 0 up to the diagonal and -inf above it: add it to the scores.',
  ],
  name: 'causal_attention',
  parameters: ['Q', 'K', 'V'],
  results: ['output'],
  cases: [
    one,
    normal('1 token', qkv([1, 3])),
    normal('a batch', qkv([2, 7, 2])),
    larger('large scores', one, 20),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ Q, K, V }, c) => {
      const { shape } = of.inputs.Q!;
      const [T, D] = shape.slice(-2) as [number, number];
      const { v, ...made } = steps(c, Q!, K!, V!, shape.length, D);
      const masked = c.mask(made.scores);
      const weights = c.softmax(masked);
      const seen = c.tri(T);
      const later = c.transpose(seen, [1, 0]);
      const before = c.subtract(seen, c.multiply(seen, later));
      return {
        ...{ ...made, masked, weights, output: c.matmul(weights, v), seen, later, before },
      };
    }),
  mistakes: [
    { id: 'no-mask', says: 'nothing is hidden', edits: () => [{ remove: 'masked' }] },
    {
      id: 'mask-of-zeros',
      says: 'hidden scores become 0, and e^0 = 1 is a weight; they must become -inf',
      edits: () => [hide(0)],
    },
    {
      id: 'mask-after-softmax',
      says: 'weights are set to 0 after softmax: the rest of a row no longer adds up to 1',
      edits: () => [
        { rewire: 'weights', input: 'x', to: 'scores' },
        { add: { name: 'left', operation: 'mask', inputs: ['weights'], options: { hidden: 0 } } },
        { rewire: 'output', input: 'a', to: 'left' },
      ],
    },
    {
      id: 'mask-turned',
      says: 'the mask is turned over: it hides the past and shows the future',
      edits: () => [{ replace: 'masked', inputs: ['scores', 'later'] }],
    },
    // The first row sees nothing: written out, softmax makes NaN of it; PyTorch's and the core's own differ.
    {
      id: 'hides-itself',
      says: 'a token does not see itself, and the first sees nothing: the diagonal stays open',
      edits: () => [
        { replace: 'masked', inputs: ['scores', 'before'] },
        {
          add: {
            ...{ name: 'most', operation: 'max', inputs: ['masked'] },
            options: { axis: -1, keepDims: true },
          },
        },
        {
          add: { name: 'nothing', operation: 'subtract', inputs: ['most', 'most'], options: {} },
        },
        {
          add: { name: 'broken', operation: 'add', inputs: ['weights', 'nothing'], options: {} },
        },
        { rewire: 'output', input: 'a', to: 'broken' },
      ],
    },
    {
      id: 'hides-itself',
      says: 'a token does not see itself, and the first sees nothing: the diagonal stays open',
      edits: () => [{ replace: 'masked', inputs: ['scores', 'before'] }],
    },
    ...scaling,
    ...weighting('masked'),
    exchanged((of) => of.inputs.Q!.shape.length),
    keysForValues,
  ],
};
