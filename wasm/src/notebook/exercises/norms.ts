import { graph } from '../../graph/index.js';
import { along, make, normal, scaled, shapesOf, type Exercise } from './exercise.js';

const plain = normal('4 rows of 6', { x: [4, 6], weight: [6], bias: [6] });

/** Layer norm, written out. */
export const layerNorm: Exercise = {
  id: 'layer-norm',
  title: 'Layer norm',
  task: 'Bring each row of x (its last axis) to mean 0 and variance 1, then multiply by weight and add bias. 1e-5 is added to the variance, so that a row of equal numbers is not divided by 0.',
  skeleton: `import numpy as np

def layer_norm(x, weight, bias):
    pass
`,
  hints: [
    'Mean and variance are of each row: `axis=-1`, with `keepdims=True`.',
    'The variance is the mean of the squared distances from the mean.',
    '(x - mean) / sqrt(variance + 1e-5) * weight + bias',
  ],
  name: 'layer_norm',
  parameters: ['x', 'weight', 'bias'],
  results: ['y'],
  cases: [
    plain,
    normal('square', { x: [5, 5], weight: [5], bias: [5] }),
    normal('a batch', { x: [2, 3, 4], weight: [4], bias: [4] }),
    scaled('numbers that hardly differ', plain, 0.002, ['x']),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ x, weight, bias }, c) => {
      const mean = c.mean(x!, along(-1));
      const apart = c.subtract(x!, mean);
      const square = c.multiply(apart, apart);
      const variance = c.mean(square, along(-1));
      const safe = c.add(variance, 1e-5);
      const deviation = c.sqrt(safe);
      const normed = c.divide(apart, deviation);
      const weighted = c.multiply(normed, weight!);
      const steps = { mean, apart, square, variance, safe, deviation, normed, weighted };
      return { ...steps, y: c.add(weighted, bias!) };
    }),
  mistakes: [
    {
      id: 'columns',
      says: 'mean and variance run down the columns: each row has its own',
      edits: () => [
        { replace: 'mean', options: along(-2) },
        { replace: 'variance', options: along(-2) },
      ],
    },
    {
      id: 'all',
      says: 'mean and variance are those of all numbers: each row has its own',
      edits: () => [
        { replace: 'mean', options: {} },
        { replace: 'variance', options: {} },
      ],
    },
    {
      id: 'variance',
      says: 'divided by the variance, not by its square root',
      edits: () => [{ remove: 'deviation' }],
    },
    {
      id: 'no-eps',
      says: 'nothing is added to the variance: rows that hardly differ are blown up',
      edits: () => [{ remove: 'safe' }],
    },
    {
      id: 'outer-eps',
      says: '1e-5 is added to the root, not to the variance below it',
      edits: () => [
        make('root', 'sqrt', ['variance']),
        make('eps', 'number', [], { value: 1e-5 }),
        { replace: 'deviation', operation: 'add', inputs: ['root', 'eps'], options: {} },
      ],
    },
    {
      id: 'sample-variance',
      says: 'the variance is divided by n - 1 (`ddof=1`, `unbiased=True`), not by n',
      edits: ({ inputs }) => {
        const n = inputs.weight!.shape[0]!;
        return [
          make('factor', 'number', [], { value: n / (n - 1) }),
          make('larger', 'multiply', ['variance', 'factor']),
          { rewire: 'safe', input: 'x', to: 'larger' },
        ];
      },
    },
    {
      id: 'no-mean',
      says: 'the mean is not taken off the numbers that are divided',
      edits: () => [{ rewire: 'normed', input: 'x', to: 'x' }],
    },
    { id: 'no-weight', says: 'weight is left out', edits: () => [{ remove: 'weighted' }] },
    { id: 'no-bias', says: 'bias is left out', edits: () => [{ remove: 'y' }] },
  ],
};
