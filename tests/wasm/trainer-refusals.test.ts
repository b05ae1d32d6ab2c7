// Training in JavaScript: wrong input is refused, and the trainer still works after it.
import { TrilError, type TokenBatch } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused as expectRefusedOf, tril as base } from './helpers.js';
import { model, small, text, tril, expectRefused, withoutLeak } from './trained.js';

describe('a loss that is not finite', () => {
  it('stops the step, names the parameter, and leaves the last good state', () => {
    withoutLeak(() => {
      const trainer = tril.trainer({ ...small, learningRate: 1e30, lowestRate: 1e30, clip: 0 });
      let error: unknown;
      let state = trainer.save();
      for (let n = 0; n < 20 && !error; ++n) {
        state = trainer.save();
        try {
          trainer.step();
        } catch (thrown) {
          error = thrown;
        }
      }
      expect(error).toBeInstanceOf(TrilError);
      expect(error).toMatchObject({ call: 'step', argument: 'loss' });
      expect((error as TrilError).problem).toMatch(/^is .* in step \d+: the gradient of \S+ went/);
      expect(trainer.save()).toEqual(state);
      const good = tril.trainer(small);
      expect(good.step().loss).toBeLessThan(6);
    });
  });

  it('is told with the reports of the steps before it', () => {
    withoutLeak(() => {
      const reports = (trainer: ReturnType<typeof tril.trainer>, count: number | TokenBatch[]) => {
        try {
          trainer.steps(count);
        } catch (error) {
          return (error as TrilError).steps?.map(({ step }) => step);
        }
        throw new Error('nothing went wrong');
      };
      const trainer = tril.trainer({ ...small, learningRate: 1e30, lowestRate: 1e30, clip: 0 });
      const before = reports(trainer, 20)!;
      expect(before).toEqual(Array.from({ length: trainer.done }, (_, step) => step));
      expect(before.length).toBeGreaterThan(0);
      expect(reports(trainer, 1)).toBeUndefined();

      const own = tril.trainer({ model: { ...model, vocabulary: 9 } });
      const batch = { tokens: [[1, 2]], targets: [[2, 3]] };
      expect(reports(own, [batch, batch, { ...batch, tokens: [[1, 9]] }])).toEqual([0, 1]);
      expect(own.steps([batch]).map(({ step }) => step)).toEqual([2]);
    });
  });
});

