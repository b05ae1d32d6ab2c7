import { graph } from '../../graph/index.js';
import { scaling, weighting } from './attention.js';
import { order, unmasked } from './layers.js';
import {
  make,
  scaled,
  shapesOf,
  softmaxCode,
  type Exercise,
  type ExerciseCase,
  type Mistake,
} from './exercise.js';
import { steps } from './steps.js';

const sized = (name: string, B: number, T: number, C: number): ExerciseCase => ({
  name,
  inputs: {
    X: { shape: [B, T, C] },
    mask: { shape: [T, T], causal: true },
    W_KQV: { shape: [C, 3 * C], scale: 1 / Math.sqrt(C) },
    W_out: { shape: [C, C], scale: 1 / Math.sqrt(C) },
    W_1: { shape: [C, 4 * C], scale: 1 / Math.sqrt(C) },
    W_2: { shape: [4 * C, C], scale: 0.5 / Math.sqrt(C) },
  },
});

const plain = sized('2 sequences of 5 tokens', 2, 5, 6);

/** Mistakes that add the normalised tokens instead of the tokens: in the first sum, the second, or both. */
const normedSums: readonly Mistake[] = [[1], [2], [1, 2]].map((sums) => ({
  id: 'normed-sum',
  says: 'the normed tokens are added, where the tokens themselves go on beside attention and the MLP',
  edits: () => [
    ...(sums.includes(1) ? [{ replace: 'mid', inputs: ['normed', 'attended'] }] : []),
    ...(sums.includes(2) ? [{ replace: 'Y', inputs: ['mid_normed', 'fed'] }] : []),
  ],
}));

/** The block of a Transformer with norms before the sublayers. */
export const block: Exercise = {
  id: 'block',
  title: 'The block',
  task: 'X has the shape [B, T, C]. Norm X and let its tokens attend (one head; keys, queries and values are side by side in the product with W_KQV, in this order; the mask is added to the scaled scores; the blend is multiplied by W_out). Add X: this is H. Norm H, multiply by W_1, apply relu, multiply by W_2. Return that plus H.',
  skeleton: `${softmaxCode}
def layer_norm(x):
    apart = x - x.mean(axis=-1, keepdims=True)
    return apart / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)

def block(X, mask, W_KQV, W_out, W_1, W_2):
    K, Q, V = np.split(layer_norm(X) @ W_KQV, 3, axis=-1)
    pass
`,
  hints: [
    'Attention and MLP read normed tokens; what they give is added to tokens that were never normed.',
    'H = X + softmax(Q K^T / sqrt(C) + mask) V W_out, with Q, K and V of `layer_norm(X)`.',
    'The result is `H + np.maximum(layer_norm(H) @ W_1, 0) @ W_2`.',
  ],
  name: 'block',
  parameters: ['X', 'mask', 'W_KQV', 'W_out', 'W_1', 'W_2'],
  results: ['Y'],
  cases: [
    plain,
    sized('1 sequence of 3 tokens', 1, 3, 4),
    scaled('small numbers', plain, 0.1, ['X']),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ X, mask, W_KQV, W_out, W_1, W_2 }, c) => {
      const normed = c.layerNorm(X!);
      const KQV = c.matmul(normed, W_KQV!);
      const [K, Q, V] = c.split(KQV, 3, { axis: -1 });
      const made = steps(c, Q, K, of.inputs.X!.shape);
      const masked = c.add(made.scores, mask!);
      const weights = c.softmax(masked);
      const blend = c.matmul(weights, V);
      const attended = c.matmul(blend, W_out!);
      const mid = c.add(X!, attended);
      const mid_normed = c.layerNorm(mid);
      const hidden = c.matmul(mid_normed, W_1!);
      const active = c.relu(hidden);
      const fed = c.matmul(active, W_2!);
      const attending = { normed, KQV, K, Q, V, ...made, masked, weights, blend, attended };
      return { ...attending, mid, mid_normed, hidden, active, fed, Y: c.add(mid, fed) };
    }),
  mistakes: [
    {
      id: 'post-norm',
      says: 'the sums are normed (post-norm); here what attention and the MLP read is normed',
      edits: () => [
        { remove: 'normed' },
        make('sum', 'add', ['mid_normed', 'fed']),
        { replace: 'Y', operation: 'layerNorm', inputs: ['sum'], options: {} },
      ],
    },
    {
      id: 'no-norms',
      says: 'nothing is normed',
      edits: () => [{ remove: 'normed' }, { remove: 'mid_normed' }],
    },
    {
      id: 'no-first-norm',
      says: 'attention reads X as it is, without the norm',
      edits: () => [{ remove: 'normed' }],
    },
    {
      id: 'no-second-norm',
      says: 'the MLP reads the sum as it is, without the norm',
      edits: () => [{ remove: 'mid_normed' }],
    },
    {
      id: 'no-sums',
      says: 'neither attention’s nor the MLP’s input is added to what they give',
      edits: () => [
        { remove: 'mid', instead: 'attended' },
        { remove: 'Y', instead: 'fed' },
      ],
    },
    {
      id: 'no-first-sum',
      says: 'X is not added to what attention gives',
      edits: () => [{ remove: 'mid', instead: 'attended' }],
    },
    {
      id: 'no-second-sum',
      says: 'the MLP’s input, before its norm, is not added to what the MLP gives',
      edits: () => [{ remove: 'Y', instead: 'fed' }],
    },
    ...normedSums,
    {
      id: 'old-sum',
      says: 'X is added after the MLP, too: what attention has added is lost there',
      edits: () => [{ replace: 'Y', inputs: ['X', 'fed'] }],
    },
    {
      id: 'parallel',
      says: 'the MLP reads X: it is to read what attention has made of it',
      edits: () => [{ rewire: 'mid_normed', input: 'x', to: 'X' }],
    },
    { id: 'no-relu', says: 'relu is left out', edits: () => [{ remove: 'active' }] },
    {
      id: 'relu-last',
      says: 'relu comes after both products; it belongs between them',
      edits: () => [
        { remove: 'active' },
        make('late', 'relu', ['fed']),
        { replace: 'Y', inputs: ['mid', 'late'] },
      ],
    },
    {
      id: 'no-output',
      says: 'attention’s blend is not multiplied by W_out',
      edits: () => [{ remove: 'attended' }],
    },
    order,
    unmasked,
    ...scaling,
    // Scores of normalised tokens are never so large that e^score overflows.
    ...weighting('masked').filter(({ id }) => ['columns', 'no-softmax'].includes(id)),
  ],
};
