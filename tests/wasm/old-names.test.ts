// Former names, which stay for one version: options and results under them mean the same.
import { TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { filesOf, tril as models } from './golden-models.js';
import { tril as remote } from './remote.js';
import { batchOf, sequenceOptions, sequences as tril } from './sequences.js';

const fields = [
  ['normed1', 'ln1'],
  ['attention', 'attnOut'],
  ['between', 'residMid'],
  ['normed2', 'ln2'],
  ['feedForward', 'mlpOut'],
  ['out', 'residPost'],
] as const;

function expectOldFields(trace: {
  readonly layers: readonly { readonly [Name in (typeof fields)[number][number]]: unknown }[];
  readonly lnFinal: unknown;
  readonly finalNormed: unknown;
}) {
  expect(trace.layers).toHaveLength(2);
  for (const layer of trace.layers) {
    for (const [old, now] of fields) {
      expect(layer[now], now).toBeDefined();
      expect(layer[old], old).toBe(layer[now]);
      expect(Object.keys(layer)).toContain(now);
      expect(Object.keys(layer)).not.toContain(old);
    }
  }
  expect(trace.lnFinal).toBeDefined();
  expect(trace.finalNormed).toBe(trace.lnFinal);
  expect(Object.keys(trace)).toEqual(['embedded', 'layers', 'lnFinal']);
}

describe('old names', () => {
  it('are those of a trace, too, here and in a Worker', async () => {
    const files = filesOf('qwen2');
    const model = await models.loadModel(files);
    const before = models.memory();
    models.scope(() => expectOldFields(model.forward([1, 2], { trace: true }).trace));
    expect(models.memory()).toEqual(before);
    model.dispose();
    const there = await remote.loadModel(files);
    expectOldFields((await there.forward([1, 2], { trace: true })).trace);
    expect((await there.forward([1, 2])).trace).toBeUndefined();
    await there.dispose();
  });

  it('are taken of the labels of a batch', async () => {
    const trainer = tril.sequenceTrainer(sequenceOptions);
    const { labels, ...pair } = batchOf(0);
    const old = { ...pair, answers: labels };
    const expected = trainer.evaluate({ ...pair, labels });
    expect(trainer.evaluate(old)).toEqual(expected);
    const there = await remote.sequenceTrainer(sequenceOptions);
    expect(await there.evaluate(old)).toEqual(expected);
    await there.dispose();
    const twice = tril.sequenceTrainer(sequenceOptions);
    const { loss, gradientNorm } = twice.step([batchOf(1), { ...pair, labels }]);
    expect(trainer.step([batchOf(1), old])).toMatchObject({ loss, gradientNorm });
    twice.dispose();
    const state = trainer.save();
    const refusal = (batch: object) => {
      try {
        trainer.step([batchOf(1), batch as typeof old]);
      } catch (error) {
        expect(error).toBeInstanceOf(TrilError);
        return (error as TrilError).message;
      }
      return 'nothing is refused';
    };
    expect(refusal({ ...old, labels })).toBe(
      'step: batches.1.answers: is the old name of labels, which is given, too',
    );
    expect(refusal({ ...pair, answers: [[1]] })).toContain('step: batches.1.answers: must have');
    expect(trainer.save()).toEqual(state);
    trainer.dispose();
  });

  it('are taken of the option of a mask', () => {
    models.scope(() => {
      const values = models.tensor([[0, -Infinity]]);
      const added = (options: { readonly short?: boolean; readonly allowFewerKeys?: boolean }) =>
        models.mask
          .toTensor(models.mask.dense(values, { kind: 'additive', ...options }), [1, 3])
          .toArray();
      expect(added({ short: true })).toEqual(added({ allowFewerKeys: true }));
      expect(() => added({ short: true, allowFewerKeys: true })).toThrow(
        'mask.dense: short: is the old name of allowFewerKeys, which is given, too',
      );
      expect(() => added({ short: 1 as unknown as boolean })).toThrow('mask.dense: short: ');
    });
  });

  it('are those of what is drawn, too, here and in a Worker', async () => {
    const here = tril.drawSequences('sort', { batch: 2 });
    expect(here.answers).toBe(here.labels);
    expect(Object.keys(here)).toEqual(['source', 'target', 'labels']);
    const there = await remote.drawSequences('sort', { batch: 2 });
    expect(there).toEqual(here);
    expect(there.answers).toBe(there.labels);
    // Neither it nor a modified copy has its labels twice.
    const model = { sourceVocabulary: 9, targetVocabulary: 9, width: 8, hidden: 8, heads: 1 };
    const trainer = tril.sequenceTrainer({ model });
    expect(trainer.evaluate(here).counted).toBe(12);
    const labels = here.labels.map((row) => row.map((label, t) => (t > 0 ? label : -100)));
    expect(trainer.evaluate({ ...here, labels }).counted).toBe(10);
    trainer.dispose();
  });
});
