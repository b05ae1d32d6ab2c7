import { graph } from '../../graph/index.js';
import { along, normal, scaled, shapesOf, type Exercise } from './exercise.js';

const plain = normal('5 rows of 4', { z: [5, 4] });

/**
 * Mistakes in both ways of writing it: with the largest entry of a row, and with the summands of
 * the sum.
 */
const columns = { id: 'columns', says: 'the sum runs down the columns, not along the rows' };
const all = { id: 'all', says: 'the sum is that of all entries, not of each row' };

/** Softmax that neither overflows nor mixes up its axes. */
export const softmax: Exercise = {
  id: 'softmax',
  title: 'Softmax that holds',
  task: 'z has any number of axes. Return e^z divided by its sum along the last axis, also where e^z is too large for a number.',
  skeleton: `import numpy as np

def softmax(z):
    pass
`,
  hints: [
    'A number that is taken off every entry of a row does not change its softmax.',
    'Take the row’s largest entry off first: then nothing is above e^0 = 1.',
    '`keepdims=True` keeps the axis, so that a row’s number meets the entries of that row.',
  ],
  name: 'softmax',
  parameters: ['z'],
  results: ['p'],
  cases: [
    plain,
    normal('square', { z: [4, 4] }),
    normal('a batch', { z: [2, 3, 5] }),
    scaled('large numbers', plain, 300),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ z }, c) => {
      const most = c.max(z!, along(-1));
      const shifted = c.subtract(z!, most);
      const e = c.exp(shifted);
      const total = c.sum(e, along(-1));
      return { most, shifted, e, total, p: c.divide(e, total) };
    }),
  mistakes: [
    {
      id: 'overflow',
      says: 'the largest entry of a row is not taken off: e^z overflows where numbers are large',
      edits: () => [{ remove: 'shifted' }],
    },
    {
      ...columns,
      edits: () => [
        { replace: 'most', options: along(-2) },
        { replace: 'total', options: along(-2) },
      ],
    },
    {
      ...columns,
      edits: () => [{ replace: 'total', options: along(-2) }],
    },
    {
      id: 'largest-of-columns',
      says: 'the largest entry of each column is taken off, not that of each row: that changes the result',
      edits: () => [{ replace: 'most', options: along(-2) }],
    },
    {
      ...all,
      edits: () => [{ replace: 'total', options: {} }],
    },
    {
      ...all,
      edits: () => [
        { replace: 'most', options: {} },
        { replace: 'total', options: {} },
      ],
    },
    {
      id: 'no-sum',
      says: 'e^z is not divided by its sum: rows do not add up to 1',
      edits: () => [{ remove: 'p' }],
    },
    {
      id: 'no-exp',
      says: 'numbers are divided by their sum as they are, without e^z',
      edits: () => [{ remove: 'e' }, { remove: 'shifted' }],
    },
  ],
};
