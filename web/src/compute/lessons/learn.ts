// What chapter "Learn" shows of one step, on the core: a head, its loss, the gradient of every number on the way, what
// nudging one really does, and steps against the gradient. There is no arithmetic here.
import type { Tensor, Tril } from 'tril';
import type { Answers } from '../answers';
import {
  beginning,
  ids,
  stageIds,
  targets,
  x as given,
  type StageId,
  type WeightId,
} from '../handmade/learn-head';
import { small } from '../handmade/learn-nudges';
import type { CostData, MatrixData } from '../protocol';
import type { Speed } from '../steady';
import { costData, download, upload } from './matrices';
import { timed } from './timed';

type Stages = Readonly<Record<StageId, MatrixData>>;

/** How the weights have come about: so many steps, each against the gradient, as long as `rate` times that. */
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
  readonly x: MatrixData;
  readonly stages: Stages;
  readonly gradients: Stages;
  /** Softmax of the output: what it says. */
  readonly said: MatrixData;
  /** At each place, [T, 1]: the surprise at the right word. The loss is their mean. */
  readonly surprises: MatrixData;
  readonly loss: number;
  /** Before each step, and after the last. */
  readonly losses: readonly number[];
  /** Of both ways. */
  readonly cost: CostData;
}

interface NudgeResult {
  /** The loss for each of the nudges that were asked for, and the gradient's straight line there. */
  readonly losses: readonly number[];
  readonly line: readonly number[];
  readonly gradient: number;
  /** (loss after a small nudge up - loss after one down) / twice the nudge. */
  readonly difference: number;
  /** The distance of the two over the size of the gradient. */
  readonly apart: number;
}

export interface LearnLessons {
  step: { ask: Trained; answer: StepResult };
  nudge: {
    ask: Trained & { readonly cell: Nudged; readonly nudges: readonly number[] };
    answer: NudgeResult;
  };
  /** Of forward, backward and the move. */
  stepTime: { ask: Record<string, never>; answer: Speed };
}

type Weights = Readonly<Record<WeightId, Tensor>>;
type Made = Readonly<Record<StageId, Tensor>>;

const width = beginning.wq.rows;
const transposed = { transposeB: true } as const;

/** The forward pass, with `other` in the place of one of its stages. */
function forward(tril: Tril, x: Tensor, weights: Weights, other: Partial<Made> = {}): Made {
  const { wq, wk, wv } = { ...weights, ...other };
  const q = other.q ?? tril.linear(x, wq);
  const k = other.k ?? tril.linear(x, wk);
  const v = other.v ?? tril.linear(x, wv);
  const scores = other.scores ?? tril.divide(tril.matmul(q, k, transposed), Math.sqrt(width));
  const mask = () => tril.mask.toTensor(tril.mask.causal(), [ids.length, ids.length]);
  const shares = other.weights ?? tril.softmax(tril.add(scores, mask()));
  const output = other.output ?? tril.matmul(shares, v);
  return { wq, wk, wv, q, k, v, scores, weights: shares, output };
}

/** The way back, stage by stage: each gradient is made of the one after it. */
function backward(tril: Tril, x: Tensor, made: Made): { loss: number; gradients: Made } {
  const { loss, dLogits: output } = tril.crossEntropy(made.output, [...targets], {
    gradient: true,
  });
  const weights = tril.matmul(output, made.v, transposed);
  const v = tril.matmul(made.weights, output, { transposeA: true });
  // Hidden weights are 0, and so is what comes back through them.
  const scores = tril.softmaxBackward(weights, made.weights);
  const root = Math.sqrt(width);
  const q = tril.divide(tril.matmul(scores, made.k), root);
  const k = tril.divide(tril.matmul(scores, made.q, { transposeA: true }), root);
  const of = (gradient: Tensor, weight: Tensor) => tril.linearBackward(gradient, x, weight).dWeight;
  const [wq, wk, wv] = [of(q, made.wq), of(k, made.wk), of(v, made.wv)];
  return { loss, gradients: { wq, wk, wv, q, k, v, scores, weights, output } };
}

function moved(tril: Tril, weights: Weights, gradients: Made, rate: number): Weights {
  const next = (id: WeightId) => tril.subtract(weights[id], tril.multiply(gradients[id], rate));
  return { wq: next('wq'), wk: next('wk'), wv: next('wv') };
}

