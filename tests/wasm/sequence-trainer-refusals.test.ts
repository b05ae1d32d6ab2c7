// Training an encoder-decoder in JavaScript: wrong input is refused, and the trainer still works after it.
import { TrilError } from 'tril';
import type { SequenceBatch, SequenceBatches } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { expectRefused as refusedByBase, tril as base } from './helpers.js';
import { batchOf, expectRefused, sequenceModel as model, sequences as tril } from './sequences.js';
import { sequenceOptions as options, withoutLeak } from './sequences.js';

describe('a loss that is not finite', () => {
  it('stops the step, names the parameter, and leaves the last good state', () => {
    withoutLeak(() => {
      const wild = { learningRate: 1e30, lowestRate: 1e30, warmup: 0, clip: 0 };
      const trainer = tril.sequenceTrainer({ ...options, ...wild });
      let error: unknown;
      let state = trainer.save();
      for (let n = 0; n < 20 && !error; ++n) {
        state = trainer.save();
        try {
          trainer.step(batchOf(n));
        } catch (thrown) {
          error = thrown;
        }
      }
      expect(error).toBeInstanceOf(TrilError);
      expect(error).toMatchObject({ call: 'step', argument: 'loss' });
      const says = /is .* in step \d+: the gradient of \S+ is not finite$/;
      expect((error as TrilError).problem).toMatch(says);
      expect(trainer.save()).toEqual(state);
      const bias = 'transformer.decoder.layers.0.linear1.bias';
      const good = tril.sequenceTrainer(options);
      const before = good.save();
      const broken = tril.tensor(new Array<number>(12).fill(NaN));
      const kept = good.parameters([bias]);
      good.setParameters({ [bias]: broken });
      expectRefused(() => good.step(batchOf(0)), { call: 'step', argument: 'loss', says });
      good.setParameters(kept);
      expect(good.save()).toEqual(before);
      expect(good.step(batchOf(0)).step).toBe(0);
    });
  });
});

