// The computations of the chapter: averages by three methods, and blends of a series.
import { graph, type Graph, type Value } from 'tril/graph';
import type { NodeValues } from '../../compute/worker/lessons/graph';
import { matrixOf, type Shown } from '../../figures/graph';
import { numerals } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import { letter, word } from '../../figures/scene';
import type { AverageCell } from '../../state/average';
import text from '$texts/average.yaml';

/** The methods, and the nodes of their results. */
export const ways = { loops: 'loops', matrix: 'matrix', softmax: 'by_softmax' } as const;
export type Way = keyof typeof ways;

/** Averages of a batch of sequences; `hidden` is the mask's value for hidden scores. Softmax cannot give sums. */
export const threeWays = (sum: boolean, hidden = -Infinity): Graph =>
  graph({ x: ['B', 'T', 'C'] }, ({ x }, c) => {
    const loops = c.runningAverage(x, { sum });
    /** Maximum difference between a result and that of the loops. */
    const apart = (y: Value) => {
      const distance = c.subtract(y, loops);
      return c.max(c.concatenate([distance, c.negate(distance)]));
    };
    const L = c.tri('T');
    const weights = sum ? L : c.divide(L, c.sum(L, { axis: -1, keepDims: true }));
    const matrix = c.matmul(weights, x);
    const first = { loops, L, ...(!sum && { weights }), matrix, apart_matrix: apart(matrix) };
    if (sum) return first;
    const M = c.mask(0, L, { hidden });
    const soft = c.softmax(M);
    const by_softmax = c.matmul(soft, x);
    return { ...first, M, soft, by_softmax, apart_by_softmax: apart(by_softmax) };
  });

/** The mask's value for hidden scores in such a graph. */
export const hiddenIn = ({ nodes }: Graph): unknown =>
  nodes.find(({ name }) => name === 'M')?.options.hidden;

/** Blends with the softmax weights of scores, and with free weights. */
export const blends = {
  softmax: graph({ scores: [1, 'T'], series: ['T', 1] }, ({ scores, series }, c) => {
    const weights = c.softmax(scores);
    const averages = c.runningAverage(series);
    return { weights, blend: c.matmul(weights, series), sum: c.sum(weights), averages };
  }),
  free: graph({ weights: [1, 'T'], series: ['T', 1] }, ({ weights, series }, c) => {
    const averages = c.runningAverage(series);
    return { blend: c.matmul(weights, series), sum: c.sum(weights), averages };
  }),
};

/** The appearance of one sequence's matrices, and the notes of their cells. */
export function shownOf(
  values: NodeValues,
  front: readonly number[],
): Partial<Record<AverageCell['matrix'], Shown>> {
  const { axes, symbols, why } = text;
  const [x, results] = [matrixOf(values, 'x', front), Object.values(ways)];
  const isSum = !values.M;
  const made = results.filter((node) => node in values);
  const end = scaleEnd(...['x', ...made].map((node) => matrixOf(values, node, front).data));
  const shared = { titled: true, cols: numerals(x.cols, axes.entry), end, shared: true };
  const [now, then] = [numerals(x.rows, axes.now), numerals(x.rows, axes.then)];
  const square = { titled: true, rows: now, cols: numerals(x.rows, axes.then) };
  const hidden = (row: number, col: number) => values.M?.data[row * x.rows + col] === -Infinity;
  const weight = {
    ...square,
    ...({ role: 'weight', symbol: word(symbols.weights), kind: 'weights' } as const),
  };
  const result = { ...shared, rows: now, role: 'v', symbol: letter(symbols.y) } as const;
  return {
    x: {
      look: { ...shared, rows: then, role: 'x', symbol: letter(symbols.x), editable: true },
      note: why.x,
    },
    loops: {
      look: result,
      note: ({ row }) => (isSum ? why.loopSum : why.loops({ terms: row + 1 })),
    },
    ones: {
      node: 'L',
      look: { ...square, role: 'x', symbol: letter(symbols.ones), kind: 'weights', whole: true },
      note: ({ row, col }) => (col <= row ? why.seen : why.later),
    },
    rows: {
      node: isSum ? 'L' : 'weights',
      look: weight,
      note: ({ row }) => (isSum ? why.sum : why.rows({ sum: row + 1 })),
    },
    matrix: { look: result, note: why.product },
    ...(!isSum && {
      mask: {
        node: 'M',
        look: { ...square, role: 'score', symbol: letter(symbols.mask), end: 8, hidden },
        note: ({ row, col }) => (col <= row ? why.seen : why.hides),
      },
      soft: { look: { ...weight, hidden }, note: why.softmax },
      softmax: { node: ways.softmax, look: result, note: why.product },
    }),
  };
}
