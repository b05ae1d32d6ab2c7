// The other trainings of chapter "Learn" in Node, implemented again: two side by side, and a text of letters.
import type { ModelSettings } from 'tril';
import type { TrainingTril } from 'tril/training';
import {
  batchOf,
  begin,
  heldOut,
  length,
  seedOf,
  tasks,
  training,
  vocabulary,
  weightsFrom,
} from './born.ts';

const { periods } = tasks.induction;
/** 16 sequences, each with 20 given letters and 12 to write. */
const [asked, given] = [16, 20];
export const letters = asked * (length - given);

/** The usual model and one that differs from it, trained from the same weights on the same batches for 200 steps. */
export function sideBySide(tril: TrainingTril, differs: ModelSettings, seed: number) {
  const usual = {
    ...{ layers: 2, heads: 2, width: 32, hidden: 64, context: length, vocabulary },
    ...{ biases: false, tiedHead: false },
  } as const;
  const trainers = [usual, { ...usual, ...differs }].map((model) =>
    tril.trainer({ model, ...training, steps: 200, seed }),
  );
  const names = tril.scope(() => Object.keys(trainers[0].parameters()));
  const measured = batchOf(tril, periods, seedOf(seed, heldOut));
  const runs = trainers.map((trainer) => {
    begin(tril, trainer, (name) => seedOf(seed, weightsFrom + names.indexOf(name)));
    const loss = () => trainer.evaluate(measured).loss;
    const curve: [step: number, loss: number][] = [[0, loss()]];
    for (let step = 1; step <= 200; ++step) {
      trainer.step(batchOf(tril, periods, seedOf(seed, step - 1)));
      if (step % 4 === 0) curve.push([step, loss()]);
    }
    const written = measured.tokens.slice(0, asked).map((row) => {
      const prompt = row.slice(0, given);
      return [...trainer.generate({ prompt, maxTokens: length - given, temperature: 0 })];
    });
    const isRight = (letter: number, row: number, t: number) =>
      letter === measured.tokens[row][given + t];
    const right = written.flatMap((all, row) => all.filter((one, t) => isRight(one, row, t)));
    trainer.dispose();
    return { curve, loss: curve.at(-1)![1], right: right.length, text: written[0] };
  });
  return { usual: runs[0], changed: runs[1] };
}

/**
 * Mean losses of counting models that look at 0 to 4 letters before the next: after Witten and Bell (1991) a token that
 * followed a history c times, of n tokens and d different ones in all, has probability (c + d p) / (n + d), with p from
 * the shorter history.
 */
export function countedLosses(seen: ArrayLike<number>, unseen: ArrayLike<number>, kinds: number) {
  const [known, asked] = [Array.from(seen), Array.from(unseen)];
  const chanceOf = (history: readonly number[], token: number): number => {
    const shorter = history.length > 0 ? chanceOf(history.slice(1), token) : 1 / kinds;
    const after = known.filter(
      (_, t) =>
        t >= history.length && history.every((one, i) => known[t - history.length + i] === one),
    );
    const different = new Set(after).size;
    const times = after.filter((one) => one === token).length;
    return after.length === 0
      ? shorter
      : (times + different * shorter) / (after.length + different);
  };
  return [0, 1, 2, 3, 4].map((before) => {
    const losses = asked
      .map((token, t) => -Math.log(chanceOf(asked.slice(Math.max(0, t - before), t), token)))
      .slice(1);
    return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  });
}

/** A model of letters before its first step: its sample, and the losses of counting. The text is of single bytes. */
export function begunOn(tril: TrainingTril, text: string, seed: number) {
  const trainer = tril.trainer({
    model: { layers: 1, heads: 4, width: 64, context: 32, biases: false, tiedHead: false },
    ...{ batch: 12, learningRate: 1e-2, lowestRate: 1e-3, warmup: 10, steps: 600 },
    ...{ seed, data: text },
  });
  const matrices = tril.scope(() =>
    Object.entries(trainer.parameters()).flatMap(([name, { shape }]) =>
      shape.length > 1 ? [name] : [],
    ),
  );
  begin(tril, trainer, (name) => seedOf(seed, matrices.indexOf(name)));
  const tokens = [...trainer.encode('\n')];
  while (tokens.length < 193) {
    const prompt = tokens.slice(-32);
    const options = { maxTokens: 16, temperature: 0.8, seed: seedOf(seed, tokens.length - 1) };
    tokens.push(...trainer.generate({ prompt, ...options }));
  }
  const cut = text.length - Math.floor(text.length / 10);
  const [seen, unseen] = [text.slice(0, cut), text.slice(cut)].map((one) => trainer.encode(one));
  return {
    sample: trainer.decode(tokens.slice(1)),
    grams: countedLosses(seen, unseen, trainer.settings.model.vocabulary!),
  };
}