describe('what does not fit', () => {
  const refuse = (options: object, argument: string, says: string | RegExp) =>
    expectRefused(() => tril.trainer({ ...small, ...options }), {
      ...{ call: 'trainer', argument, says },
    });

  it('is refused before anything is made', () => {
    refuse({ learningRate: 0 }, 'learningRate', 'above 0');
    refuse({ learningRate: NaN }, 'learningRate', 'finite');
    refuse({ learningRate: '1' }, 'learningRate', 'must be a number');
    refuse({ batch: 0 }, 'batch', 'must be from 1');
    refuse({ batch: 1.5 }, 'batch', 'whole number');
    refuse({ beta2: 1 }, 'beta2', /beta2/);
    refuse({ clip: -1 }, 'clip', 'at least 0');
    refuse({ seed: -1 }, 'seed', 'from 0 to 2^53 - 1');
    refuse({ objective: 'before' }, 'objective', 'there are next, masked');
    refuse({ optimizer: 'adam' }, 'optimizer', 'there are adamw, sgd');
    refuse({ momentum: 0.9 }, 'momentum', "is sgd's, and this is adamw");
    refuse({ optimizer: 'sgd', momentum: 1 }, 'momentum', 'below 1');
    refuse({ optimizer: 'sgd', momentum: '1' }, 'momentum', 'must be a number');
    refuse({ learningRte: 1 }, 'learningRte', 'did you mean "learningRate"?');
    refuse({ model: { heads: 3 } }, 'heads', '3 does not divide width 128');
    refuse({ model: { ...model, kvHeads: 4 } }, 'kvHeads', '4 does not divide heads 2');
    refuse({ model: { layers: 0 } }, 'layers', 'must be from 1');
    refuse({ model: { depth: 2 } }, 'depth', 'unknown setting "depth"');
    refuse(
      { model: { family: 'bert' } },
      'family',
      'there are gpt2, llama, qwen2, qwen3, mistral, olmo2, gpt_neox, phi3, gemma2, gemma3_text, starcoder2, stablelm, smollm3',
    );
    const rotary = { ...model, family: 'llama' };
    refuse(
      { model: { ...rotary, rotaryScaling: 'yarn' } },
      'model.rotaryScaling',
      'linear, dynamic',
    );
    const scaled = { ...rotary, rotaryScaling: 'linear' };
    refuse({ model: { ...scaled, rotaryScalingFactor: 0 } }, 'rotaryScalingFactor', 'above 0');
    refuse({ model: { ...scaled, rotaryScalingFactor: '2' } }, 'rotaryScalingFactor', 'a number');
    const longrope = { ...rotary, rotaryScaling: 'longrope', rotaryScalingOriginal: 4 };
    refuse({ model: longrope }, 'rotaryScalingShort', 'one a pair, are 0');
    refuse(
      { model: { ...rotary, rotaryScalingShort: 2 } },
      'rotaryScalingShort',
      'a list of numbers',
    );
    refuse({ model: { ...rotary, rotaryScalingLong: ['2'] } }, 'rotaryScalingLong', 'a number');
    refuse({ model: { ...model, projectionBiases: 1 } }, 'projectionBiases', 'true or false');
    refuse({ model: { biases: 1 } }, 'biases', 'true or false');
    refuse({ model: 3 }, 'model', 'must be an object');
    refuse({ model: { ...model, causal: false } }, 'objective', 'a model that is causal');
    refuse({ tokenizer: 'letters' }, 'tokenizer', 'there are bytes, chars, words, bpe');
    refuse({ data: '' }, 'data', 'there is nothing to learn from');
    refuse({ data: new Int32Array() }, 'data', 'there is nothing to learn from');
    refuse({ data: 'short' }, 'data', 'a context of 8 asks for 9');
    refuse({ data: new Uint8Array(99).fill(255) }, 'data', 'is not UTF-8');
    refuse({ data: new Int32Array(99).fill(-1), model }, 'data', '-1 at 0 is below 0');
    refuse({ data: [1, 2, 3] }, 'data', 'must be a string, a Uint8Array or an Int32Array');
    refuse({ batches: [] }, 'batches', 'cannot be given together with data');
    refuse({ data: undefined, batches: 3 }, 'batches', 'must be iterable');
    refuse({ data: undefined }, 'vocabulary', 'must be from 1');
    refuse({ model: { width: 2 ** 20 } }, 'shape', /./);
  });

  it('is a module without training', () => {
    const refusal = { call: 'trainer', argument: 'training', says: '"tril/training"' };
    expectRefusedOf(() => (base as typeof tril).trainer(small), refusal);
  });

  it('is refused as a checkpoint', () => {
    withoutLeak(() => {
      const trainer = tril.trainer(small);
      const checkpoint = trainer.save();
      const says = 'and in the checkpoint';
      refuse({ checkpoint, model: { ...model, width: 32 } }, 'model.width', `is 32, ${says} 16`);
      refuse({ checkpoint, batch: 3 }, 'batch', `is 3, ${says} 2`);
      refuse({ checkpoint, data: `${text}.` }, 'data', 'is not what the checkpoint was trained on');
      refuse({ checkpoint: checkpoint.slice(0, 99) }, 'file', /./);
      refuse({ checkpoint: new Uint8Array() }, 'checkpoint', 'is empty');
      refuse({ checkpoint: 'text' }, 'checkpoint', 'must be a Uint8Array');
      const weights = trainer.export()['model.safetensors'];
      refuse({ checkpoint: weights }, 'model.family', 'this is no checkpoint');
      const other = tril.trainer({ ...small, seed: 2 });
      trainer.step();
      const state = trainer.save();
      expectRefused(() => trainer.restore(other.save()), {
        ...{ call: 'restore', argument: 'seed', says: `is 1337, ${says} 2` },
      });
      expectRefused(() => trainer.restore(weights), {
        ...{ call: 'restore', argument: 'model.family', says: 'no checkpoint' },
      });
      expect(trainer.save()).toEqual(state);
    });
  });

  it('is refused by every call of a trainer, which goes on', () => {
    withoutLeak(() => {
      const trainer = tril.trainer(small);
      const other = tril.trainer({ model: { ...model, vocabulary: 5 }, batches: [] });
      const state = trainer.save();
      const refuse_ = (
        body: () => unknown,
        call: string,
        argument: string,
        says: string | RegExp,
      ) => expectRefused(body, { call, argument, says });
      const nine = Array.from({ length: 9 }, (_, i) => i);
      const tokens = [1, 2, 3];
      for (const call of ['step', 'evaluate'] as const) {
        const run = (batch: object) => () => trainer[call](batch as TokenBatch);
        refuse_(run({ tokens, targets: [1, 2, 999] }), call, 'targets', '999 at [0, 2]');
        refuse_(run({ tokens: [-1, 2, 3], targets: tokens }), call, 'tokens', '-1 at [0, 0]');
        refuse_(run({ tokens: [nine], targets: [nine] }), call, 'tokens', 'the context is 8');
        refuse_(run({ tokens, targets: [[1, 2, 3]] }), call, 'targets', '[3], is [1, 3]');
        refuse_(run({ tokens }), call, 'targets', 'must be an array');
        refuse_(run({ tokens: [[[1]]], targets: [[[1]]] }), call, 'tokens', 'shape is [1, 1, 1]');
        refuse_(run({ tokens: [], targets: [] }), call, 'tokens', 'not empty');
        refuse_(run({ tokens: [0.5], targets: [1] }), call, 'tokens', 'whole numbers');
        refuse_(run({ tokens, target: tokens }), call, 'target', 'did you mean "targets"?');
        for (const none of [0, '', false]) {
          refuse_(run(none as never), call, 'batch', 'must be an object');
        }
        const eleven = new Int32Array(11);
        const flat = 'rows of 8';
        refuse_(run({ tokens: eleven, targets: eleven }), call, 'tokens', flat);
      }
      refuse_(() => other.step(), 'step', 'batches', 'there are no more');
      refuse_(() => other.evaluate(), 'evaluate', 'data', 'is too short: 0 tokens to measure on');
      refuse_(() => other.sample(), 'sample', 'prompt', 'is empty');
      refuse_(() => other.encode('a'), 'encode', 'tokenizer', 'there is none');
      refuse_(() => trainer.steps(-1), 'steps', 'count', 'at least 0');
      refuse_(() => trainer.sample({ temperature: -1 }), 'sample', 'temperature', 'at least 0');
      refuse_(() => trainer.sample({ top: 1 } as never), 'sample', 'top', 'unknown option');
      refuse_(() => trainer.generate({ prompt: [999] }), 'generate', 'tokens', '999 at [0, 0]');
      refuse_(() => trainer.decode([999]), 'decode', 'ids', '999');
      refuse_(() => trainer.trace(nine), 'trace', 'tokens', 'the context is 8');
      refuse_(
        () => trainer.parameters(['wte']),
        'parameters',
        'names',
        'there is no parameter wte',
      );
      refuse_(() => trainer.moments([1] as never), 'moments', 'names', "parameters' names");
      expect(trainer.save()).toEqual(state);
      trainer.dispose();
      refuse_(() => trainer.step(), 'step', 'trainer', 'has been disposed; it was Trainer gpt2');
    });
  });
});
