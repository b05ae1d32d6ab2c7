import { edit } from '../../graph/index.js';
import {
  along,
  make,
  normal,
  scaled,
  softmaxCode,
  type Exercise,
  type ExerciseCase,
  type Mistake,
} from './exercise.js';
import { attentionSteps, blendingKeys, exchanging } from './steps.js';

const { mistakes } = attentionSteps;

export const scaling: readonly Mistake[] = [
  {
    id: 'no-scale',
    says: 'the scores are not divided by the root of the width of a head',
    edits: mistakes.noScale,
  },
  {
    id: 'scale-by-width',
    says: 'the scores are divided by the width, not by its root',
    edits: mistakes.scaleByWidth,
  },
  {
    id: 'multiplied',
    says: 'the scores are multiplied by the root of the width, not divided by it',
    edits: mistakes.timesRoot,
  },
];

/** Mistakes in weights made from these scores. */
export const weighting = (scores: string): readonly Mistake[] => [
  {
    id: 'columns',
    says: 'softmax runs down the columns: each query’s weights are a row',
    edits: mistakes.softmaxOverQueries,
  },
  {
    id: 'no-softmax',
    says: 'the scores are used as they are, without softmax',
    edits: mistakes.noSoftmax,
  },
  {
    id: 'overflow',
    says: 'e^x overflows where scores are large: the largest of each row has to be taken off first',
    edits: () => [
      make('powers', 'exp', [scores]),
      make('total', 'sum', ['powers'], along(-1)),
      { replace: 'weights', operation: 'divide', inputs: ['powers', 'total'], options: {} },
    ],
  },
  {
    id: 'largest-of-columns',
    says: 'the largest score of each column is taken off, not that of each row: that changes the weights',
    edits: () => [
      make('most', 'max', [scores], along(-2)),
      make('shifted', 'subtract', [scores, 'most']),
      make('powers', 'exp', ['shifted']),
      make('total', 'sum', ['powers'], along(-1)),
      { replace: 'weights', operation: 'divide', inputs: ['powers', 'total'], options: {} },
    ],
  },
];

/** A mistake in queries of that rank. */
export const exchanged = (rankOf: (of: ExerciseCase) => number): Mistake => ({
  id: 'exchanged',
  says: 'keys and queries are exchanged: row t must be what query t looks at',
  edits: (of) => exchanging(rankOf(of)),
});

/** `blend` is the product of weights and values. */
export const keysForValues = (blend: string): Mistake => ({
  id: 'keys-for-values',
  says: 'the weights are multiplied by the keys; the output is a blend of the values',
  edits: () => blendingKeys(blend),
});

const rankOfQueries = ({ inputs }: ExerciseCase) => inputs.Q!.shape.length;
const qkv = (shape: readonly number[]) => ({ Q: shape, K: shape, V: shape });
const one = normal('5 tokens', qkv([5, 4]));

/** One head, without a mask. */
export const attention: Exercise = {
  id: 'attention',
  title: 'One head',
  task: 'Q, K and V have the shapes [..., T, D], [..., S, D] and [..., S, E]. Return softmax(Q K^T / sqrt(D)) V.',
  skeleton: `${softmaxCode}
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
    scaled('large scores', one, 20),
  ],
  large: normal('1024 tokens', qkv([1024, 64])),
  beside: (tril, { Q, K, V }) => tril.attention(Q!, K!, V!),
  graph: attentionSteps.forward,
  mistakes: [...scaling, ...weighting('scores'), exchanged(rankOfQueries), keysForValues('output')],
};

const hidesItself = {
  id: 'hides-itself',
  says: 'a token does not see itself, and the first sees nothing: the diagonal stays open',
};

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
    scaled('large scores', one, 20),
  ],
  large: normal('1024 tokens', qkv([1024, 64])),
  beside: (tril, { Q, K, V }) => tril.attention(Q!, K!, V!, { causal: true }),
  graph: (of) =>
    edit(attentionSteps.forward(of), [
      make('masked', 'mask', ['scores']),
      { rewire: 'weights', input: 'x', to: 'masked' },
    ]),
  mistakes: [
    { id: 'no-mask', says: 'nothing is hidden', edits: mistakes.noMask },
    {
      id: 'mask-of-zeros',
      says: 'hidden scores become 0, and e^0 = 1 is a weight; they must become -inf',
      edits: mistakes.zerosForMask,
    },
    {
      id: 'mask-after-softmax',
      says: 'weights are set to 0 after softmax: the rest of a row no longer adds up to 1',
      edits: mistakes.maskAfterSoftmax,
    },
    {
      id: 'mask-turned',
      says: 'the mask is turned over: it hides the past and shows the future',
      edits: mistakes.maskTurned,
    },
    // The first row sees nothing: plain softmax gives NaN in that row, PyTorch's gives zeros.
    {
      ...hidesItself,
      edits: (of) => [
        ...mistakes.hidesItself(of),
        make('most', 'max', ['masked'], along(-1)),
        make('nothing', 'subtract', ['most', 'most']),
        make('broken', 'add', ['weights', 'nothing']),
        { rewire: 'output', input: 'a', to: 'broken' },
      ],
    },
    { ...hidesItself, edits: mistakes.hidesItself },
    ...scaling,
    ...weighting('masked'),
    exchanged(rankOfQueries),
    keysForValues('output'),
  ],
};
