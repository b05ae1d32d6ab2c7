// Trainings of chapter "Learn" and of the tour in Node, written down again: sequences by the core's random numbers, its
// trainer, and what heads look at. The same module comes to the same bits as a page.
import { createHash } from 'node:crypto';
import type { Trainer } from 'tril';
import type { TrainingTril } from 'tril/training';

export type Task = 'induction' | 'previous' | 'fixed';
/** Tokens of a sequence, and how many there are; sequences of a batch, and of those that are only measured. */
export const [length, vocabulary, sequences] = [32, 24, 32];
type Periods = readonly [least: number, most: number] | null;
export const tasks: Readonly<
  Record<Task, { readonly steps: number; readonly periods: Periods; readonly others: Periods }>
> = {
  induction: { steps: 200, periods: [5, 16], others: [20, 20] },
  previous: { steps: 100, periods: null, others: null },
  fixed: { steps: 200, periods: [16, 16], others: [5, 15] },
};
/** The seed of a step's batch; after 900,000 steps come those of what is measured, of what is like nothing learned, and of weights. */
export const seedOf = (seed: number, step: number) => 1e6 * seed + step;
export const [heldOut, others, weightsFrom] = [900_000, 900_001, 900_100];
/** Of an answer that nobody can know. */
const unasked = -100;

export interface Batch {
  readonly tokens: number[][];
  readonly targets: number[][];
}

/**
 * Sequences that repeat themselves after so many tokens, each asked for its next token once it repeats itself; or of tokens
 * drawn one by one, each asked for the one before it.
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
    // The vocabulary by its draws: an order at random.
    const order = [...Array(vocabulary).keys()].sort((a, b) => draws[a] - draws[b] || a - b);
    const endless = Array.from({ length: length + 1 }, (_, t) => order[t % period]);
    const targets = endless.slice(1).map((token, t) => (t < period ? unasked : token));
    return { tokens: endless.slice(0, length), targets };
  });
  return { tokens: rows.map((row) => row.tokens), targets: rows.map((row) => row.targets) };
}

/** Two layers of two heads. One neuron of 0 takes no part. */
const model = {
  ...{ layers: 2, heads: 2, width: 32, context: length, vocabulary },
  ...{ hidden: 1, biases: false, tiedHead: false },
} as const;
export const training = {
  ...{ batch: sequences, learningRate: 5e-3, lowestRate: 5e-3, warmup: 0 },
  ...{ beta1: 0.9, beta2: 0.99, weightDecay: 0, clip: 0 },
} as const;

/** Gives each matrix the normal numbers of its seed, of deviation 0.1; `isZero` names those that begin as 0. */
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

/** The mean, over rows that have such a place, of the weight that lies there. */
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
  /** Of distances that it has not seen. */
  readonly others: number | null;
  /** Head by head, layer by layer: what it looks at, on the token before and on what follows an earlier copy of the token. */
  readonly heads: readonly {
    readonly weights: number[][];
    readonly previous: number;
    readonly copy: number;
  }[];
}

/** A training: how its model stands every four steps, the losses of all batches, and the trainer in the end. */
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

/** The trainer's weights as a file of safetensors. */
export const weightsOf = (trainer: Trainer): Uint8Array => trainer.export()['model.safetensors'];
/** What names the model that the tour trains: its weights, to the bit. */
export const hashOf = (trainer: Trainer) =>
  createHash('sha256').update(weightsOf(trainer)).digest('hex').slice(0, 8);

/** How likely each token is after others, with heads switched off, which are counted layer by layer. */
export function chancesOf(
  tril: TrainingTril,
  trainer: Trainer,
  tokens: readonly number[],
  off: readonly number[],
): number[] {
  return tril.scope(() => {
    const names = [0, 1].map((layer) => `h.${layer}.attn.c_proj.weight`);
    const whole = trainer.parameters(names);
    // [in, out]: the first 16 rows take what a layer's first head gives.
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
