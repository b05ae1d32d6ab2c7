// The trainings of chapter "Learn" and of the tour in Node, implemented again: sequences from the core's random
// numbers, its trainer, and the weights of the heads. The same module gives the page's results to the bit.
import { createHash } from 'node:crypto';
import type { Trainer } from 'tril';
import type { TrainingTril } from 'tril/training';

export type Task = 'induction' | 'previous' | 'fixed';
/** Tokens per sequence; size of the vocabulary; sequences per batch and per evaluation. */
export const [length, vocabulary, sequences] = [32, 24, 32];
type Periods = readonly [least: number, most: number] | null;
export const tasks: Readonly<
  Record<Task, { readonly steps: number; readonly periods: Periods; readonly others: Periods }>
> = {
  induction: { steps: 200, periods: [5, 16], others: [20, 20] },
  previous: { steps: 100, periods: null, others: null },
  fixed: { steps: 200, periods: [16, 16], others: [5, 15] },
};
/**
 * The seed of a step's batch; from 900,000 on come the seeds of the evaluated sequences, of sequences unlike the
 * training, and of weights.
 */
export const seedOf = (seed: number, step: number) => 1e6 * seed + step;
export const [heldOut, others, weightsFrom] = [900_000, 900_001, 900_100];
/** The target of a token that cannot be predicted. */
const unasked = -100;

export interface Batch {
  readonly tokens: number[][];
  readonly targets: number[][];
}

/**
 * Sequences that repeat with a period, each asked for its next token after the first period; or sequences of
 * independent tokens, each asked for the token before.
 */
export function batchOf(tril: TrainingTril, periods: Periods, seed: number): Batch {
  const columns = periods ? vocabulary + 1 : length;
  const all = tril.scope(() =>
    tril.randomUniform([sequences, columns], { seed }).toArray<number[][]>(),
  );
  const rows = all.map((draws) => {
    if (!periods) {
      const tokens = draws.map((draw) => Math.floor(vocabulary * draw));
      return { tokens, targets: [unasked, ...tokens.slice(0, -1)] };
    }
    const [least, most] = periods;
    const period = least + Math.floor((most - least + 1) * draws[vocabulary]);
    // The draws give a random order of the vocabulary.
    const order = [...Array(vocabulary).keys()].sort((a, b) => draws[a] - draws[b] || a - b);
    const endless = Array.from({ length: length + 1 }, (_, t) => order[t % period]);
    const targets = endless.slice(1).map((token, t) => (t < period ? unasked : token));
    return { tokens: endless.slice(0, length), targets };
  });
  return { tokens: rows.map((row) => row.tokens), targets: rows.map((row) => row.targets) };
}

/** Two layers of two heads. The single feed-forward neuron is 0 and has no effect. */
const model = {
  ...{ layers: 2, heads: 2, width: 32, context: length, vocabulary },
  ...{ hidden: 1, biases: false, tiedHead: false },
} as const;
export const training = {
  ...{ batch: sequences, learningRate: 5e-3, lowestRate: 5e-3, warmup: 0 },
  ...{ beta1: 0.9, beta2: 0.99, weightDecay: 0, clip: 0 },
} as const;

/** Sets each matrix to normal numbers of its seed, with deviation 0.1; `isZero` names the matrices that begin as 0. */
export function begin(
  tril: TrainingTril,
  trainer: Trainer,
  seedOfMatrix: (name: string, index: number) => number,
  isZero = (_name: string) => false,
): void {
  tril.scope(() => {
    for (const [index, [name, { shape }]] of Object.entries(trainer.parameters()).entries()) {
      if (shape.length < 2) continue; // a norm, which begins as 1
      const drawn = tril.randomNormal([...shape], { seed: seedOfMatrix(name, index) });
      const values = isZero(name) ? tril.zeros([...shape]) : tril.multiply(drawn, 0.1);
      trainer.setParameters({ [name]: values });
    }
  });
}

