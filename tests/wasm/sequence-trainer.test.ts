// Training an encoder-decoder in JavaScript: against the core's own parts, on tasks with known answers. Wrong input is
// tested in sequence-trainer-refusals.test.ts.
import { describe, expect, it } from 'vitest';
import { bits, epsilon, expectClose } from './reference.js';
import { batchOf, sequenceModel as model, sequenceOptions as options } from './sequences.js';
import { sequences as tril, withoutLeak } from './sequences.js';

/** The tolerance of encoder_decoder_test.cc: fewer than 60 operations in a row, each a sum of up to 24 terms. */
const rounded = 60 * 24 * (epsilon / 2);

describe('a trainer of sequences', () => {
  it('has the logits of nn.Transformer over its parameters', () => {
    withoutLeak(() => {
      for (const norm of ['post', 'pre'] as const) {
        const trainer = tril.sequenceTrainer({ ...options, model: { ...model, norm } });
        trainer.steps([batchOf(0), batchOf(1)]);
        const all = trainer.parameters();
        const { source, target } = batchOf(2);
        const embed = (ids: number[][], name: string) => {
          const table = all[`${name}_tok_emb.embedding.weight`]!;
          const scaled = tril.multiply(tril.embedding(ids, table), Math.sqrt(model.width));
          return tril.add(scaled, tril.sinusoidalPositions(ids[0]!.length, model.width));
        };
        const weights = Object.fromEntries(
          Object.entries(all)
            .filter(([name]) => name.startsWith('transformer.'))
            .map(([name, tensor]) => [name.slice('transformer.'.length), tensor]),
        );
        const { output } = tril.transformer(embed(source, 'src'), embed(target, 'tgt'), weights, {
          ...{ heads: model.heads, causal: true, norm },
        });
        const expected = tril.linear(output, all['generator.weight']!, all['generator.bias']);
        const found = trainer.logits(source, target);
        expect(found.shape).toEqual([3, 4, 7]);
        const largest = Math.max(...expected.read().map(Math.abs));
        expectClose(found.read(), [...expected.read()], rounded * largest);
        const { labels } = batchOf(2);
        const { loss, correct } = tril.crossEntropy(found, labels);
        const evaluated = trainer.evaluate(batchOf(2));
        expect(Math.abs(evaluated.loss - loss)).toBeLessThan(rounded * loss);
        expect(evaluated).toMatchObject({ correct, counted: 11 });
      }
    });
  });

  it.each([0, 0.3])('goes on with the same bits after save and restore, dropout %s', (dropout) => {
    withoutLeak(() => {
      const whole = tril.sequenceTrainer({ ...options, model: { ...model, dropout }, seed: 5 });
      const both = [[batchOf(0), batchOf(1, 2)], batchOf(2), [batchOf(3)]];
      whole.steps(both);
      const checkpoint = whole.save();
      const go = (trainer: typeof whole) =>
        trainer.steps(both).map(({ loss, gradientNorm, step }) => [loss, gradientNorm, step]);
      const expected = go(whole);
      const end = whole.save();
      const copy = tril.sequenceTrainer({ checkpoint });
      expect(copy.settings).toEqual(whole.settings);
      expect(copy.settings.seed).toBe(5);
      expect(copy.settings.model.dropout).toBe(dropout);
      expect(copy.done).toBe(3);
      whole.restore(checkpoint);
      for (const trainer of [copy, whole]) {
        expect(go(trainer)).toEqual(expected);
        expect(trainer.save()).toEqual(end);
      }
    });
  });

  it('leaves out in steps alone, by the seed', () => {
    withoutLeak(() => {
      const [none, dropping, same, other] = [0, 0.5, 0.5, 0.5].map((dropout, n) =>
        tril.sequenceTrainer({ ...options, model: { ...model, dropout }, seed: n < 3 ? 1 : 2 }),
      );
      other!.setParameters(none!.parameters()); // which the seed initialised, too
      for (const each of [dropping!, other!]) {
        expect(each.evaluate(batchOf(0))).toEqual(none!.evaluate(batchOf(0)));
      }
      const losses = [none, dropping, same, other].map((each) => each!.step(batchOf(0)).loss);
      expect(losses[2]).toBe(losses[1]);
      expect(new Set(losses).size).toBe(3);
    });
  });

  it('adds up the gradients of several batches', () => {
    withoutLeak(() => {
      const [one, other] = [batchOf(0), batchOf(1)];
      const join = (name: 'source' | 'target' | 'labels') => [...one[name], ...other[name]];
      const together = { source: join('source'), target: join('target'), labels: join('labels') };
      const [a, b] = [tril.sequenceTrainer(options), tril.sequenceTrainer(options)];
      const [whole, parts] = [a.step(together), b.step([one, other])];
      expect(parts.tokens).toBe(whole.tokens);
      // 24 labels, whose gradients are added up in another order.
      const allowed = 24 * rounded;
      expect(Math.abs(parts.loss - whole.loss)).toBeLessThan(allowed * whole.loss);
      const [before, after] = [a.gradients(), b.gradients()];
      for (const [name, gradient] of Object.entries(before)) {
        expectClose(after[name]!.read(), [...gradient.read()], allowed * whole.gradientNorm);
      }
    });
  });

  it('moves as AdamW says, by gradients and moments that can be read', () => {
    withoutLeak(() => {
      const rate = 1e-2;
      const even = { learningRate: rate, lowestRate: rate, warmup: 0, steps: 20, eps: 1e-8 };
      const trainer = tril.sequenceTrainer({ model, ...even, clip: 0.5, weightDecay: 0.1 });
      const before = trainer.parameters();
      const step = trainer.step(batchOf(0));
      expect(step).toMatchObject({ step: 0, learningRate: rate, tokens: 3 * (5 + 4) });
      expect(step.gradientNorm).toBeGreaterThan(0.5);
      const [after, gradients] = [trainer.parameters(), trainer.gradients()];
      const { first, second } = trainer.moments();
      const scale = 0.5 / (step.gradientNorm + 1e-6);
      expect(Object.keys(gradients)).toEqual(Object.keys(before));
      for (const [name, x] of Object.entries(before)) {
        const g = [...gradients[name]!.read()].map((value) => value * scale);
        const largest = Math.max(...g.map(Math.abs));
        const close = (found: Float32Array, wanted: number[], size: number) =>
          expectClose(found, wanted, 8 * epsilon * size);
        close(first[name]!.read(), g.map((value) => 0.1 * value), largest); // prettier-ignore
        close(second[name]!.read(), g.map((value) => 0.02 * value ** 2), largest ** 2); // prettier-ignore
        const decay = x.rank > 1 ? rate * 0.1 : 0;
        const moved = [...x.read()].map(
          (value, i) => value * (1 - decay) - (rate * g[i]!) / (Math.abs(g[i]!) + 1e-8),
        );
        // As in trainer.test.ts: where the gradient is close to eps, both it and its square are rounded.
        expectClose(after[name]!.read(), moved, epsilon * (2 + 64 * rate));
      }
      const some = ['generator.bias', 'transformer.encoder.norm.weight'];
      expect(Object.keys(trainer.parameters(some))).toEqual(some);
    });
  });

  it.each(['reverse', 'sort'] as const)('learns to %s, and says so', (task) => {
    withoutLeak(() => {
      const drawn = { batch: 32, tokens: 6, vocabulary: 9 };
      const trainer = tril.sequenceTrainer({
        model: {
          ...{ sourceVocabulary: 9, targetVocabulary: 9, context: 6, norm: 'pre' },
          ...{ encoderLayers: 1, decoderLayers: 1, heads: 2, width: 32, hidden: 64 },
        },
        batches: Array.from({ length: 400 }, (_, step) =>
          tril.drawSequences(task, { ...drawn, step }),
        ),
        ...{ learningRate: 5e-3, lowestRate: 5e-4, warmup: 20, steps: 400, seed: 1 },
      });
      const [first] = trainer.steps(400);
      expect(first!.loss).toBeGreaterThan(Math.log(8));
      const unseen = tril.drawSequences(task, { ...drawn, batch: 64, seed: 2 });
      const { loss, counted, correct } = trainer.evaluate(unseen);
      expect(loss).toBeLessThan(0.02);
      expect([counted, correct]).toEqual([64 * 6, 64 * 6]);
      expect(trainer.translate(unseen.source).map((row) => [...row])).toEqual(unseen.labels);
      const [one] = unseen.source;
      expect([...trainer.translate(one!)]).toEqual(unseen.labels[0]);
      expect([...trainer.translate(Int32Array.from(one!), { tokens: 2 })]).toEqual(
        unseen.labels[0]!.slice(0, 2),
      );
    });
  });

  it('stops saying where a row ends', () => {
    withoutLeak(() => {
      const trainer = tril.sequenceTrainer(options);
      trainer.steps(Array.from({ length: 8 }, (_, n) => batchOf(n)));
      const { source } = batchOf(9);
      const said = trainer.translate(source).map((row) => [...row]);
      expect(said.map(({ length }) => length)).toEqual([6, 6, 6]);
      const end = said[0]![2]!;
      const cut = said.map((row) => (row.includes(end) ? row.slice(0, row.indexOf(end)) : row));
      expect(trainer.translate(source, { end }).map((row) => [...row])).toEqual(cut);
      // The logits after the first token predict the next one.
      for (const begin of [0, 3]) {
        const logits = trainer.logits([source[0]!], [[begin]]).read();
        const most = logits.indexOf(Math.max(...logits));
        expect(trainer.translate(source[0]!, { begin, tokens: 1 })[0]).toBe(most);
      }
    });
  });

  it('has the parameters that are put there', () => {
    withoutLeak(() => {
      const one = tril.sequenceTrainer(options);
      const other = tril.sequenceTrainer({ ...options, seed: 2 });
      expect(one.evaluate(batchOf(0)).loss).not.toBe(other.evaluate(batchOf(0)).loss);
      expect(one.setParameters(other.parameters())).toBe(one);
      expect(one.evaluate([batchOf(0), batchOf(1)])).toEqual(
        other.evaluate([batchOf(0), batchOf(1)]),
      );
      const name = 'transformer.decoder.layers.0.multihead_attn.in_proj_weight';
      const zeros = tril.zeros([24, 8]);
      one.setParameters({ [name]: zeros });
      expect(bits(one.parameters([name])[name]!)).toEqual(bits(zeros));
    });
  });

  it('takes the settings of language models: rotary positions and a gated feed-forward', () => {
    withoutLeak(() => {
      const settings = { positions: 'rotary', gated: true, activation: 'silu' } as const;
      const trainer = tril.sequenceTrainer({ ...options, model: { ...model, ...settings } });
      const name = 'transformer.encoder.layers.0.linear1.weight';
      expect(trainer.parameters([name])[name]!.shape).toEqual([2 * model.hidden, model.width]);
      const losses = Array.from({ length: 15 }, () => trainer.step(batchOf(0)).loss);
      expect(losses.at(-1)).toBeLessThan(losses[0]!);
      const again = tril.sequenceTrainer({ checkpoint: trainer.save() });
      expect(again.settings.model).toMatchObject(settings);
      expect(again.step(batchOf(0)).loss).toBe(trainer.step(batchOf(0)).loss);
    });
  });

  it('tells what it has, and gives it back', () => {
    const { bytes } = tril.memory();
    const trainer = tril.sequenceTrainer(options);
    expect(trainer.settings).toEqual({
      ...{ learningRate: 0.01, lowestRate: 0.001, warmup: 1, steps: 20, clip: 1, seed: 1337 },
      ...{ beta1: 0.9, beta2: 0.98, eps: 1e-9, weightDecay: 0 },
      model: {
        ...{ ...model, norm: 'post', activation: 'relu', eps: 1e-5, dropout: 0 },
        ...{ positions: 'sinusoidal', gated: false },
      },
    });
    const count = Object.values(trainer.parameters()).reduce((sum, { size }) => sum + size, 0);
    expect(trainer.parameterCount).toBe(count);
    expect(String(trainer)).toBe(
      `SequenceTrainer 2 and 1 layers of 2 heads, width 8, ${count} parameters`,
    );
    // At least parameters, gradients and both moments.
    expect(tril.memory().bytes - bytes).toBeGreaterThan(4 * 4 * count);
    tril.scope(() => void tril.sequenceTrainer(options)); // the scope frees it
    const kept = tril.scope(() => tril.sequenceTrainer(options));
    expect(kept.disposed).toBe(false);
    kept.dispose();
    trainer.dispose();
    trainer.dispose();
    expect(trainer.disposed).toBe(true);
  });

  it('draws the batches of a task by seed and step alone', () => {
    const drawn = { batch: 20, tokens: 4, vocabulary: 5, seed: 7 };
    for (const task of ['reverse', 'sort'] as const) {
      const { source, target, labels } = tril.drawSequences(task, drawn);
      expect(source.length).toBe(20);
      source.forEach((row, b) => {
        expect(row.every((token) => token >= 1 && token < 5)).toBe(true);
        const expected = task === 'sort' ? [...row].sort() : [...row].reverse();
        expect(labels[b]).toEqual(expected);
        expect(target[b]).toEqual([0, ...expected.slice(0, 3)]);
      });
      expect(tril.drawSequences(task, drawn).source).toEqual(source);
      expect(tril.drawSequences(task, { ...drawn, step: 1 }).source).not.toEqual(source);
      expect(tril.drawSequences(task, { ...drawn, seed: 8 }).source).not.toEqual(source);
    }
  });
});
