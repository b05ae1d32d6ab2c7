import { graph } from '../../graph/index.js';
import {
  along,
  normal,
  shapesOf,
  softmaxCode,
  type Exercise,
  type ExerciseCase,
} from './exercise.js';
import { attentionSteps } from './steps.js';

const { mistakes } = attentionSteps;

/** The backward pass through softmax. */
export const softmaxBackward: Exercise = {
  id: 'softmax-backward',
  title: 'Back through softmax',
  task: 'p is softmax’s output along the last axis, and d_p the gradient of a loss by it. Return the gradient by softmax’s input.',
  skeleton: `import numpy as np

def softmax_backward(p, d_p):
    pass
`,
  hints: [
    'An entry of z changes all of its row of p: the row adds up to 1.',
    'd p_j / d z_i = p_j (1 if i = j else 0) - p_i p_j.',
    'Summed over j: p_i times (d_p_i minus the sum of p_j d_p_j).',
  ],
  name: 'softmax_backward',
  parameters: ['p', 'd_p'],
  results: ['d_z'],
  cases: [
    normal('5 rows of 4', { p: [5, 4], d_p: [5, 4] }),
    normal('square', { p: [4, 4], d_p: [4, 4] }),
    normal('a batch', { p: [2, 3, 5], d_p: [2, 3, 5] }),
  ],
  graph: (of) =>
    graph(shapesOf(of), ({ p, d_p }, c) => {
      const product = c.multiply(p!, d_p!);
      const mean = c.sum(product, along(-1));
      const apart = c.subtract(d_p!, mean);
      return { product, mean, apart, d_z: c.multiply(p!, apart) };
    }),
  mistakes: [
    {
      id: 'elementwise',
      says: 'entries are treated as if each stood alone: what the others of the row take is missing',
      edits: () => [{ remove: 'apart' }],
    },
    {
      id: 'sigmoid',
      says: 'p (1 - p) is the slope of one entry by itself; the others of its row change, too',
      edits: () => [{ replace: 'mean', operation: 'multiply', inputs: ['p', 'd_p'], options: {} }],
    },
    {
      id: 'columns',
      says: 'the sum runs down the columns, not along the rows',
      edits: () => [{ replace: 'mean', options: along(-2) }],
    },
    {
      id: 'all',
      says: 'the sum is that of all entries, not of each row',
      edits: () => [{ replace: 'mean', options: {} }],
    },
    {
      id: 'no-weight',
      says: 'the sum is that of d_p alone, without p',
      edits: () => [{ rewire: 'mean', input: 'x', to: 'd_p' }],
    },
    {
      id: 'no-output',
      says: 'the difference is not multiplied by p',
      edits: () => [{ remove: 'd_z', instead: 'apart' }],
    },
  ],
};

const back = (name: string, T: number, S: number, D: number, E: number): ExerciseCase =>
  normal(name, { Q: [T, D], K: [S, D], V: [S, E], d_output: [T, E] });

/** The backward pass through one head. */
export const attentionBackward: Exercise = {
  id: 'attention-backward',
  title: 'Back through attention',
  task: 'd_output is the gradient of a loss by softmax(Q K^T / sqrt(D)) V. Return the gradients by Q, K and V.',
  skeleton: `${softmaxCode}
def attention_backward(Q, K, V, d_output):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    pass  # return d_Q, d_K, d_V
`,
  hints: [
    'Of Y = A B the gradients are d_A = d_Y B^T and d_B = A^T d_Y.',
    'From d_weights to d_scores: weights times (d_weights minus the row’s sum of weights d_weights).',
    'Both d_Q and d_K are divided by the root of D, as the scores were.',
  ],
  name: 'attention_backward',
  parameters: ['Q', 'K', 'V', 'd_output'],
  results: ['d_Q', 'd_K', 'd_V'],
  cases: [back('5 tokens', 5, 5, 4, 4), back('3 queries, 4 keys', 3, 4, 2, 3)],
  graph: attentionSteps.backward,
  mistakes: [
    {
      id: 'no-scale',
      says: 'd_Q and d_K are not divided by the root of D',
      edits: mistakes.backwardNoScale,
    },
    {
      id: 'elementwise',
      says: 'softmax’s entries are treated as if each stood alone: the row’s sum is not taken off',
      edits: mistakes.jacobianNoSum,
    },
    {
      id: 'no-softmax',
      says: 'the backward pass leaves softmax out: d_weights is taken for d_scores',
      edits: mistakes.jacobianNone,
    },
    {
      id: 'not-transposed',
      says: 'the weights are not turned in d_V: it is weights^T d_output',
      edits: mistakes.backwardTransposed,
    },
  ],
};
