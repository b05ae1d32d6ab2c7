// The same training twice, with one thing changed: step by step side by side, from the same weights, on the same
// batches.
import type { ModelSettings, Trainer, TrainingSettings, TrilError } from 'tril';
import type { TrainingTril } from 'tril/training';
import type { Session } from '../answers';
import { training } from '../../shared/training/born';
import { changes, every, steps, usualModel } from '../../shared/training/changes';
import type { TrainingSessions, WhatIfRun } from '../../shared/training/protocol';
import { batchOf, batchSize, length, seedsOf, tasks } from '../../shared/training/tasks';

type WhatIf = TrainingSessions['whatIf'];

const { periods } = tasks.induction;
/** Number of sequences on which the loss is measured, and of those that are continued. */
const [measured, written] = [32, 16];
/** Number of given letters: the complete pattern, however long; the rest is to be written. */
export const given = 20;
const deviation = 0.1;

/** Sets weights by name: a weight that one model lacks does not change those of the others. */
function begin(tril: TrainingTril, trainer: Trainer, names: readonly string[], seed: number): void {
  tril.scope(() => {
    const entries = Object.entries(trainer.parameters()).flatMap(([name, { shape }]) => {
      if (shape.length < 2) return []; // norms begin with 1
      const weightSeed = seedsOf(seed).weights(names.indexOf(name));
      return [
        [name, tril.multiply(tril.randomNormal([...shape], { seed: weightSeed }), deviation)],
      ];
    });
    trainer.setParameters(Object.fromEntries(entries));
  });
}

export async function whatIf(
  tril: TrainingTril,
  { change, seed }: WhatIf['ask'],
  session: Session<WhatIf['part'], WhatIf['told']>,
): Promise<WhatIf['answer']> {
  const seeds = seedsOf(seed);
  const trainerOf = (model: ModelSettings = {}, changed: TrainingSettings = {}) =>
    tril.trainer({ model: { ...usualModel, ...model }, ...training, steps, seed, ...changed });
  const changed = changes[change];
  const trainers = [trainerOf(), trainerOf(changed.model, changed.training)];
  /** The step at which a loss became infinite or NaN: that training has stopped. */
  const broken: (number | null)[] = [null, null];
  try {
    const names = tril.scope(() => Object.keys(trainers[0].parameters()));
    for (const each of trainers) begin(tril, each, names, seed);
    const heldOut = batchOf(tril, periods, measured, seeds.heldOut);
    const evaluated = (i: number) =>
      broken[i] === null ? trainers[i].evaluate(heldOut).loss : null;
    const nothing = tril.zeros([1, usualModel.vocabulary]);
    const { loss: ignorant } = tril.crossEntropy(nothing, [0]);
    nothing.dispose();
    const point = (step: number, milliseconds: readonly number[]) =>
      session.say({ step, ignorant, losses: [evaluated(0), evaluated(1)], milliseconds });
    point(0, []);
    let waiting = true;
    for (let step = 0; step < steps;) {
      const milliseconds = [0, 0];
      do {
        const batch = batchOf(tril, periods, batchSize, seeds.step(step));
        for (const [i, trainer] of trainers.entries()) {
          await session.turn();
          for (const word of session.told()) waiting = word === 'wait';
          while (waiting) waiting = (await session.next()) === 'wait';
          if (broken[i] !== null) continue;
          try {
            milliseconds[i] += trainer.step(batch).milliseconds / every;
          } catch (error) {
            if ((error as Partial<TrilError>).argument !== 'loss') throw error;
            broken[i] = step;
          }
        }
        step += 1;
      } while (step % every > 0);
      point(step, milliseconds);
    }
    const run = (i: number): WhatIfRun => {
      const all = { letters: written * (length - given), right: 0, text: [] as number[] };
      for (let row = 0; row < written && broken[i] === null; ++row) {
        const sequence = heldOut.tokens.subarray(row * length, (row + 1) * length);
        const prompt = sequence.slice(0, given);
        const found = trainers[i].generate({ prompt, maxTokens: length - given, temperature: 0 });
        if (row === 0) all.text = [...found];
        all.right += found.filter((letter, t) => letter === sequence[given + t]).length;
      }
      return { ...all, loss: evaluated(i), broken: broken[i] };
    };
    const sequence = [...heldOut.tokens.subarray(0, length)];
    return { sequence, runs: [run(0), run(1)] };
  } finally {
    for (const each of trainers) each.dispose();
  }
}
