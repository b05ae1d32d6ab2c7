import { graph } from '../../graph/index.js';
import { along, make, normal, shapesOf, type Exercise } from './exercise.js';

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
  mistakes: [
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
  ],
};
