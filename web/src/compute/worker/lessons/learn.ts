// The answers of chapter "Learn" about one step, computed by the core: a head, its loss, the gradient of every
// intermediate number, the true effect of nudging one, and steps against the gradient. There is no arithmetic here.
import type { Tensor, Tril } from 'tril';
import { edit, run, shapes } from 'tril/graph';
import type { Answers } from '../answers';
import { comes, headGraph, stepGraph } from '../../shared/handmade/learn-graph';
import { beginning, gradientOf, ids, targets, x } from '../../shared/handmade/learn-head';
import type { StageId, WeightId } from '../../shared/handmade/learn-head';
import { small } from '../../shared/handmade/learn-nudges';
import { allNumbers, type NodeValues } from './graph';
import { costOfGraph } from '../../shared/lessons/graph-cost';
import { upload } from '../../shared/lessons/matrices';
import type { Call } from './timed';

/** Origin of the weights: `steps` steps against the gradient, each `rate` times as long as it. */
export interface Trained {
  readonly rate: number;
  readonly steps: number;
}

/** One number of a stage. */
interface Nudged {
  readonly stage: StageId;
  readonly row: number;
  readonly col: number;
}

export interface StepResult {
  /** Values of the graph of a step: all numbers of the head, and their gradients. */
  readonly values: NodeValues;
  /** The mean of the surprises at the right words. */
  readonly loss: number;
  /** The losses before each step, and after the last. */
  readonly losses: readonly number[];
}

interface NudgeResult {
  /** The loss for each of the requested nudges, and the gradient's straight line there. */
  readonly losses: readonly number[];
  readonly line: readonly number[];
  readonly gradient: number;
  /** (loss after a small nudge up - loss after one down) / twice the nudge. */
  readonly difference: number;
  /** The distance of the two, divided by the magnitude of the gradient. */
  readonly apart: number;
}

export interface LearnLessons {
  step: { ask: Trained; answer: StepResult };
  nudge: {
    ask: Trained & { readonly cell: Nudged; readonly nudges: readonly number[] };
    answer: NudgeResult;
  };
}

type Weights = Readonly<Record<WeightId, Tensor>>;

const width = beginning.wq.rows;
const lossOf = (tril: Tril, output: Tensor) => tril.crossEntropy(output, [...targets]).loss;

function trained(tril: Tril, { rate, steps }: Trained) {
  const given = { x: upload(tril, x), right: tril.tensor(comes), rate: tril.tensor([rate]) };
  const first = (id: WeightId) => upload(tril, beginning[id]);
  let weights: Weights = { wq: first('wq'), wk: first('wk'), wv: first('wv') };
  const losses: number[] = [];
  for (let step = 0; ; ++step) {
    const made = run(tril, stepGraph, { ...given, ...weights });
    const loss = lossOf(tril, made.output);
    losses.push(loss);
    if (step === steps) return { weights, made, loss, losses };
    weights = { wq: made.nextwq, wk: made.nextwk, wv: made.nextwv };
  }
}

/** One step: forward, backward, and the weights after it. */
export const stepCall: Call<Record<string, never>> = (tril) => ({
  cost: costOfGraph(stepGraph, { T: ids.length, C: x.cols, D: width, V: beginning.wv.rows }),
  prepare: () => () => trained(tril, { rate: 1, steps: 0 }).made,
});

export const learnAnswers: Answers<LearnLessons, Tril> = {
  step(tril, ask) {
    const { made, loss, losses } = trained(tril, ask);
    return { values: allNumbers(made), loss, losses };
  },

  nudge(tril, { cell: { stage, row, col }, nudges, ...ask }) {
    const { weights, made, loss } = trained(tril, ask);
    const { shape } = made[stage];
    const place = row * shape[1] + col;
    const one = made[stage].read().map((_, i) => Number(i === place));
    const unit = tril.tensor([...shape], one);
    // The stage is an input, and all later stages are computed from it.
    const sizes = shapes(headGraph)[stage];
    const open = edit(headGraph, [
      { replace: stage, operation: 'input', inputs: [], options: { shape: sizes } },
    ]);
    const lossAt = (nudge: number) => {
      const other = tril.add(made[stage], tril.multiply(unit, nudge));
      return lossOf(tril, run(tril, open, { x: made.x, ...weights, [stage]: other }).output);
    };
    const number = (value: number) => tril.tensor([1], [value]);
    const gradient = number(made[gradientOf(stage)].read()[place]);
    const rise = tril.subtract(number(lossAt(small)), number(lossAt(-small)));
    const difference = tril.divide(rise, 2 * small);
    const line = tril.add(tril.multiply(tril.tensor([nudges.length], [...nudges]), gradient), loss);
    return {
      losses: nudges.map(lossAt),
      line: [...line.read()],
      gradient: gradient.read()[0],
      difference: difference.read()[0],
      apart: tril.compare(difference, gradient).maxRelative,
    };
  },
};