function trained(tril: Tril, { rate, steps }: Trained) {
  const x = upload(tril, given);
  const first = (id: WeightId) => upload(tril, beginning[id]);
  let weights: Weights = { wq: first('wq'), wk: first('wk'), wv: first('wv') };
  const losses: number[] = [];
  for (let step = 0; ; ++step) {
    const made = forward(tril, x, weights);
    const { loss, gradients } = backward(tril, x, made);
    losses.push(loss);
    if (step === steps) return { x, weights, made, gradients, loss, losses };
    weights = moved(tril, weights, gradients, rate);
  }
}

const all = (tensors: Made): Stages =>
  Object.fromEntries(stageIds.map((id) => [id, download(tensors[id])])) as unknown as Stages;

function surprises(tril: Tril, output: Tensor): MatrixData {
  const data = output.read();
  const [rows, cols] = output.shape;
  const one = (row: number) => {
    const logits = tril.tensor([1, cols], data.slice(row * cols, (row + 1) * cols));
    return tril.crossEntropy(logits, [targets[row]]).loss;
  };
  return { rows, cols: 1, data: Float32Array.from(targets, (_, row) => one(row)) };
}

function cost(tril: Tril): CostData {
  const [tokens, inputs, outputs] = [ids.length, given.cols, beginning.wv.rows];
  const product = (rows: number, depth: number, cols: number) =>
    tril.cost.matmul({ rows, depth, cols });
  const softmax = tril.cost.softmax({ rows: tokens, length: tokens });
  const there = [
    ...[product(tokens, inputs, width), product(tokens, inputs, width)],
    ...[product(tokens, inputs, outputs), product(tokens, width, tokens), softmax],
    product(tokens, tokens, outputs),
  ];
  const back = [
    ...[product(tokens, outputs, tokens), product(tokens, tokens, outputs), softmax],
    ...[product(tokens, tokens, width), product(tokens, tokens, width)],
    ...[product(width, tokens, inputs), product(width, tokens, inputs)],
    product(outputs, tokens, inputs),
  ];
  return costData(tril, tril.cost.sum([...there, ...back]));
}

export const learnAnswers: Answers<LearnLessons, Tril> = {
  step(tril, ask) {
    const { x, made, gradients, loss, losses } = trained(tril, ask);
    return {
      x: download(x),
      stages: all(made),
      gradients: all(gradients),
      said: download(tril.softmax(made.output)),
      surprises: surprises(tril, made.output),
      loss,
      losses,
      cost: cost(tril),
    };
  },

  nudge(tril, { cell: { stage, row, col }, nudges, ...ask }) {
    const { x, weights, made, gradients, loss } = trained(tril, ask);
    const { shape } = made[stage];
    const place = row * shape[1] + col;
    const one = made[stage].read().map((_, i) => Number(i === place));
    const unit = tril.tensor([...shape], one);
    const lossAt = (nudge: number) => {
      const other = tril.add(made[stage], tril.multiply(unit, nudge));
      const { output } = forward(tril, x, weights, { ...made, ...after(stage), [stage]: other });
      return tril.crossEntropy(output, [...targets]).loss;
    };
    const number = (value: number) => tril.tensor([1], [value]);
    const gradient = number(gradients[stage].read()[place]);
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

  stepTime: (tril) =>
    timed(tril, ['learn step'], cost(tril), () => {
      const { weights, gradients } = trained(tril, { rate: 1, steps: 0 });
      return moved(tril, weights, gradients, 1);
    }),
};

/** What is computed anew once a stage is another: all that comes after it. */
function after(stage: StageId): Partial<Record<StageId, undefined>> {
  const later: Readonly<Record<StageId, readonly StageId[]>> = {
    ...{ wq: ['q', 'scores', 'weights', 'output'], wk: ['k', 'scores', 'weights', 'output'] },
    ...{ wv: ['v', 'output'], q: ['scores', 'weights', 'output'] },
    ...{ k: ['scores', 'weights', 'output'], v: ['output'], scores: ['weights', 'output'] },
    ...{ weights: ['output'], output: [] },
  };
  return Object.fromEntries(later[stage].map((id) => [id, undefined]));
}
