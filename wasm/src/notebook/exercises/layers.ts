import { graph, type GraphEdit, type Value } from '../../graph/index.js';
import { exchanged, keysForValues, scaling, weighting } from './attention.js';
import {
  make,
  scaled,
  shapesOf,
  softmaxCode,
  type Exercise,
  type ExerciseCase,
  type Mistake,
} from './exercise.js';
import { steps, turned } from './steps.js';

/** Tokens so large that e^score overflows. */
const large = (of: ExerciseCase) => scaled('large scores', of, 20, ['X']);

const notebook = (name: string, B: number, T: number, C: number): ExerciseCase => ({
  name,
  inputs: {
    X: { shape: [B, T, C] },
    mask: { shape: [T, T], causal: true },
    W_KQV: { shape: [C, 3 * C], scale: 1 / Math.sqrt(C) },
    W_out: { shape: [C, C], scale: 1 / Math.sqrt(C) },
  },
});

/** A mistake of attention whose queries, keys and values come from one product. */
export const order: Mistake = {
  id: 'order',
  says: 'the three parts of X W_KQV are taken for queries, keys and values; keys come first',
  edits: () => [
    { rewire: 'keys', input: 'x', to: 'Q' },
    { rewire: 'product', input: 'a', to: 'K' },
  ],
};

/** A mistake with a given mask. */
export const unmasked: Mistake = {
  id: 'no-mask',
  says: 'the mask is not added',
  edits: () => [{ remove: 'masked' }],
};

/** The classic exercise: a whole layer of one head, as notebooks have it. */
export const selfAttention: Exercise = {
  id: 'self-attention',
  title: 'Self-attention, from tokens to output',
  task: 'X has the shape [B, T, C]. X W_KQV are keys, queries and values side by side, in this order. Add the mask to the scaled scores, blend the values, multiply by W_out. Return the output and the weights.',
  skeleton: `${softmaxCode}
def self_attention(X, mask, W_KQV, W_out):
    K, Q, V = np.split(X @ W_KQV, 3, axis=-1)
    pass
`,
  hints: [
    'Scores are queries times keys turned: row t belongs to query t.',
    'Divide by `np.sqrt(X.shape[-1])`, add the mask, then softmax.',
    'The weights times V, times W_out, is the output; the weights are the second result.',
  ],
  name: 'self_attention',
  parameters: ['X', 'mask', 'W_KQV', 'W_out'],
  results: ['output', 'weights'],
  cases: [
    notebook('2 sequences of 5 tokens', 2, 5, 6),
    notebook('1 sequence of 3 tokens', 1, 3, 4),
    large(notebook('', 2, 5, 6)),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ X, mask, W_KQV, W_out }, c) => {
      const KQV = c.matmul(X!, W_KQV!);
      const [K, Q, V] = c.split(KQV, 3, { axis: -1 });
      const made = steps(c, Q, K, of.inputs.X!.shape);
      const masked = c.add(made.scores, mask!);
      const weights = c.softmax(masked);
      const blend = c.matmul(weights, V);
      return { KQV, K, Q, V, ...made, masked, weights, blend, output: c.matmul(blend, W_out!) };
    }),
  mistakes: [
    order,
    unmasked,
    {
      id: 'mask-after-softmax',
      says: 'the mask is added after softmax, where it belongs to the scores',
      edits: () => [
        make('shares', 'softmax', ['scores']),
        { replace: 'weights', operation: 'add', inputs: ['shares', 'mask'], options: {} },
      ],
    },
    {
      id: 'no-output',
      says: 'the blend is not multiplied by W_out',
      edits: () => [{ remove: 'output' }],
    },
    ...scaling,
    ...weighting('masked'),
    keysForValues('blend'),
  ],
};

const headed = (name: string, B: number, T: number, C: number, heads: number): ExerciseCase => ({
  name,
  inputs: {
    X: { shape: [B, T, C] },
    W_QKV: { shape: [C, 3 * C], scale: 1 / Math.sqrt(C) },
    W_out: { shape: [C, C], scale: 1 / Math.sqrt(C) },
  },
  numbers: { heads },
});

/** [B, heads, T, C / heads] */
function headShape(of: ExerciseCase): [number, number, number, number] {
  const [B, T, C] = of.inputs.X!.shape as [number, number, number];
  const heads = of.numbers!.heads!;
  return [B, heads, T, C / heads];
}

const tokensFirst = ([B, H, T, D]: readonly [number, number, number, number]) => [B, T, H, D];

