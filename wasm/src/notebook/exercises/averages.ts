import { graph } from '../../graph/index.js';
import {
  along,
  make,
  normal,
  shapesOf,
  type Exercise,
  type ExerciseCase,
  type Mistake,
} from './exercise.js';

/** Mistakes in weights that are `seen` divided by `counts`. */
const weighing: readonly Mistake[] = [
  {
    id: 'sum',
    says: 'the rows are added up, and never divided by how many they are',
    edits: () => [{ remove: 'weights' }],
  },
  {
    id: 'future',
    says: 'each row is the mean of all rows, those after it included',
    edits: () => [
      make('none', 'number', [], { value: 0 }),
      make('all', 'power', ['seen', 'none']),
      { rewire: 'counts', input: 'x', to: 'all' },
      { rewire: 'weights', input: 'x', to: 'all' },
    ],
  },
  {
    id: 'divisor',
    says: 'the sum is divided by T, whatever the row; row t has t + 1 rows to see',
    edits: ({ inputs }) => [
      {
        replace: 'counts',
        operation: 'number',
        inputs: [],
        options: { value: inputs.x!.shape[1]! },
      },
    ],
  },
  {
    id: 'columns',
    says: 'the columns of the triangular matrix are divided by their sums, not its rows',
    edits: () => [{ replace: 'counts', options: along(0) }],
  },
];

/** The average of the past, the first step to attention. */
export const average: Exercise = {
  id: 'average',
  title: 'The average of the past',
  task: 'x has the shape [B, T, C]. Return an array of that shape, in which row t is the mean of the rows 0 to t of x, in each of the B sequences.',
  skeleton: `import numpy as np

def average(x):
    B, T, C = x.shape
    y = np.zeros((B, T, C))
    for b in range(B):
        for t in range(T):
            pass  # y[b, t] = ...
    return y
`,
  hints: [
    'Row t sees t + 1 rows: its own and those before.',
    'In NumPy `x[b, :t + 1]` are these rows, and `mean(axis=0)` is taken down the rows.',
    'Without loops: a triangular matrix of ones, each row divided by its sum, times x.',
  ],
  name: 'average',
  parameters: ['x'],
  results: ['y'],
  cases: [
    normal('2 sequences of 4 rows', { x: [2, 4, 3] }),
    normal('1 sequence of 1 row', { x: [1, 1, 2] }),
    normal('3 sequences of 7 rows', { x: [3, 7, 1] }),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ x }, c) => {
      const T = of.inputs.x!.shape[1]!;
      const seen = c.tri(T);
      const counts = c.sum(seen, along(-1));
      const weights = c.divide(seen, counts);
      return { seen, counts, weights, y: c.matmul(weights, x!) };
    }),
  mistakes: [...weighing],
};

const sized = (name: string, B: number, T: number, C: number) => normal(name, { x: [B, T, C] });
const cases = [
  sized('2 sequences of 4 rows', 2, 4, 3),
  sized('1 sequence of 1 row', 1, 1, 2),
  sized('3 sequences of 7 rows', 3, 7, 1),
];
const lengthOf = ({ inputs }: ExerciseCase) => inputs.x!.shape[1]!;
const hidesItself = {
  id: 'hides-itself',
  says: 'a row does not see itself, and the first sees nothing: the diagonal belongs to what is seen',
};
/** The tokens before each row, without itself, as `before`. */
const withoutItself = [
  make('later', 'transpose', ['seen'], { axes: [1, 0] }),
  make('diagonal', 'multiply', ['seen', 'later']),
  make('before', 'subtract', ['seen', 'diagonal']),
];

