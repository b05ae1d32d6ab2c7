import { graph, type GraphEdit } from '../../graph/index.js';
import { attention, keysForValues, scaling, weighting } from './attention.js';
import { make, scaled, shapesOf, type Exercise, type ExerciseCase } from './exercise.js';
import { steps } from './steps.js';

const padded = (
  name: string,
  [T, D]: readonly [number, number],
  S: number,
  lengths: readonly number[],
): ExerciseCase => {
  const B = lengths.length;
  return {
    name,
    inputs: {
      Q: { shape: [B, T, D] },
      K: { shape: [B, S, D] },
      V: { shape: [B, S, D] },
      real: { shape: [B, S], ones: lengths },
    },
  };
};
const plain = padded('lengths 5 and 3', [5, 4], 5, [5, 3]);

/** The mask of each sequence over its scores, [B, 1, S]. */
const wide = ({ inputs }: ExerciseCase): GraphEdit => {
  const [B, S] = inputs.real!.shape;
  return make('wide', 'reshape', ['real'], { shape: [B, 1, S] });
};

/** Sequences of several lengths at once. */
export const batches: Exercise = {
  id: 'batches',
  title: 'Batches',
  task: 'Q has the shape [B, T, D], K and V have [B, S, D]. Sequences that are shorter than S are padded: `real` [B, S] is 1 for tokens and 0 for padding. Return softmax(Q K^T / sqrt(D)) V of each sequence, in which no query sees padding.',
  skeleton: attention.skeleton.replace(
    'def attention(Q, K, V)',
    'def batched_attention(Q, K, V, real)',
  ),
  hints: [
    'The scores have the shape [B, T, S]; all queries of a sequence see the same keys.',
    '`real[:, None, :]` has the shape [B, 1, S]: it meets the scores of each query.',
    '`np.where(real[:, None, :] == 1, scores, -np.inf)`, before softmax.',
  ],
  name: 'batched_attention',
  parameters: ['Q', 'K', 'V', 'real'],
  results: ['output'],
  cases: [
    plain,
    padded('3 queries, lengths 1, 4 and 2', [3, 4], 4, [1, 4, 2]),
    padded('1 sequence', [2, 3], 6, [4]),
    scaled('large scores', plain, 20, ['Q', 'K']),
  ],
  large: padded('1024 tokens', [1024, 64], 1024, [1024, 700]),
  beside: (tril, { Q, K, V }) => tril.attention(Q!, K!, V!, { keyLengths: [1024, 700] }),
  graph: (of) =>
    graph(shapesOf(of), ({ Q, K, V, real }, c) => {
      const [B, S] = of.inputs.real!.shape as [number, number];
      const made = steps(c, Q!, K!, of.inputs.Q!.shape);
      const hidden = c.reshape(c.log(real!), [B, 1, S]);
      const masked = c.add(made.scores, hidden);
      const weights = c.softmax(masked);
      return { ...made, hidden, masked, weights, output: c.matmul(weights, V!) };
    }),
  mistakes: [
    { id: 'no-mask', says: 'padding is seen like any token', edits: () => [{ remove: 'masked' }] },
    {
      id: 'mask-of-zeros',
      says: 'scores of padding become 0, and e^0 = 1 is a weight; they must become -inf',
      edits: (of) => [
        wide(of),
        { replace: 'masked', operation: 'multiply', inputs: ['scores', 'wide'], options: {} },
      ],
    },
    {
      id: 'mask-after-softmax',
      says: 'weights of padding are set to 0 after softmax: the rest of a row no longer adds up to 1',
      edits: (of) => [
        wide(of),
        make('shares', 'softmax', ['scores']),
        { replace: 'weights', operation: 'multiply', inputs: ['shares', 'wide'], options: {} },
      ],
    },
    {
      id: 'first-mask',
      says: 'the padding of the first sequence is hidden in all of them: each has its own',
      edits: () => [
        make('first', 'slice', ['hidden'], { axis: 0, start: 0, stop: 1 }),
        { rewire: 'masked', input: 'y', to: 'first' },
      ],
    },
    ...scaling,
    // Padded columns have no softmax.
    ...weighting('masked').filter(({ id }) => id === 'overflow'),
    keysForValues('output'),
  ],
};
