// Training an encoder-decoder in a Worker: the same numbers, sent in messages, cancellable at any step.
import { TrilError } from 'tril';
import type { SequenceBatches } from 'tril/training';
import { loadTril, RemoteSequenceTrainer, type RemoteTrainingTril } from 'tril/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchOf, sequenceOptions as options, sequences as local } from './sequences.js';

let tril: RemoteTrainingTril;
beforeAll(async () => {
  tril = await loadTril({ variant: 'simd', training: true });
});
afterAll(() => tril.close());

function* endless(): Generator<SequenceBatches> {
  for (let n = 0; ; ++n) yield n % 3 === 2 ? [batchOf(n), batchOf(n + 1, 2)] : batchOf(n);
}

const lossesOf = (steps: readonly { readonly loss: number }[]) => steps.map(({ loss }) => loss);

describe('a trainer of sequences in a Worker', () => {
  it('tells of chosen numbers of steps, with the losses of one here', async () => {
    const dropping = { ...options, model: { ...options.model, dropout: 0.2 } };
    const here = local.sequenceTrainer({ ...dropping, batches: endless() });
    const expected = lossesOf(here.steps(10));
    const checkpoint = here.save();
    here.dispose();
    const trainer = await tril.sequenceTrainer({ ...dropping, batches: endless() });
    expect(trainer).toBeInstanceOf(RemoteSequenceTrainer);
    expect(trainer.settings).toMatchObject({ steps: 20, model: { width: 8, hidden: 12 } });
    const reports = [];
    for await (const report of trainer.run({ steps: 10, every: 4 })) {
      expect(await trainer.done()).toBe(report.step + 1); // it waits while the report is read
      reports.push(report);
    }
    expect(reports.map(({ step, steps }) => [step, steps.length])).toEqual([
      [3, 4],
      [7, 4],
      [9, 2],
    ]);
    expect(lossesOf(reports.flatMap(({ steps }) => steps))).toEqual(expected);
    expect(await trainer.save()).toEqual(checkpoint);
    await trainer.dispose();
  });

  it('ends with a signal before its next step, and can go on', async () => {
    const trainer = await tril.sequenceTrainer(options);
    const stop = new AbortController();
    const { signal } = stop;
    const own = await tril.sequenceTrainer({ ...options, batches: endless() });
    const seen: number[] = [];
    const all = (async () => {
      for await (const { step } of own.run({ steps: 2 ** 31 - 1, every: 2, signal })) {
        seen.push(step);
        if (step === 5) stop.abort('enough');
      }
    })();
    await expect(all).rejects.toBe('enough');
    expect(seen).toEqual([1, 3, 5]);
    expect(await own.done()).toBe(6);
    expect((await own.step(batchOf(0))).step).toBe(6);
    await expect(trainer.run({ steps: 1, signal }).next()).rejects.toBe('enough');
    expect(await trainer.done()).toBe(0);
    await own.dispose();
    await trainer.dispose();
  });

  it('is as far as the last report where the loop was left, and takes batches as they are needed', async () => {
    let taken = 0;
    function* batches() {
      for (; taken < 7; ++taken) yield batchOf(taken);
    }
    const trainer = tril.sequenceTrainer({ ...options, batches: batches() });
    for await (const { step } of trainer.run({ steps: 100, every: 2 })) if (step === 3) break;
    expect(taken).toBeLessThan(6);
    const made = await trainer;
    expect(await made.done()).toBe(4);
    const rest = (async () => {
      for await (const _ of made.run({ steps: 100, every: 2 })) void _;
    })();
    await expect(rest).rejects.toThrow('batches: there are no more');
    expect(await made.done()).toBe(7);
    await made.dispose();
  });

  it('has what one here has', async () => {
    const here = local.sequenceTrainer(options);
    const trainer = await tril.sequenceTrainer(options);
    const start = await trainer.save();
    const both = [batchOf(0), [batchOf(1), batchOf(2, 3)]];
    expect(lossesOf(await trainer.steps(both))).toEqual(lossesOf(here.steps(both)));
    expect((await trainer.step(both[1])).loss).toBe(here.step(both[1]).loss);
    expect(await trainer.evaluate(both[1]!)).toEqual(here.evaluate(both[1]!));
    const { source, target } = batchOf(3);
    expect(await trainer.translate(source)).toEqual(here.translate(source));
    expect(await trainer.translate(source[0]!, { tokens: 3 })).toEqual(
      here.translate(source[0]!, { tokens: 3 }),
    );
    const name = 'transformer.decoder.layers.0.multihead_attn.out_proj.weight';
    const [there, own] = [await trainer.moments([name]), here.moments([name])];
    const pairs = [
      [await trainer.logits(source, target), here.logits(source, target)],
      [(await trainer.parameters([name]))[name]!, here.parameters([name])[name]!],
      [(await trainer.gradients([name]))[name]!, here.gradients([name])[name]!],
      [there.first[name]!, own.first[name]!],
      [there.second[name]!, own.second[name]!],
    ] as const;
    for (const [remote, expected] of pairs) {
      expect(remote.shape).toEqual(expected.shape);
      expect(await remote.read()).toEqual(expected.read());
      await remote.dispose();
      expected.dispose();
    }
    const zeros = [await tril.zeros([7]), local.zeros([7])] as const;
    await trainer.setParameters({ 'generator.bias': zeros[0] });
    here.setParameters({ 'generator.bias': zeros[1] });
    expect(await trainer.evaluate(batchOf(0))).toEqual(here.evaluate(batchOf(0)));
    expect(await trainer.restore(start)).toBe(trainer);
    expect(await trainer.done()).toBe(0);
    const how = { batch: 2, tokens: 3, step: 4 };
    expect(await tril.drawSequences('sort', how)).toEqual(local.drawSequences('sort', how));
    await zeros[0].dispose();
    zeros[1].dispose();
    here.dispose();
    await trainer.dispose();
    expect(await tril.memory()).toMatchObject({ tensors: 0, bytes: 0 });
  });

  it('refuses as one here', async () => {
    const refused = async (promise: Promise<unknown>, call: string, argument: string) => {
      const error: unknown = await promise.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TrilError);
      expect(error).toMatchObject({ call, argument });
    };
    const make = 'sequenceTrainer';
    await refused(tril.sequenceTrainer({ ...options, learningRate: 0 }), make, 'learningRate');
    await refused(tril.sequenceTrainer(null as never), make, 'options');
    await refused(tril.sequenceTrainer({ ...options, batches: 3 as never }), make, 'batches');
    await refused(tril.drawSequences('shuffle' as 'sort'), 'drawSequences', 'task');
    const trainer = await tril.sequenceTrainer(options);
    const wrong = { ...batchOf(0), labels: [[9]] };
    await refused(trainer.step(wrong), 'step', 'labels');
    await refused(trainer.step(), 'step', 'batches');
    await refused(trainer.run({ steps: 1, every: 0 }).next(), 'run', 'every');
    await refused(trainer.run({} as never).next(), 'run', 'steps');
    await refused(trainer.run({ steps: 1, signal: 3 as never }).next(), 'run', 'signal');
    await refused(trainer.parameters(['none']), 'parameters', 'names');
    const here = local.sequenceTrainer(options);
    await refused(tril.multiply(here as never, 2), 'multiply', 'values');
    here.dispose();
    expect((await trainer.step(batchOf(0))).step).toBe(0);
    await trainer.dispose();
    await refused(trainer.step(batchOf(0)), 'steps', 'trainer');
    const plain = (await loadTril({ variant: 'simd' })) as typeof tril;
    await refused(plain.sequenceTrainer(options), make, 'training');
    await refused(plain.drawSequences('sort'), 'drawSequences', 'training');
    plain.close();
  });
});
