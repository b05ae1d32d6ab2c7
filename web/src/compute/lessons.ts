// What the chapters "Multiply" and "Average" show, on the core. There is no arithmetic here.
import { averageMethods, type Tensor, type TracedMethod, type Tril } from 'tril';
import type { AverageOutcome, Kind, Lessons, MemoryShape, MemoryTotals } from './lesson-protocol';
import type { MatrixData } from './protocol';

type Answers = {
  readonly [K in Kind]: (tril: Tril, ask: Lessons[K]['ask']) => Lessons[K]['answer'];
};

function upload(tril: Tril, { rows, cols, data }: MatrixData): Tensor {
  return tril.tensor([rows, cols], data);
}

function download(tensor: Tensor): MatrixData {
  const [rows, cols] = tensor.shape.slice(-2);
  return { rows, cols, data: tensor.read() };
}

/** The matrices along the first axis. */
function stack(tensor: Tensor): MatrixData[] {
  const [count, rows, cols] = tensor.shape;
  const data = tensor.read();
  const size = rows * cols;
  return Array.from({ length: count }, (_, i) => ({
    rows,
    cols,
    data: data.slice(i * size, (i + 1) * size),
  }));
}

function trace(tril: Tril, order: TracedMethod, shape: MemoryShape) {
  const zeros = tril.zeros([shape.n, shape.n]);
  const options = {
    method: order,
    block: shape.block,
    cache: { lineBytes: 4 * shape.lineFloats, ways: shape.lines },
  };
  const { count, accesses, lines, misses } = tril.traceProduct(zeros, zeros, options);
  const totals: MemoryTotals = {
    order,
    accesses: count,
    misses: misses.slice(-3).reduce((sum, one) => sum + one),
    expected: tril.expectedMisses(shape.n, options),
  };
  return { totals, steps: accesses, held: lines, missed: misses };
}

/** Largest distance between the numbers of two tensors of one shape: [1, -1] times both, row by row. */
function apart(tril: Tril, one: Tensor, other: Tensor): number {
  const both = tril.tensor(
    [2, one.read().length],
    [one, other].flatMap((tensor) => Array.from(tensor.read())),
  );
  const difference = tril.matmul(tril.tensor([[1, -1]]), both).read();
  return Math.max(...difference.map(Math.abs));
}

function averages(tril: Tril, { x, sum, hidden }: Lessons['average']['ask']): AverageOutcome[] {
  const { rows, cols } = x[0];
  const data = x.flatMap((matrix) => Array.from(matrix.data));
  const batch = tril.tensor([x.length, rows, cols], data);
  const loops = tril.runningAverage(batch, { method: 'loops', sum });
  return averageMethods
    .filter((method) => !(sum && method === 'softmax'))
    .map((method) => {
      const options = method === 'softmax' ? { method, hidden } : { method, sum };
      const { output, mask, weights } = tril.runningAverage(batch, options);
      return {
        method,
        output: stack(output),
        mask: mask ? download(mask) : null,
        weights: weights ? download(weights) : null,
        apart: apart(tril, output, loops.output),
      };
    });
}

const answers: Answers = {
  reading(tril, { a, b, reading }) {
    const { output, partial } = tril.readProduct(upload(tril, a), upload(tril, b), { reading });
    return { output: download(output), partial: stack(partial) };
  },

  memory(tril, { order, shape }) {
    const { totals, ...followed } = trace(tril, order, shape);
    return { ...totals, shape, ...followed };
  },

  totals: (tril, { orders, shape }) =>
    orders.map((order) => tril.scope(() => trace(tril, order, shape).totals)),

  strassen(tril, { a, b }) {
    const { output, left, right, products } = tril.strassenLevel(upload(tril, a), upload(tril, b));
    return {
      output: download(output),
      left: stack(left),
      right: stack(right),
      products: stack(products),
      signs: tril.strassenSigns(),
    };
  },

  errors(tril, { n, seed }) {
    const a = tril.randomNormal([n, n], { seed });
    const b = tril.randomNormal([n, n], { seed: seed + 1 });
    return [0, 1, 2].map((levels) => {
      const { error, largest, rms } = tril.productError(a, b, { method: 'strassen', levels });
      return { method: 'strassen', levels, error: download(error), largest, rms };
    });
  },

  average: averages,

  series(tril, { values, weights, free }) {
    const given = tril.tensor([1, weights.length], [...weights]);
    const shares = free ? given : tril.softmax(given);
    const column = tril.tensor([values.length, 1], [...values]);
    const ones = tril.tensor(
      [values.length, 1],
      values.map(() => 1),
    );
    const [blend] = tril.matmul(shares, column).read();
    const [sum] = tril.matmul(shares, ones).read();
    const series = tril.tensor([1, values.length, 1], [...values]);
    const { output } = tril.runningAverage(series);
    return { weights: download(shares), sum, blend, averages: download(output) };
  },
};

export function answer<K extends Kind>(tril: Tril, kind: K, ask: Lessons[K]['ask']) {
  return tril.scope(() => answers[kind](tril, ask));
}
