// Running averages, y[t] = (x[0] + ... + x[t]) / (t + 1), and the triangle of ones that computes their sums as a
// product.
import { boolean, define, size } from '../operation.js';
import { constant, count, one, parseSize, plus, times, type Size } from '../sizes.js';
import { atom, product, put, signed, triangle, upTo, viewed } from './common.js';

/** Ones on and below the diagonal, zeros above. */
export const tri = define<{ rows: Size }>({
  takes: [],
  options: { rows: size() },
  then: 'rows',
  shape: (_, { rows }) => [parseSize('graph', 'rows', rows), parseSize('graph', 'rows', rows)],
  run: (tril, _, { output }) => triangle(tril, output),
  cells: () => [],
  why: () => '',
  gradient: () => [],
  numpy: (_, { output }) => `np.tri(${output[0]}, dtype=np.float32)`,
  pytorch: (_, { output }) => `torch.ones(${output.join(', ')}).tril()`,
  cpp: (_, { output: [rows] }, out) =>
    `for (Index n = 0; n < ${rows! * rows!}; ++n) ${out}.data()[n] = n % ${rows} <= n / ${rows};`,
  flops: () => constant(0),
  tex: (_, { options }) => `\\mathrm{tri}\\left(${options.rows}\\right)`,
});

/** The shape of a tensor for the core's call: batch, moments, columns. */
const stacked = (shape: readonly number[]): number[] => [
  product(shape.slice(0, -2)),
  ...shape.slice(-2),
];

/** The running average, with two loops along the second-to-last axis in programs. */
export const runningAverage = define<{ sum: boolean }>({
  takes: ['x'],
  options: { sum: boolean(false) },
  shape: ([x], _, fail) => {
    if (x!.length < 2) throw fail('x', 'must have at least two axes');
    return x!;
  },
  run: (tril, [x], { options, output }) =>
    tril.reshape(tril.runningAverage(tril.reshape(x!, stacked(output)), options).output, output),
  cells: (index) => upTo(index.at(-2)! + 1).map((row) => [[0, put(index, index.length - 2, row)]]),
  why: (terms, { options }, index) => {
    const added = terms.map(([number]) => signed(number!)).join(' + ');
    return options.sum ? added : `(${added}) / ${index.at(-2)! + 1}`;
  },
  gradient: (tril, d, { options, output }) => {
    const given = { method: 'matrix', ...options } as const;
    const { weights } = tril.runningAverage(tril.reshape(d, stacked(output)), given);
    return [tril.matmul(weights!, d, { transposeA: true })];
  },
  numpy: ([x], { options, output }) => averages('np', 'axis', x!, options.sum, output),
  pytorch: ([x], { options, output }) => averages('torch', 'dim', x!, options.sum, output),
  cpp: ([x], { options, output }, out) => {
    const [from, to] = [x!, out].map((name) => viewed(name, stacked(output)));
    return `running_average(${from}, {.sum = ${options.sum}}, ${to});`;
  },
  // Row t takes t + 1 additions, and an average one division per element.
  flops: ({ options, output }) =>
    plus(
      times(constant(0.5), count(output), plus(output.at(-2)!, one)),
      options.sum ? constant(0) : count(output),
    ),
  tex: ([x], { options }) => `${options.sum ? '' : '\\tfrac{1}{t} '}\\sum_{s \\le t} ${x}_s`,
});

function averages(
  library: string,
  axis: string,
  x: string,
  sum: boolean,
  output: readonly number[],
): string {
  const row = `${atom(x)}[..., :t + 1, :].${sum ? 'sum' : 'mean'}(${axis}=-2)`;
  return `${library}.stack([${row} for t in range(${output.at(-2)})], ${axis}=-2)`;
}
