// What chapter "Average" shows, on the core. There is no arithmetic here.
import type { Cost } from 'tril';
import { averageMethods, type AverageMethod, type Tril } from 'tril';
import type { Answers } from '../answers';
import type { CostData, MatrixData } from '../protocol';
import type { Speed } from '../steady';
import { costData, download, stack } from './matrices';
import { apart } from './sums';
import { timed } from './timed';

export interface AverageOutcome {
  readonly method: AverageMethod;
  /** A batch of matrices [T, C]. */
  readonly output: readonly MatrixData[];
  readonly mask: MatrixData | null;
  readonly weights: MatrixData | null;
  /** Largest distance of its numbers from those by loops. */
  readonly apart: number;
}

interface SeriesResult {
  /** Softmax of the scores, or the weights as they were given, [1, T]. */
  readonly weights: MatrixData;
  readonly sum: number;
  /** Weights times the series. */
  readonly blend: number;
  readonly averages: MatrixData;
  /** Of softmax and the blend. */
  readonly cost: CostData;
}

/** Of running averages over a batch of x [rows, cols]. */
interface AverageSizes {
  readonly batches: number;
  readonly rows: number;
  readonly cols: number;
}

export interface AverageLessons {
  /** Of weights times x, with the weights given. */
  averageCost: { ask: AverageSizes; answer: CostData };
  averageTime: { ask: AverageSizes; answer: Speed };
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
  /** Milliseconds of softmax of so many scores, unless weights are given, and the blend. */
  seriesTime: { ask: { readonly length: number; readonly free: boolean }; answer: Speed };
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

const productCost = (
  { cost }: Tril,
  { batches, rows, cols }: AverageLessons['averageCost']['ask'],
): Cost => cost.matmul({ batches, rows, depth: rows, cols });

function blendCost({ cost }: Tril, length: number, free: boolean): Cost {
  const product = cost.matmul({ rows: 1, depth: length, cols: 1 });
  return free ? product : cost.sum([cost.softmax({ rows: 1, length }), product]);
}

export const averageAnswers: Answers<AverageLessons> = {
  averageCost: (tril, sizes) => costData(tril, productCost(tril, sizes)),

  averageTime(tril, sizes) {
    const { batches, rows, cols } = sizes;
    const x = tril.randomNormal([batches, rows, cols], { seed: 1 });
    const { weights } = tril.runningAverage(x, { method: 'matrix' });
    const out = tril.zeros([batches, rows, cols]);
    return timed(tril, ['average', x.shape], productCost(tril, sizes), () =>
      tril.matmul(weights!, x, { out }),
    );
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
    return {
      weights: download(shares),
      sum,
      blend,
      averages: download(output),
      cost: costData(tril, blendCost(tril, values.length, free)),
    };
  },

  seriesTime(tril, { length, free }) {
    const scores = tril.randomNormal([1, length], { seed: 1 });
    const values = tril.randomNormal([length, 1], { seed: 2 });
    return timed(tril, ['series', length, free], blendCost(tril, length, free), () =>
      tril.matmul(free ? scores : tril.softmax(scores), values),
    );
  },
};
