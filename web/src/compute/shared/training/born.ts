// A small model in training, with the attention of its heads on the way: a session that pauses when nobody looks.
import type { Tensor, TokenBatch, Trainer } from 'tril';
import type { TrainingTril } from 'tril/training';
import type { Session } from '../../worker/answers';
import type { MatrixData } from '../../page/protocol';
import type { Frame, HeadScores, TrainingSessions } from './protocol';
import { batchOf, batchSize, every, length, seedsOf, tasks, vocabulary } from './tasks';

type Born = TrainingSessions['born'];

export const layers = 2;
export const heads = 2;
export const width = 32;
/** Standard deviation of the initial weights. */
const deviation = 0.1;
/** Number of sequences on which the loss is measured. */
const measured = 32;

/** Two layers of attention. The feed-forward is one neuron with zero weights: it has no gradient and stays zero. */
export const model = {
  ...{ layers, heads, width, context: length, vocabulary },
  ...{ hidden: 1, biases: false, tiedHead: false },
} as const;
export const training = {
  ...{ batch: batchSize, learningRate: 5e-3, lowestRate: 5e-3, warmup: 0 },
  ...{ beta1: 0.9, beta2: 0.99, weightDecay: 0, clip: 0 },
} as const;

/** The initial parameters of a model with that seed. */
export function beginning(
  tril: TrainingTril,
  shapes: Readonly<Record<string, readonly number[]>>,
  seed: number,
) {
  const { weights } = seedsOf(seed);
  const entries = Object.entries(shapes).flatMap(([name, shape], index) => {
    if (shape.length < 2) return []; // norms begin with 1
    const values = name.includes('.mlp.')
      ? tril.zeros([...shape])
      : tril.multiply(tril.randomNormal([...shape], { seed: weights(index) }), deviation);
    return [[name, values] as const];
  });
  return Object.fromEntries(entries);
}

/** A trainer before its first step. */
export function trainerOf(tril: TrainingTril, steps: number, seed: number) {
  const trainer = tril.trainer({ model, ...training, steps, seed });
  tril.scope(() => {
    const shapes = Object.entries(trainer.parameters()).map(([name, { shape }]) => [name, shape]);
    trainer.setParameters(beginning(tril, Object.fromEntries(shapes), seed));
  });
  return trainer;
}

/**
 * Weights of the positions that count, [T T, 2]: for either score, one over the number of rows that have such a
 * position.
 */
function places(tril: TrainingTril, tokens: readonly number[]): Tensor {
  const before = (t: number, s: number) => s === t - 1;
  const afterCopy = (t: number, s: number) => s > 0 && tokens[s - 1] === tokens[t] && s <= t;
  const columns = [before, afterCopy].map((is) => {
    const row = (t: number) => tokens.map((_, s) => Number(is(t, s)));
    const all = tokens.map((_, t) => row(t));
    const rows = all.filter((one) => one.includes(1)).length || 1;
    return all.flat().map((place) => place / rows);
  });
  return tril.tensor(columns[0].map((one, i) => [one, columns[1][i]]));
}

function look(
  tril: TrainingTril,
  traced: readonly { readonly weights: Tensor }[],
  scored: Tensor,
): Pick<Frame, 'weights' | 'scores'> {
  const weights: MatrixData[] = [];
  const scores: HeadScores[] = [];
  for (const layer of traced) {
    const data = layer.weights.read();
    const flat = tril.tensor([heads, length * length], data);
    const found = tril.matmul(flat, scored).read();
    for (let head = 0; head < heads; ++head) {
      const part = data.slice(head * length * length, (head + 1) * length * length);
      weights.push({ rows: length, cols: length, data: part });
      scores.push({ previous: found[2 * head], copy: found[2 * head + 1] });
    }
  }
  return { weights, scores };
}

/** The output matrix of a layer without the contributions of some heads to the residual stream. */
export function withoutHeads(tril: TrainingTril, matrix: Tensor, isOff: (head: number) => boolean) {
  const headOf = (row: number) => Math.floor((row * heads) / width);
  const kept = Array.from({ length: width }, (_, row) => [isOff(headOf(row)) ? 0 : 1]);
  return tril.multiply(matrix, tril.tensor(kept));
}

/** The loss without each of the heads. */
function withoutEach(tril: TrainingTril, trainer: Trainer, heldOut: TokenBatch): number[] {
  const losses: number[] = [];
  for (let layer = 0; layer < layers; ++layer) {
    const name = `h.${layer}.attn.c_proj.weight`;
    const whole = trainer.parameters([name])[name];
    for (let head = 0; head < heads; ++head) {
      trainer.setParameters({ [name]: withoutHeads(tril, whole, (one) => one === head) });
      losses.push(trainer.evaluate(heldOut).loss);
    }
    trainer.setParameters({ [name]: whole });
  }
  return losses;
}

export async function born(
  tril: TrainingTril,
  { task, seed }: Born['ask'],
  session: Session<Born['part'], Born['told']>,
): Promise<Born['answer']> {
  const { steps, periods, others } = tasks[task];
  const seeds = seedsOf(seed);
  const heldOut = batchOf(tril, periods, measured, seeds.heldOut);
  const unseen = others && batchOf(tril, others, measured, seeds.others);
  const example = [...heldOut.tokens.subarray(0, length)];
  const trainer = trainerOf(tril, steps, seed);
  const scored = places(tril, example);
  const frame = (step: number): Frame =>
    tril.scope(() => {
      const { loss, correct, counted } = trainer.evaluate(heldOut);
      return {
        ...{ step, loss, right: correct / counted },
        others: unseen && trainer.evaluate(unseen).loss,
        ...look(tril, trainer.trace(example).layers, scored),
      };
    });
  try {
    const nothing = tril.zeros([1, vocabulary]);
    const { loss: ignorant } = tril.crossEntropy(nothing, [0]);
    nothing.dispose();
    const filesNow = () => trainer.export();
    const parameters = trainer.parameterCount;
    const about = { example, parameters, ignorant, beginning: filesNow()['model.safetensors'] };
    session.say({ about, frame: frame(0), losses: [], milliseconds: [] });
    let waiting = true;
    let worked = 0;
    let begin = performance.now();
    for (let step = 0; step < steps;) {
      const losses: number[] = [];
      const milliseconds: number[] = [];
      for (; losses.length < every && step < steps; ++step) {
        await session.turn();
        for (const word of session.told()) waiting = word === 'wait';
        if (waiting) {
          worked += performance.now() - begin;
          while (waiting) waiting = (await session.next()) === 'wait';
          begin = performance.now();
        }
        const done = trainer.step(batchOf(tril, periods, batchSize, seeds.step(step)));
        losses.push(done.loss);
        milliseconds.push(done.milliseconds);
      }
      session.say({ frame: frame(step), losses, milliseconds });
    }
    worked += performance.now() - begin;
    const files = filesNow();
    return {
      ...{ steps, milliseconds: worked },
      ...{ weights: files['model.safetensors'], config: files['config.json'] },
      without: tril.scope(() => withoutEach(tril, trainer, heldOut)),
    };
  } finally {
    trainer.dispose();
    scored.dispose();
  }
}
