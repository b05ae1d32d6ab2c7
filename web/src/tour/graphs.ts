// The computation of the story: a hand-written head that finds the word after an earlier occurrence of the last word. A
// previous head has noted at each position the word before it. Rows of a Hadamard matrix represent the words: two
// different ones are orthogonal.
import { graph } from 'tril/graph';
import { inText } from '../figures/format';
import { GraphScene, tensorOf, type Shown } from '../figures/graph';
import { numerals } from '../figures/matrix';
import { letter, word, wordAxis } from '../figures/scene';
import type { NodeValues } from '../compute/worker/lessons/graph';
import { mostPull, sentence, type TourState } from '../state/tour';
import text from '$texts/tour.yaml';

/** Number of elements on a card. */
export const width = 8;
export const vocabulary = [...new Set(sentence)];
const ids = sentence.map((one) => vocabulary.indexOf(one));
export const last = sentence.length - 1;
/** The earlier occurrence of the last word, and the word after it: the answer. */
export const like = sentence.lastIndexOf(sentence[last], last - 1);
export const answer = like + 1;

/** Element (i, j) of a Hadamard matrix in Sylvester's order: 1 or -1. */
const hadamard = (i: number, j: number): number => {
  const bits = [...(i & j).toString(2)].filter((bit) => bit === '1').length;
  return bits % 2 === 0 ? 1 : -1;
};
const square = (of: (row: number, col: number) => number, rows: number, cols: number) =>
  tensorOf(
    Array.from({ length: rows * cols }, (_, i) => of(Math.floor(i / cols), i % cols)),
    cols,
  );

/**
 * The embedding table, the word at each position as one-hot rows, and the mask of the previous head: each position sees
 * the one before.
 */
const table = square((row, col) => hadamard(row + 1, col), vocabulary.length, width);
const words = square((row, col) => Number(ids[row] === col), ids.length, vocabulary.length);
const seen = square((row, col) => Number(col === row - 1), ids.length, ids.length);

export const story = graph(
  {
    ids: ['T'],
    table: ['V', 'D'],
    seen: ['T', 'T'],
    words: ['T', 'V'],
    pulls: [1, 'T'],
    strict: [1],
  },
  ({ ids, table, seen, words, pulls, strict }, c) => {
    const shares = c.softmax(pulls);
    const even = c.matmul(shares, words);
    const x = c.embedding(ids, table);
    const before = c.attention(x, x, x, seen);
    const q = c.multiply(strict, c.take(x, { indices: [last] }));
    const products = c.multiply(q, before);
    const scores = c.matmul(q, c.transpose(before));
    const scaled = c.divide(scores, c.sqrt(c.number('D')));
    const lengths = c.exp(scaled);
    const all = c.sum(lengths);
    const weights = c.softmax(scaled);
    const blend = c.matmul(weights, x);
    const chances = c.matmul(weights, words);
    return {
      ...{ shares, even, x, before, q, products, scores, scaled },
      ...{ lengths, all, weights, blend, chances },
    };
  },
);

export const inputsOf = ({ pulls, strict }: Pick<TourState, 'pulls' | 'strict'>): NodeValues => ({
  ids: { shape: [ids.length], data: Float32Array.from(ids) },
  ...{ table, words, seen },
  pulls: tensorOf(
    pulls.map((pull) => Math.min(mostPull, Math.max(-mostPull, pull))),
    pulls.length,
  ),
  strict: { shape: [1], data: Float32Array.of(strict) },
});

/** The elements of a node, row by row. */
export const numbersOf = (values: NodeValues, node: string): number[] =>
  Array.from(values[node].data);

export type StoryId = 'q' | 'before' | 'scores' | 'weights';

/** The explanations on touch. */
export function sceneOf(values: NodeValues): GraphScene<StoryId> {
  const { axes, why } = text;
  const keys = wordAxis(sentence, axes.key);
  const query = wordAxis([sentence[last]], axes.query, keys.names.slice(last));
  const entries = numerals(width, axes.entry);
  const shown: Record<StoryId, Shown> = {
    q: {
      look: { role: 'q', symbol: letter('q'), rows: query, cols: entries, titled: false },
      note: why.query,
    },
    before: {
      look: { role: 'k', symbol: letter('K'), rows: keys, cols: entries, titled: false },
      note: why.key,
    },
    scores: {
      look: { role: 'score', symbol: letter('s'), rows: query, cols: keys, titled: false },
      note: () => why.score({ strict: inText(Math.abs(values.q.data[0])) }),
    },
    weights: {
      look: {
        ...({ role: 'weight', symbol: word(axes.share), kind: 'weights' } as const),
        ...{ rows: query, cols: keys, titled: false },
      },
      note: ({ col }) => why.share({ score: inText(values.scores.data[col]) }),
    },
  };
  return new GraphScene({ graph: story, values, shown });
}
