// An adapter (LoRA) for a loaded model: trained here and in the Worker, saved, and merged while loading a model.
import { describe, expect, it } from 'vitest';
import { expectRefused, text, tril, withoutLeak } from './trained.js';
import { tril as remote } from './remote.js';

const other = 'the dog lay on the rug. the cat sat on the mat. '.repeat(20);
const base = tril.trainer({
  ...{ model: { family: 'llama', layers: 1, heads: 2, width: 16, context: 8 }, data: text },
  ...{ learningRate: 0.01, steps: 30 },
});
base.steps(30);
const files = base.export();
const model = await tril.loadModel(files);
const lora = { rank: 2, alpha: 6 } as const;
const all = { from: model, data: other, steps: 20, learningRate: 0.01 } as const;
const options = { ...all, lora } as const;

const jsonOf = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as object;

describe('an adapter for a model', () => {
  it('leaves the model as it is, learns, and is two files', async () => {
    const before = model.evaluate(other.slice(0, 8)).loss;
    const trainer = tril.trainer({ from: model, lora, data: other, steps: 20 });
    expect(trainer.settings.learningRate).toBe(1e-3);
    expect(trainer.settings.lora).toEqual({ ...lora, targets: ['q_proj', 'v_proj'] });
    expect(trainer.parameterCount).toBe(2 * 2 * (16 + 16));
    expect(String(trainer)).toContain('128 parameters of an adapter of rank 2');
    expect(trainer.export()).toEqual(files);
    const first = trainer.evaluate().loss;
    trainer.steps(20);
    expect(trainer.evaluate().loss).toBeLessThan(first);
    expect(model.evaluate(other.slice(0, 8)).loss).toBe(before);

    const adapter = trainer.exportAdapter();
    expect(jsonOf(adapter['adapter_config.json'])).toMatchObject({
      ...{ peft_type: 'LORA', r: 2, lora_alpha: 6, target_modules: ['q_proj', 'v_proj'] },
      ...{ fan_in_fan_out: false, task_type: 'CAUSAL_LM' },
    });
    const arrays = await tril.readArrays(adapter['adapter_model.safetensors'], 'a.safetensors');
    const at = 'base_model.model.model.layers.0.self_attn.';
    expect(arrays.map(({ name, tensor }) => [name, tensor.shape])).toEqual([
      [`${at}q_proj.lora_A.weight`, [2, 16]],
      [`${at}q_proj.lora_B.weight`, [16, 2]],
      [`${at}v_proj.lora_A.weight`, [2, 16]],
      [`${at}v_proj.lora_B.weight`, [16, 2]],
    ]);
    const names = arrays.map(({ name }) => name);
    expect(Object.keys(trainer.gradients())).toEqual(names);
    expect(Object.keys(trainer.moments().second)).toEqual(names);
    trainer.dispose();
  });

  it('is merged as the model is loaded, here and in the Worker', async () => {
    const trainer = tril.trainer(options);
    trainer.steps(10);
    const adapter = trainer.exportAdapter();
    const expected = (await tril.loadModel(trainer.export())).evaluate(other.slice(0, 8)).loss;
    const merged = await tril.loadModel(files, { lora: adapter });
    expect(merged.evaluate(other.slice(0, 8)).loss).toBe(expected);
    const blobs = Object.entries(adapter).map(
      ([name, bytes]) => new File([new Uint8Array(bytes)], name),
    );
    const there = await remote.loadModel(files, { lora: blobs });
    expect((await there.evaluate(other.slice(0, 8))).loss).toBe(expected);
    const quantised = await tril.loadModel(files, { lora: adapter, weights: 'q8_0' });
    expect(quantised.parameters.types.float32).toBeGreaterThan(3 * 16 * 16);

    const remotely = await remote.trainer({ ...options, from: await remote.loadModel(files) });
    await remotely.steps(10);
    expect(await remotely.exportAdapter()).toEqual(adapter);
    trainer.dispose();
  });

  it('goes on from a checkpoint with the same bits', () => {
    withoutLeak(() => {
      const [whole, half] = [tril.trainer(options), tril.trainer(options)];
      whole.steps(6);
      half.steps(3);
      const checkpoint = half.save();
      for (const given of [options, all, { ...all, lora: {} }]) {
        const again = tril.trainer({ ...given, checkpoint });
        again.steps(3);
        expect(again.save()).toEqual(whole.save());
      }
      const refused = (argument: string, says: RegExp, more: object) =>
        expectRefused(() => tril.trainer({ ...options, checkpoint, ...more }), {
          ...{ call: 'trainer', argument, says },
        });
      refused('lora.rank', /is 3, and in the checkpoint 2/, { lora: { rank: 3 } });
      const plain = tril.trainer(all).save();
      refused('lora.alpha', /in the checkpoint none/, { checkpoint: plain });
    });
  });

  it('refuses what cannot be', async () => {
    const refused = (call: string, argument: string, says: RegExp, body: () => unknown) =>
      expectRefused(body, { call, argument, says });
    const made = (more: object) => () => tril.trainer({ ...options, ...more });
    refused('trainer', 'from', /is missing/, () => tril.trainer({ lora, data: other }));
    refused('trainer', 'rank', /from 1 to the width/, made({ lora: { rank: 17 } }));
    refused('trainer', 'rank', /at least 0/, made({ lora: { rank: -1 } }));
    refused('trainer', 'alpha', /number/, made({ lora: { alpha: 'much' } }));
    refused('trainer', 'alpha', /above 0/, made({ lora: { alpha: 0 } }));
    refused('trainer', 'targets', /list of names/, made({ lora: { targets: 'v_proj' } }));
    refused('trainer', 'targets', /there are q_proj, k/, made({ lora: { targets: ['a,b'] } }));
    refused('trainer', 'ranks', /unknown setting/, made({ lora: { ranks: 3 } }));
    const trainer = tril.trainer(options);
    const weights = trainer.parameters(['model.norm.weight']);
    refused('setParameters', 'lora', /stay|leaves/, () => trainer.setParameters(weights));
    refused('cost', 'lora', /not counted/, () => trainer.cost(1, 8));
    refused('exportAdapter', 'lora', /there is none/, () => base.exportAdapter());
    const load = (given: object) => tril.loadModel(files, { lora: given } as object);
    await expect(load({})).rejects.toThrow('lora: adapter_config.json is missing');
    const own = trainer.exportAdapter();
    const config = new TextEncoder().encode('{"peft_type": "IA3"}');
    await expect(load({ ...own, 'adapter_config.json': config })).rejects.toThrow(
      'adapter_config.json: peft_type: must be LORA',
    );
    const wrong = tril.trainer({
      model: { layers: 1, heads: 2, width: 16, context: 8 },
      data: text,
    });
    const gpt2 = await tril.loadModel(wrong.export());
    const of = tril.trainer({ from: gpt2, lora, data: text }).exportAdapter();
    await expect(load(of)).rejects.toThrow(/adapter_model.safetensors: .*is no matrix of LoRA/);
    expect((await load(own)).evaluate('the cat').loss).toBeGreaterThan(0);
  });
});