describe('several steps', () => {
  it('tell of those before the one that fails', () => {
    withoutLeak(() => {
      const trainer = tril.sequenceTrainer(options);
      const wrong = { ...batchOf(1), labels: [[99]] };
      let error: unknown;
      try {
        trainer.steps([batchOf(0), batchOf(1), wrong, batchOf(2)]);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(TrilError);
      expect((error as TrilError).steps?.map(({ step }) => step)).toEqual([0, 1]);
      expect(trainer.done).toBe(2);
    });
  });
});

describe('what does not fit', () => {
  const refuse = (given: object, argument: string, says: string | RegExp) =>
    expectRefused(() => tril.sequenceTrainer({ ...options, ...given }), {
      ...{ call: 'sequenceTrainer', argument, says },
    });

  it('is refused before anything is made', () => {
    refuse({ learningRate: 0 }, 'learningRate', 'above 0');
    refuse({ learningRate: -1 }, 'learningRate', 'above 0');
    refuse({ learningRate: NaN }, 'learningRate', 'finite');
    refuse({ learningRate: '1' }, 'learningRate', 'must be a number');
    refuse({ clip: -1 }, 'clip', 'at least 0');
    refuse({ beta1: 1 }, 'beta1', 'below 1');
    refuse({ seed: 0.5 }, 'seed', 'whole number');
    refuse({ learningrate: 1 }, 'learningrate', 'did you mean "learningRate"?');
    refuse({ batches: 3 }, 'batches', 'must be iterable');
    refuse({ batches: 'text' }, 'batches', 'must be iterable');
    refuse({ model: 3 }, 'model', 'must be an object');
    const sizes = (given: object, argument: string, says: string) =>
      refuse({ model: { ...model, ...given } }, argument, says);
    sizes({ heads: 3 }, 'heads', '3 does not divide width 8');
    sizes({ width: 9 }, 'width', 'must be even, is 9');
    sizes({ sourceVocabulary: 0 }, 'sourceVocabulary', 'must be from 1 to 16777216, is 0');
    sizes({ decoderLayers: 0 }, 'decoderLayers', 'must be from 1');
    sizes({ hidden: 1.5 }, 'hidden', 'whole number');
    sizes({ norm: 'before' }, 'model.norm', 'there are post, pre');
    sizes({ activation: 'tanh' }, 'model.activation', 'there are relu');
    sizes({ positions: 'learned' }, 'model.positions', 'there are sinusoidal, rotary');
    sizes({ positions: 'rotary', width: 10 }, 'heads', 'must have an even width, is 5');
    sizes({ gated: 1 }, 'gated', 'must be true or false');
    sizes({ layers: 2 }, 'layers', 'unknown setting');
    for (const dropout of [-0.1, 1, NaN]) sizes({ dropout }, 'dropout', 'from 0 to below 1, is');
    sizes({ dropout: '0.1' }, 'dropout', 'must be a number');
    refuse({ model: { targetVocabulary: 3 } }, 'sourceVocabulary', 'is 0');
    expectRefused(() => tril.sequenceTrainer(null as never), {
      ...{ call: 'sequenceTrainer', argument: 'options', says: 'must be an object' },
    });
    const huge = { width: 2 ** 13, hidden: 2 ** 13 };
    sizes(huge, 'memory', 'floats cannot be addressed');
  });

  it('is refused by a module without training', () => {
    const x = base.zeros([1]);
    for (const call of ['trainer', 'sequenceTrainer'] as const) {
      refusedByBase(() => (base as typeof tril)[call](), {
        ...{ call, argument: 'training', says: 'not in the module' },
      });
    }
    x.dispose();
  });

  it('is refused where a checkpoint is of another trainer', () => {
    withoutLeak(() => {
      const trainer = tril.sequenceTrainer(options);
      const checkpoint = trainer.save();
      const says = 'and in the checkpoint';
      refuse({ checkpoint, clip: 2 }, 'clip', `is 2, ${says} 1`);
      refuse({ checkpoint, model: { ...model, hidden: 16 } }, 'model.hidden', `is 16, ${says} 12`);
      refuse({ checkpoint: checkpoint.slice(0, 99) }, 'file', /./);
      refuse({ checkpoint: new Uint8Array() }, 'checkpoint', 'is empty');
      refuse({ checkpoint: 'text' }, 'checkpoint', 'must be a Uint8Array');
      const other = tril.trainer({ model: { width: 16, heads: 2, vocabulary: 9 } }).save();
      refuse({ checkpoint: other }, 'checkpoint', 'is that of a language model');
      trainer.step(batchOf(0));
      const state = trainer.save();
      const restore = (bytes: unknown, argument: string, why: string) =>
        expectRefused(() => trainer.restore(bytes as Uint8Array), {
          ...{ call: 'restore', argument, says: why },
        });
      const clipped = tril.sequenceTrainer({ ...options, clip: 2 }).save();
      restore(clipped, 'clip', `is 1, ${says} 2`);
      restore(other, 'checkpoint', 'is that of a language model');
      restore([1], 'checkpoint', 'must be a Uint8Array');
      expect(trainer.save()).toEqual(state);
      const longer = tril.sequenceTrainer({ checkpoint: state, steps: 40 });
      expect(longer.settings.steps).toBe(40);
    });
  });

  it('is refused by every call of a trainer, which goes on', () => {
    withoutLeak(() => {
      const trainer = tril.sequenceTrainer(options);
      const empty = tril.sequenceTrainer({ ...options, batches: [] });
      const state = trainer.save();
      const refused = (
        body: () => unknown,
        call: string,
        argument: string,
        says: string | RegExp,
      ) => expectRefused(body, { call, argument, says });
      const good = { source: [[1, 2]], target: [[0, 3]], labels: [[3, 4]] };
      const seven = [[0, 1, 2, 3, 4, 5, 0]];
      for (const call of ['step', 'evaluate'] as const) {
        const wrong = (part: object, argument: string, says: string) =>
          refused(() => trainer[call]({ ...good, ...part }), call, argument, says);
        wrong({ labels: [[3, 7]] }, 'labels', '7 at [0, 1] is outside the vocabulary (0..6)');
        wrong({ target: [[0, -100]] }, 'target', '-100 at [0, 1]');
        wrong({ source: [[6, 2]] }, 'source', '6 at [0, 0] is outside the vocabulary (0..5)');
        wrong({ source: seven }, 'source', '7 in a row, but the context is 6');
        wrong({ target: [0, 3] }, 'target', 'must have the batches of source, [1, 2], is [2]');
        wrong({ labels: [[3]] }, 'labels', 'must have the shape of target, [1, 2], is [1, 1]');
        wrong({ labels: undefined }, 'labels', 'must be an array');
        wrong({ source: [] }, 'source', 'not empty');
        wrong({ source: [[[1]]] }, 'source', 'shape is [1, 1, 1]');
        wrong({ source: [[0.5, 1]] }, 'source', 'whole numbers');
        wrong({ label: [[1]] }, 'label', 'did you mean "labels"?');
        const bad: SequenceBatch = { ...good, labels: [[3, 7]] };
        const run = (batches: unknown) => () => trainer[call](batches as SequenceBatches);
        refused(run([good, { ...good, source: [] }]), call, 'batches.1.source', 'not empty');
        refused(run([good, 3]), call, 'batches.1.batch', 'must be an object');
        refused(run([good, bad]), call, 'batches.1.labels', '7 at [0, 1]');
        refused(run([]), call, 'batches', 'there are none');
      }
      refused(() => trainer.step(), 'step', 'batches', 'there are none: give the step its own');
      refused(() => empty.step(), 'step', 'batches', 'there are no more');
      refused(() => trainer.steps(-1), 'steps', 'count', 'at least 0');
      refused(() => trainer.evaluate(undefined as never), 'evaluate', 'batch', 'must be an object');
      refused(() => trainer.logits([[1]], [[7]]), 'logits', 'target', '7 at [0, 0]');
      refused(() => trainer.logits([[1], [2]], [[1]]), 'logits', 'target', '[2, 1], is [1, 1]');
      const say = (how: object) => () => trainer.translate([1, 2], how);
      refused(say({ tokens: 7 }), 'translate', 'tokens', 'to the context, 6, is 7');
      refused(say({ tokens: 0 }), 'translate', 'tokens', 'at least 1');
      refused(say({ begin: 7 }), 'translate', 'begin', '7 is outside the vocabulary (0..6)');
      refused(say({ end: -1 }), 'translate', 'end', 'at least 0');
      refused(say({ end: 7 }), 'translate', 'end', '7 is outside the vocabulary (0..6)');
      refused(say({ stop: 7 }), 'translate', 'stop', 'unknown option');
      refused(() => trainer.translate([6]), 'translate', 'source', '6 at [0, 0]');
      refused(() => trainer.parameters(['wte']), 'parameters', 'names', 'no parameter wte');
      refused(() => trainer.moments([1] as never), 'moments', 'names', "parameters' names");
      const [fits, not] = [tril.zeros([7]), tril.zeros([8])];
      const set = (values: unknown, argument: string, says: string) =>
        refused(() => trainer.setParameters(values as never), 'setParameters', argument, says);
      set({ 'generator.bias': not }, 'generator.bias', 'the shape of the parameter, [7]');
      set({ 'generator.bias': fits, none: fits }, 'values', 'there is no parameter none');
      set([fits], 'values', 'must be an object');
      expect(trainer.save()).toEqual(state);
      expect(trainer.step(good).step).toBe(0);
      trainer.dispose();
      refused(
        () => trainer.step(good),
        'step',
        'trainer',
        'disposed; it was SequenceTrainer 2 and',
      );
    });
  });

  it('is refused where a task cannot be drawn', () => {
    const wrong = (task: unknown, how: object, argument: string, says: string) =>
      expectRefused(() => tril.drawSequences(task as 'sort', how), {
        ...{ call: 'drawSequences', argument, says },
      });
    wrong('shuffle', {}, 'task', 'there are reverse, sort');
    wrong(3, {}, 'task', 'must be a string');
    wrong('sort', { batch: 0 }, 'batch', 'at least 1');
    wrong('sort', { tokens: 1.5 }, 'tokens', 'whole number');
    wrong('sort', { vocabulary: 1 }, 'vocabulary', 'at least 2');
    wrong('sort', { seed: -1 }, 'seed', '2^53 - 1');
    wrong('sort', { step: -1 }, 'step', 'at least 0');
    wrong('sort', { rows: 1 }, 'rows', 'unknown option');
  });
});