/** Mistakes of making heads by reshape alone. */
const reshaped = (shape: readonly number[]): readonly GraphEdit[] =>
  ['q', 'k', 'v'].map((part) => ({
    replace: part.toUpperCase(),
    operation: 'reshape',
    inputs: [part],
    options: { shape },
  }));

/** Several heads: split, attend, merge. */
export const heads: Exercise = {
  id: 'heads',
  title: 'Several heads',
  task: 'X has the shape [B, T, C], and X W_QKV are queries, keys and values side by side. Each of the heads takes C / heads neighbouring columns of the three. Put the outputs of the heads side by side and multiply by W_out. No mask.',
  skeleton: `${softmaxCode}
def multi_head_attention(X, W_QKV, W_out, heads):
    B, T, C = X.shape
    Q, K, V = np.split(X @ W_QKV, 3, axis=-1)
    pass
`,
  hints: [
    'Split: [B, T, C] becomes [B, T, heads, C / heads], then the axes of tokens and heads change places.',
    'The width of a head is C / heads; its root divides the scores.',
    'Merge: change the axes back first, then reshape to [B, T, C].',
  ],
  name: 'multi_head_attention',
  parameters: ['X', 'W_QKV', 'W_out', 'heads'],
  results: ['output'],
  cases: [
    headed('2 sequences, 2 heads', 2, 5, 6, 2),
    headed('1 sequence, 3 heads', 1, 4, 6, 3),
    headed('1 head', 2, 3, 4, 1),
    large(headed('', 2, 5, 6, 2)),
  ],
  large: headed('1024 tokens', 1, 1024, 64, 4),
  beside: (tril, { X, W_QKV, W_out }) => {
    const [q, k, v] = tril.split(tril.matmul(X!, W_QKV!), 3, { axis: -1 });
    return tril.matmul(tril.attention(q!, k!, v!, { heads: 4 }).output, W_out!);
  },
  graph: (of) =>
    graph(shapesOf(of), ({ X, W_QKV, W_out }, c) => {
      const [B, T, C] = of.inputs.X!.shape as [number, number, number];
      const shape = headShape(of);
      const [q, k, v] = c.split(c.matmul(X!, W_QKV!), 3, { axis: -1 });
      const split = (x: Value) => c.transpose(c.reshape(x, tokensFirst(shape)), [0, 2, 1, 3]);
      const [Q, K, V] = [split(q), split(k), split(v)];
      const made = steps(c, Q, K, shape);
      const weights = c.softmax(made.scores);
      const blend = c.matmul(weights, V);
      const back = c.transpose(blend, [0, 2, 1, 3]);
      const merged = c.reshape(back, [B, T, C]);
      const output = c.matmul(merged, W_out!);
      return { q, k, v, Q, K, V, ...made, weights, blend, back, merged, output };
    }),
  mistakes: [
    {
      id: 'not-split',
      says: 'the heads are not split: there is one, as wide as all of them together',
      edits: (of) => [
        make('width_of_all', 'number', [], { value: of.inputs.X!.shape.at(-1)! }),
        make('root_of_all', 'sqrt', ['width_of_all']),
        make('k_turned', 'transpose', ['k'], { axes: turned(3) }),
        make('all_products', 'matmul', ['q', 'k_turned']),
        make('all_scores', 'divide', ['all_products', 'root_of_all']),
        make('all_weights', 'softmax', ['all_scores']),
        make('undivided', 'matmul', ['all_weights', 'v']),
        { rewire: 'output', input: 'a', to: 'undivided' },
      ],
    },
    {
      id: 'reshaped-at-once',
      says: 'heads are made by reshape alone: that cuts tokens, too. First [B, T, heads, C / heads], then the axes change places',
      edits: (of) => reshaped(headShape(of)),
    },
    {
      id: 'merged-at-once',
      says: 'the heads are merged by reshape alone: the axes of heads and tokens change back first',
      edits: () => [{ remove: 'back' }],
    },
    {
      id: 'reshaped-both-ways',
      says: 'heads are made and merged by reshape alone, which cuts tokens; the axes of tokens and heads must change places',
      edits: (of) => [...reshaped(headShape(of)), { remove: 'back' }],
    },
    {
      id: 'scale-of-all',
      says: 'the scores are divided by the root of C; a head is C / heads wide',
      edits: (of) => [{ replace: 'width', options: { value: of.inputs.X!.shape.at(-1)! } }],
    },
    {
      id: 'no-output',
      says: 'the heads’ outputs are not multiplied by W_out',
      edits: () => [{ remove: 'output' }],
    },
    ...scaling,
    ...weighting('scores'),
    exchanged(() => 4),
    keysForValues('blend'),
  ],
};
