// What chapter "Average" shows, on the core. There is no arithmetic here.
import { averageMethods, type AverageMethod, type Tensor, type Tril } from 'tril';
import type { Answers } from '../lesson-protocol';
import type { MatrixData } from '../protocol';
import { download, stack } from './matrices';

export interface AverageOutcome {
  readonly method: AverageMethod;
  /** A batch of matrices [T, C]. */
  readonly output: readonly MatrixData[];
  readonly mask: MatrixData | null;
  readonly weights: MatrixData | null;
  /** Largest distance of its numbers from those by loops. */
  readonly apart: number;
}

export interface SeriesResult {
  /** Softmax of the scores, or the weights as they were given, [1, T]. */
  readonly weights: MatrixData;
  readonly sum: number;
  /** Weights times the series. */
  readonly blend: number;
  readonly averages: MatrixData;
}

export interface AverageLessons {
  average: {
    ask: { readonly x: readonly MatrixData[]; readonly sum: boolean; readonly hidden: number };
    answer: readonly AverageOutcome[];
  };
  series: {
    ask: {
      readonly values: readonly number[];
      readonly weights: readonly number[];
      readonly free: boolean;
    };
    answer: SeriesResult;
  };
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

function averages(
  tril: Tril,
  { x, sum, hidden }: AverageLessons['average']['ask'],
): AverageOutcome[] {
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

export const averageAnswers: Answers<AverageLessons> = {
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
