// Training in a Worker: the same numbers, sent in messages, cancellable at any step.
import { TrilError, type TokenBatch, type TrainerOptions } from 'tril';
import { loadTril as loadHere } from 'tril/training';
import { loadTril, RemoteTrainer, type RemoteTrainingTril } from 'tril/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const local = await loadHere({ variant: 'simd' });
let tril: RemoteTrainingTril;
beforeAll(async () => {
  tril = await loadTril({ variant: 'simd', training: true });
});
afterAll(() => tril.close());

const options = {
  model: { layers: 1, heads: 2, width: 16, context: 8 },
  data: 'the cat sat on the mat. the dog lay on the rug. '.repeat(40),
  ...{ batch: 2, learningRate: 1e-2, steps: 20 },
} satisfies TrainerOptions;

const lossesOf = (steps: readonly { readonly loss: number }[]) => steps.map(({ loss }) => loss);

describe('a trainer in a Worker', () => {
  it('tells of chosen numbers of steps, with the losses of one here', async () => {
    const here = local.trainer(options);
    const expected = lossesOf(here.steps(20));
    const checkpoint = here.save();
    here.dispose();
    const trainer = await tril.trainer(options);
    expect(trainer).toBeInstanceOf(RemoteTrainer);
    expect(trainer.settings).toMatchObject({ batch: 2, model: { width: 16, vocabulary: 256 } });
    const reports = [];
    for await (const report of trainer.run({ steps: 20, every: 8 })) {
      expect(await trainer.done()).toBe(report.step + 1); // it waits while the report is read
      reports.push(report);
    }
    expect(reports.map(({ step, steps }) => [step, steps.length])).toEqual([
      [7, 8],
      [15, 8],
      [19, 4],
    ]);
    expect(lossesOf(reports.flatMap(({ steps }) => steps))).toEqual(expected);
    expect(reports[0]!.loss).toBe(expected[7]);
    expect(await trainer.save()).toEqual(checkpoint);
    const counted = local.trainer(options);
    expect(await trainer.cost(4, 8)).toEqual(counted.cost(4, 8));
    counted.dispose();
    await trainer.dispose();
  });

  it('is as far as the last report where the loop was left', async () => {
    const trainer = await tril.trainer(options);
    for await (const { step } of trainer.run({ steps: 1000, every: 3 })) if (step === 5) break;
    expect(await trainer.done()).toBe(6);
    expect((await trainer.step()).step).toBe(6);
    await trainer.dispose();
  });

  it('ends with a signal before its next step, and can go on', async () => {
    const trainer = await tril.trainer(options);
    const stop = new AbortController();
    const { signal } = stop;
    const run = trainer.run({ steps: 2 ** 31 - 1, every: 2 ** 31 - 1, signal });
    const report = run.next();
    // It may or may not have begun by then.
    setTimeout(() => stop.abort('enough'));
    await expect(report).rejects.toBe('enough');
    // Without the cancellation this would take days.
    const done = await trainer.done();
    expect((await trainer.step()).step).toBe(done);
    await expect(trainer.run({ steps: 1, signal }).next()).rejects.toBe('enough');
    expect(await trainer.done()).toBe(done + 1);
    await trainer.dispose();
  });

  it('takes batches from this side, as they are needed', async () => {
    let taken = 0;
    function* batches(): Generator<TokenBatch> {
      for (; taken < 7; ++taken) yield { tokens: [[taken, 1, 2]], targets: [[1, 2, 3]] };
    }
    const model = { ...options.model, vocabulary: 9 };
    const trainer = tril.trainer({ model, batches: batches() });
    const run = trainer.run({ steps: 20, every: 2 });
    const steps: number[] = [];
    const all = (async () => {
      for await (const report of run) {
        steps.push(...report.steps.map(({ step }) => step));
        if (report.step === 3) expect(taken).toBeLessThan(6);
      }
    })();
    await expect(all).rejects.toThrow('batches: there are no more');
    expect(steps).toEqual([0, 1, 2, 3, 4, 5, 6]);
    await (await trainer).dispose();
    const own = await tril.trainer({ model });
    const batch = { tokens: [[1, 2]], targets: [[2, 3]] };
    expect((await own.step(batch)).tokens).toBe(2);
    expect((await own.steps([batch, batch])).map(({ step }) => step)).toEqual([1, 2]);
    expect((await own.evaluate(batch)).counted).toBe(2);
    await own.dispose();
  });

  it('reports the steps before one that fails, and then says what went wrong', async () => {
    const wild = { ...options, learningRate: 1e30, lowestRate: 1e30, clip: 0 };
    const trainer = await tril.trainer(wild);
    const reported: number[] = [];
    const all = (async () => {
      for await (const { steps } of trainer.run({ steps: 40, every: 20 })) {
        reported.push(...steps.map(({ step }) => step));
      }
    })();
    await expect(all).rejects.toThrow(/^step: loss: is .* in step \d+: /);
    const done = await trainer.done();
    expect(done).toBeGreaterThan(0);
    expect(reported).toEqual(Array.from({ length: done }, (_, step) => step));
    await trainer.dispose();
    const again = await tril.trainer(wild);
    const error: unknown = await again.steps(20).catch((thrown: unknown) => thrown);
    expect((error as TrilError).steps?.map(({ step }) => step)).toEqual(reported);
    await again.dispose();
  });

  it('has what one here has', async () => {
    const here = local.trainer(options);
    const trainer = await tril.trainer(options);
    try {
      const checkpoint = await trainer.save();
      expect(await trainer.evaluate()).toEqual(here.evaluate());
      expect(await trainer.sample({ seed: 3 })).toBe(here.sample({ seed: 3 }));
      expect(await trainer.generate({ seed: 3 })).toEqual(here.generate({ seed: 3 }));
      const drawing = { seed: 3, maxTokens: 20, topP: 0.9, stop: ['never'] };
      const parts: (readonly [number | undefined, string])[] = [];
      for await (const { token, text } of trainer.generate('the', drawing)) {
        parts.push([token, text]);
        if (parts.length === 5) expect(await trainer.done()).toBe(0);
      }
      const expected: typeof parts = [];
      for await (const { token, text } of here.generate('the', drawing)) {
        expected.push([token, text]);
      }
      expect(parts).toEqual(expected);
      for await (const part of trainer.generate('the')) if (part.text !== '') break;
      expect(await trainer.encode('the cat')).toEqual(here.encode('the cat'));
      expect(await trainer.decode([104, 105])).toBe('hi');
      expect(await trainer.export()).toEqual(here.export());
      const { layers, logits } = await trainer.trace([1, 2, 3]);
      expect(logits.shape).toEqual([3, 256]);
      expect(layers[0]!.weights.shape).toEqual([2, 3, 3]);
      await trainer.step();
      here.step();
      const name = 'h.0.mlp.c_fc.weight';
      const [there, own] = [await trainer.moments([name]), here.moments([name])];
      const pairs = [
        [(await trainer.parameters([name]))[name], here.parameters([name])[name]],
        [(await trainer.gradients([name]))[name], here.gradients([name])[name]],
        [there.first[name], own.first[name]],
        [there.second[name], own.second[name]],
      ] as const;
      for (const [remote, expected] of pairs) {
        expect(await remote!.read()).toEqual(expected!.read());
        await remote!.dispose();
        expected!.dispose();
      }
      const zeros = [await tril.zeros([16]), local.zeros([16])] as const;
      await trainer.setParameters({ 'ln_f.weight': zeros[0] });
      here.setParameters({ 'ln_f.weight': zeros[1] });
      expect(await trainer.evaluate()).toEqual(here.evaluate());
      await zeros[0].dispose();
      zeros[1].dispose();
      await logits.dispose();
      await layers[0]!.weights.dispose();
      await trainer.restore(checkpoint);
      expect(await trainer.done()).toBe(0);
    } finally {
      here.dispose();
      await trainer.dispose();
    }
    expect(await tril.memory()).toMatchObject({ tensors: 0, bytes: 0 });
  });

  it('refuses as one here', async () => {
    const refused = async (promise: Promise<unknown>, call: string, argument: string) => {
      const error: unknown = await promise.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TrilError);
      expect(error).toMatchObject({ call, argument });
    };
    await refused(tril.trainer({ ...options, learningRate: 0 }), 'trainer', 'learningRate');
    await refused(tril.trainer(null as never), 'trainer', 'options');
    await refused(tril.trainer({ ...options, batches: [] }), 'trainer', 'batches');
    const drawing = await tril.trainer(options);
    await refused(drawing.generate('a', { topP: 2 }).next(), 'generate', 'topP');
    await refused(drawing.generate('a', { top: 2 } as never).next(), 'generate', 'top');
    await refused(drawing.generate([]).next(), 'generate', 'prompt');
    await refused(drawing.generate({ tokens: 1, maxTokens: 1 }), 'generate', 'tokens');
    await drawing.dispose();
    const trainer = await tril.trainer(options);
    await refused(trainer.step({ tokens: [[999]], targets: [[0]] }), 'step', 'tokens');
    await refused(trainer.steps(-1), 'steps', 'count');
    await refused(trainer.run({ steps: 1, every: 0 }).next(), 'run', 'every');
    await refused(trainer.run({} as never).next(), 'run', 'steps');
    await refused(trainer.run({ steps: 1, signal: 3 as never }).next(), 'run', 'signal');
    await refused(trainer.run({ steps: 1, evry: 3 } as never).next(), 'run', 'evry');
    await refused(trainer.parameters(['none']), 'parameters', 'names');
    expect((await trainer.step()).step).toBe(0);
    await trainer.dispose();
    await refused(trainer.step(), 'steps', 'trainer');
    expect(trainer.disposed).toBe(true);
  });
});