/** The same average, as a product of matrices. */
export const triangle: Exercise = {
  id: 'triangle',
  title: 'By a triangular matrix',
  task: 'As the average of the past, without a loop: make the matrix of weights [T, T], in which row t has the share of each row of x in the average t, and multiply. Return the weights and the averages.',
  skeleton: `import numpy as np

def triangle_average(x):
    T = x.shape[1]
    pass  # return weights, weights @ x
`,
  hints: [
    'A product of matrices adds up rows: row t of the weights says how much of each.',
    '`np.tril(np.ones((T, T)))` has ones where row t looks: at itself and what is before.',
    'Divide each row by its sum: `sum(axis=-1, keepdims=True)`.',
  ],
  name: 'triangle_average',
  parameters: ['x'],
  results: ['weights', 'y'],
  cases,
  graph: average.graph,
  mistakes: [
    ...weighing,
    {
      id: 'turned',
      says: 'the triangle is turned over: each row sees itself and those after it',
      edits: () => [
        make('later', 'transpose', ['seen'], { axes: [1, 0] }),
        { rewire: 'counts', input: 'x', to: 'later' },
        { rewire: 'weights', input: 'x', to: 'later' },
      ],
    },
    {
      ...hidesItself,
      edits: () => [
        ...withoutItself,
        { rewire: 'counts', input: 'x', to: 'before' },
        { rewire: 'weights', input: 'x', to: 'before' },
      ],
    },
  ],
};

/** The same average, by the softmax of scores that are 0 or hidden. */
export const softmaxOfMask: Exercise = {
  id: 'softmax-of-mask',
  title: 'By the softmax of a mask',
  task: 'The same weights once more: begin with scores [T, T] of 0, hide what comes later with -inf, and let softmax make the weights. Return the weights and the averages of x, which has the shape [B, T, C].',
  skeleton: `import numpy as np

def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def softmax_average(x):
    T = x.shape[1]
    pass  # return weights, weights @ x
`,
  hints: [
    'e^0 = 1 and e^-inf = 0: softmax of such a row is ones and noughts, divided by how many ones there are.',
    'Row t has 0 in the places 0 to t, and -inf behind.',
    '`np.triu(np.full((T, T), -np.inf), 1)` is 0 up to the diagonal and -inf above it.',
  ],
  name: 'softmax_average',
  parameters: ['x'],
  results: ['weights', 'y'],
  cases,
  graph: (of) =>
    graph(shapesOf(of), ({ x }, c) => {
      const seen = c.tri(lengthOf(of));
      const scores = c.subtract(seen, seen);
      const masked = c.mask(scores);
      const weights = c.softmax(masked);
      return { seen, scores, masked, weights, y: c.matmul(weights, x!) };
    }),
  mistakes: [
    {
      id: 'no-mask',
      says: 'nothing is hidden: each row is the mean of all rows',
      edits: () => [{ remove: 'masked' }],
    },
    {
      id: 'mask-of-zeros',
      says: 'hidden scores are 0, and e^0 = 1 is a weight; they must be -inf',
      edits: () => [{ rewire: 'weights', input: 'x', to: 'seen' }],
    },
    {
      id: 'mask-after-softmax',
      says: 'weights are set to 0 after softmax: the rest of a row no longer adds up to 1',
      edits: () => [
        make('shares', 'softmax', ['scores']),
        { replace: 'weights', operation: 'mask', inputs: ['shares'], options: { hidden: 0 } },
      ],
    },
    {
      id: 'mask-turned',
      says: 'the mask is turned over: it hides the past and shows the future',
      edits: () => [
        make('later', 'transpose', ['seen'], { axes: [1, 0] }),
        { replace: 'masked', inputs: ['scores', 'later'] },
      ],
    },
    {
      id: 'columns',
      says: 'softmax runs down the columns: the weights of a row belong together',
      edits: () => [{ replace: 'weights', options: { axis: -2 } }],
    },
    // The first row sees nothing: plain softmax gives NaN in that row, PyTorch's gives zeros.
    {
      ...hidesItself,
      edits: () => [
        ...withoutItself,
        { replace: 'masked', inputs: ['scores', 'before'] },
        make('shares', 'softmax', ['masked']),
        make('most', 'max', ['masked'], along(-1)),
        make('nothing', 'subtract', ['most', 'most']),
        { replace: 'weights', operation: 'add', inputs: ['shares', 'nothing'], options: {} },
      ],
    },
    {
      ...hidesItself,
      edits: () => [...withoutItself, { replace: 'masked', inputs: ['scores', 'before'] }],
    },
  ],
};
