// Further training of a loaded model: here, in the Worker, and from a checkpoint.
import { describe, expect, it } from 'vitest';
import { tril as local } from './golden-models.js';
import { expectRefused, text, tril, withoutLeak } from './trained.js';
import { tril as remote } from './remote.js';

const other = 'the dog lay on the rug. the cat sat on the mat. '.repeat(20);
const base = tril.trainer({
  ...{ model: { layers: 1, heads: 2, width: 16, context: 8 }, data: text },
  ...{ learningRate: 0.01, steps: 30, tokenizer: 'chars' as const },
});
base.steps(30);
const files = base.export();
const model = await tril.loadModel(files);
const further = { from: model, data: other, steps: 20, learningRate: 0.01 } as const;

const refused = (argument: string, problem: RegExp, options: object) =>
  expectRefused(() => tril.trainer(options), { call: 'trainer', argument, says: problem });

describe('a model that is trained further', () => {
  it('begins with its values and its tokenizer, and stays as it is', async () => {
    const before = model.evaluate(text.slice(0, 8)).loss;
    const trainer = tril.trainer({ from: model, data: other });
    expect(trainer.settings.learningRate).toBe(1e-4);
    expect(trainer.settings.model).toEqual({ ...base.settings.model, hidden: 64 });
    expect(trainer.encode('cat')).toEqual(model.encode('cat'));
    expect(trainer.export()).toEqual(files);
    const first = trainer.evaluate().loss;
    trainer.steps(20);
    expect(trainer.evaluate().loss).toBeLessThan(first);
    expect(model.evaluate(text.slice(0, 8)).loss).toBe(before);
    trainer.dispose();
  });

  it('takes tokens and batches, and another dropout', () => {
    withoutLeak(() => {
      const dropout = { ...further, model: { dropout: 0.5 } };
      expect(tril.trainer(dropout).settings.model.dropout).toBe(0.5);
      const tokens = model.encode(other);
      const losses = [further, { ...further, data: tokens }].map(
        (each) => tril.trainer(each).step().loss,
      );
      expect(losses[0]).toBe(losses[1]);
      const batch = { tokens: tokens.slice(0, 8), targets: tokens.slice(1, 9) };
      const trainer = tril.trainer({ from: model });
      expect(trainer.step(batch).loss).toBeGreaterThan(0);
    });
  });

  it('goes on from a checkpoint with the same bits', () => {
    withoutLeak(() => {
      const [whole, half] = [tril.trainer(further), tril.trainer(further)];
      whole.steps(6);
      half.steps(3);
      const checkpoint = half.save();
      const again = tril.trainer({ ...further, checkpoint });
      again.steps(3);
      expect(again.save()).toEqual(whole.save());
      refused('from', /is missing/, { data: other, checkpoint });
      const others = tril.trainer({ model: { width: 8 }, data: other }).save();
      refused('checkpoint', /of another model/, { ...further, checkpoint: others });
    });
  });

  it('is the same in a Worker', async () => {
    const there = await remote.loadModel(files);
    const trainer = await remote.trainer({ ...further, from: there });
    const here = tril.trainer(further);
    expect((await trainer.steps(4)).map(({ loss }) => loss)).toEqual(
      here.steps(4).map(({ loss }) => loss),
    );
    here.dispose();
    await trainer.dispose();
    await there.dispose();
  });

  it('refuses what cannot be', async () => {
    const own = (argument: string, problem: RegExp, options: object) =>
      refused(argument, problem, { from: model, data: other, ...options });
    own('from', /must be a model of loadModel/, { from: files });
    own('tokenizer', /model's own/, { tokenizer: 'bytes' });
    own('layers', /the model's own/, { model: { layers: 2 } });
    own('context', /positions/, { model: { context: 4 } });
    own('objective', /masked/, { objective: 'masked' });
    own('data', /too short/, { data: 'abc' });
    const foreign = await local.loadModel(files);
    own('model', /another module/, { from: foreign });
    const without = await tril.loadModel({
      'model.safetensors': files['model.safetensors'],
      'config.json': files['config.json'],
    });
    own('data', /no tokenizer/, { from: without });
    without.dispose();
    own('model', /disposed/, { from: without });
    expect(tril.trainer({ from: model, data: other }).step().loss).toBeLessThan(6);
  });
});
