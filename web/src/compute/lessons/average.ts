// How long what chapter "Average" shows takes. What it is are graphs of its own.
import type { Answers } from '../answers';
import type { Speed } from '../steady';
import { timed } from './timed';

export interface AverageLessons {
  /** Of weights times x, a batch of [rows, cols], with the weights given. */
  averageTime: {
    ask: { readonly batches: number; readonly rows: number; readonly cols: number };
    answer: Speed;
  };
  /** Milliseconds of softmax of so many scores, unless weights are given, and the blend. */
  seriesTime: { ask: { readonly length: number; readonly free: boolean }; answer: Speed };
}

export const averageAnswers: Answers<AverageLessons> = {
  averageTime(tril, { batches, rows, cols }) {
    const x = tril.randomNormal([batches, rows, cols], { seed: 1 });
    const { weights } = tril.runningAverage(x, { method: 'matrix' });
    const out = tril.zeros([batches, rows, cols]);
    const cost = tril.cost.matmul({ batches, rows, depth: rows, cols });
    return timed(tril, ['average', x.shape], cost, () => tril.matmul(weights!, x, { out }));
  },

  seriesTime(tril, { length, free }) {
    const scores = tril.randomNormal([1, length], { seed: 1 });
    const values = tril.randomNormal([length, 1], { seed: 2 });
    const product = tril.cost.matmul({ rows: 1, depth: length, cols: 1 });
    const cost = tril.cost.sum([tril.cost.softmax({ rows: 1, length }), product]);
    return timed(tril, ['series', length, free], free ? product : cost, () =>
      tril.matmul(free ? scores : tril.softmax(scores), values),
    );
  },
};
