// Attention and its backward pass step by step, with the usual mistakes, without the words of an exercise: the page uses them,
// too.
import { graph, type Calls, type Graph, type GraphEdit, type Value } from '../../graph/index.js';
import { along, make, shapesOf, type ExerciseCase } from './exercise.js';

/** The order of axes that swaps the last two. */
export const turned = (rank: number): number[] => [
  ...Array.from({ length: rank - 2 }, (_, axis) => axis),
  ...[rank - 1, rank - 2],
];

/** Every step from queries, of this shape, and keys to scores. */
export function steps(c: Calls, q: Value, k: Value, shape: readonly number[]) {
  const keys = c.transpose(k, turned(shape.length));
  const product = c.matmul(q, keys);
  const width = c.number(shape.at(-1)!);
  const root = c.sqrt(width);
  return { keys, product, width, root, scores: c.divide(product, root) };
}

/** Edits that exchange queries and keys of that rank. */
export const exchanging = (rank: number): readonly GraphEdit[] => [
  make('other', 'transpose', ['product'], { axes: turned(rank) }),
  { rewire: 'scores', input: 'x', to: 'other' },
];

/** Edits by which `blend`, the product of weights and values, reads the keys instead of the values. */
export const blendingKeys = (blend: string): readonly GraphEdit[] => [
  { rewire: blend, input: 'b', to: 'K' },
];

/** The numbers of queries and keys. */
const lengths = ({ inputs }: ExerciseCase) =>
  [inputs.Q!, inputs.K!].map(({ shape }) => shape.at(-2)!) as [number, number];

/** Adds `seen`, the tokens up to each, and `later`, its transpose. */
const triangles = (of: ExerciseCase): readonly GraphEdit[] => [
  make('seen', 'tri', [], { rows: Math.max(...lengths(of)) }),
  make('later', 'transpose', ['seen'], { axes: [1, 0] }),
];

/** Edits that let queries see the keys where this square is 1. */
function showing(square: string, of: ExerciseCase): readonly GraphEdit[] {
  const [queries, keys] = lengths(of);
  if (queries === keys) return [{ replace: 'masked', inputs: ['scores', square] }];
  return [
    make('of_queries', 'slice', [square], { stop: queries }),
    make('of_keys', 'slice', ['of_queries'], { axis: 1, stop: keys }),
    { replace: 'masked', inputs: ['scores', 'of_keys'] },
  ];
}

/** Gives every entry the same type. */
const named = <Name extends string>(
  all: Readonly<Record<Name, (of: ExerciseCase) => readonly GraphEdit[]>>,
) => all;

/**
 * Attention of Q, K and V, `[..., T, D]`, and its backward pass, with `d_output`: the right graphs, and common mistakes as
 * edits. Mistakes of a mask edit a graph whose weights read `masked`, which reads `scores`.
 */
export const attentionSteps = {
  /** The graph of `keys`, `product`, `width`, `root`, `scores`, `weights` and `output`. */
  forward: (of: ExerciseCase): Graph =>
    graph(shapesOf(of), ({ Q, K, V }, c) => {
      const made = steps(c, Q!, K!, of.inputs.Q!.shape);
      const weights = c.softmax(made.scores);
      return { ...made, weights, output: c.matmul(weights, V!) };
    }),
  /**
   * The graph of the same up to `weights`, and of the gradients from there back to `d_Q`, `d_K` and
   * `d_V`.
   */
  backward: (of: ExerciseCase): Graph =>
    graph(shapesOf(of), ({ Q, K, V, d_output }, c) => {
      const { shape } = of.inputs.Q!;
      const swap = turned(shape.length);
      const { root, ...made } = steps(c, Q!, K!, shape);
      const weights = c.softmax(made.scores);
      const weightsT = c.transpose(weights, swap);
      const d_V = c.matmul(weightsT, d_output!);
      const d_weights = c.matmul(d_output!, c.transpose(V!, swap));
      const share = c.sum(c.multiply(weights, d_weights), along(-1));
      const apart = c.subtract(d_weights, share);
      const d_scores = c.multiply(weights, apart);
      const d_product = c.divide(d_scores, root);
      const d_Q = c.matmul(d_product, K!);
      const d_K = c.matmul(c.transpose(d_product, swap), Q!);
      return {
        ...{ ...made, root, weights, weightsT, d_V, d_weights, share, apart },
        ...{ d_scores, d_product, d_Q, d_K },
      };
    }),
  /** Edits by the names of mistakes. */
  mistakes: named({
    noScale: () => [{ remove: 'scores' }],
    scaleByWidth: () => [{ remove: 'root' }],
    timesRoot: () => [{ replace: 'scores', operation: 'multiply' }],
    softmaxOverQueries: () => [{ replace: 'weights', options: { axis: -2 } }],
    noSoftmax: () => [{ remove: 'weights' }],
    swappedQK: ({ inputs }) => exchanging(inputs.Q!.shape.length),
    keysForValues: () => blendingKeys('output'),
    noMask: () => [{ remove: 'masked' }],
    zerosForMask: () => [{ replace: 'masked', options: { hidden: 0 } }],
    maskAfterSoftmax: () => [
      make('left', 'mask', ['weights'], { hidden: 0 }),
      { rewire: 'output', input: 'a', to: 'left' },
      { remove: 'masked' },
    ],
    maskTurned: (of) => [...triangles(of), ...showing('later', of)],
    hidesItself: (of) => [
      ...triangles(of),
      make('diagonal', 'multiply', ['seen', 'later']),
      make('before', 'subtract', ['seen', 'diagonal']),
      ...showing('before', of),
    ],
    backwardNoScale: () => [{ remove: 'd_product' }],
    jacobianNoSum: () => [{ remove: 'apart' }],
    jacobianNone: () => [{ remove: 'd_scores', instead: 'd_weights' }],
    backwardTransposed: () => [{ rewire: 'd_V', input: 'a', to: 'weights' }],
  }),
};