export function trainerOf(tril: TrainingTril, task: Task, seed: number): Trainer {
  const trainer = tril.trainer({ model, ...training, steps: tasks[task].steps, seed });
  const seedOfMatrix = (_: string, index: number) => seedOf(seed, weightsFrom + index);
  begin(tril, trainer, seedOfMatrix, (name) => name.includes('.mlp.'));
  return trainer;
}

/** The mean weight at such positions, over the rows that have one. */
function scoreOf(weights: number[][], isThere: (row: number, col: number) => boolean): number {
  const found = weights.flatMap((row, t) => {
    const there = row.filter((_, s) => isThere(t, s));
    return there.length > 0 ? [there.reduce((sum, one) => sum + one, 0)] : [];
  });
  return found.reduce((sum, one) => sum + one, 0) / (found.length || 1);
}

export interface Frame {
  readonly step: number;
  readonly loss: number;
  /** The loss at periods outside the training. */
  readonly others: number | null;
  /**
   * The heads, layer by layer: their weights, and their scores for the token before and for the token after an earlier
   * copy.
   */
  readonly heads: readonly {
    readonly weights: number[][];
    readonly previous: number;
    readonly copy: number;
  }[];
}

/** A training: its evaluations every four steps, the losses of all batches, and the final trainer. */
export function trained(tril: TrainingTril, task: Task, seed: number) {
  const { steps, periods, others: unlike } = tasks[task];
  const measured = batchOf(tril, periods, seedOf(seed, heldOut));
  const unseen = unlike && batchOf(tril, unlike, seedOf(seed, others));
  const [example] = measured.tokens;
  const trainer = trainerOf(tril, task, seed);
  const frame = (step: number): Frame =>
    tril.scope(() => ({
      step,
      loss: trainer.evaluate(measured).loss,
      others: unseen && trainer.evaluate(unseen).loss,
      heads: trainer.trace(example).layers.flatMap((layer) =>
        layer.weights.toArray<number[][][]>().map((weights) => ({
          weights,
          previous: scoreOf(weights, (t, s) => s === t - 1),
          copy: scoreOf(weights, (t, s) => s > 0 && s <= t && example[s - 1] === example[t]),
        })),
      ),
    }));
  const frames = [frame(0)];
  const losses: number[] = [];
  for (let step = 0; step < steps; ++step) {
    losses.push(trainer.step(batchOf(tril, periods, seedOf(seed, step))).loss);
    if (losses.length % 4 === 0) frames.push(frame(losses.length));
  }
  return { frames, losses, trainer };
}

/** The trainer's weights as a safetensors file. */
export const weightsOf = (trainer: Trainer): Uint8Array => trainer.export()['model.safetensors'];
/** The name of the model that the tour trains: a hash of its weights, exact to the bit. */
export const hashOf = (trainer: Trainer) =>
  createHash('sha256').update(weightsOf(trainer)).digest('hex').slice(0, 8);

/** The probability of each token after others, with some heads switched off; heads are numbered layer by layer. */
export function chancesOf(
  tril: TrainingTril,
  trainer: Trainer,
  tokens: readonly number[],
  off: readonly number[],
): number[] {
  return tril.scope(() => {
    const names = [0, 1].map((layer) => `h.${layer}.attn.c_proj.weight`);
    const whole = trainer.parameters(names);
    // [in, out]: the first 16 rows multiply the output of a layer's first head.
    const cut = names.map((name, layer) => {
      const rows = whole[name].toArray<number[][]>();
      const isOff = (row: number) => off.includes(2 * layer + (row < 16 ? 0 : 1));
      return [
        name,
        tril.tensor(rows.map((row, i) => (isOff(i) ? row.map(() => 0) : row))),
      ] as const;
    });
    trainer.setParameters(Object.fromEntries(cut));
    const rows = tril.softmax(trainer.trace([...tokens]).logits).toArray<number[][]>();
    trainer.setParameters(whole);
    return rows.at(-1)!;
  });
}
