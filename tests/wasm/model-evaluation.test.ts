// Saved models, loaded again with the same bits; and their loss on a text.
import { TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { farthest, filesOf, tokens, tril, values, withModel } from './golden-models.js';

const families = ['gpt2', 'llama', 'qwen2'];
const data = 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40);
const settings = { layers: 1, heads: 2, width: 16, context: 16 };
const trainer = tril.trainer({ model: settings, data, learningRate: 1e-2, steps: 60, batch: 8 });
trainer.steps(60);
const trained = trainer.export();

function refusalOf(body: () => unknown): string {
  const before = tril.memory();
  let error: unknown;
  try {
    body();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(TrilError);
  expect(tril.memory()).toMatchObject({ tensors: before.tensors, bytes: before.bytes });
  return (error as TrilError).message;
}

describe('export', () => {
  it.each(families)('gives back what was loaded, bit for bit: %s', async (name) => {
    let files = {};
    let logits: number[] = [];
    let about: unknown;
    await withModel(filesOf(name), (model) => {
      files = model.export();
      about = [model.config, model.parameters];
      tril.scope(() => (logits = values(model.forward(tokens).logits)));
    });
    await withModel(files, (model) => {
      expect([model.config, model.parameters]).toEqual(about);
      tril.scope(() => expect(values(model.forward(tokens).logits)).toEqual(logits));
      expect(model.export()).toEqual(files);
    });
  });

  it('is that of the trainer, tokenizer and all', () =>
    withModel(trained, (model) => {
      expect(model.export()).toEqual(trained);
    }));

  it('keeps what ends a text, whichever file says so', async () => {
    const text = JSON.stringify({ eos_token_id: [3, 7] });
    const generation = { 'generation_config.json': new TextEncoder().encode(text) };
    const ends = (file: Uint8Array) =>
      (JSON.parse(new TextDecoder().decode(file)) as { eos_token_id?: unknown }).eos_token_id;
    await withModel({ ...trained, ...generation }, async (model) => {
      const files = model.export();
      expect(ends(files['config.json'])).toEqual([3, 7]);
      await withModel(files, (again) => expect(again.export()).toEqual(files));
    });
  });

  it('is refused once the model is disposed', async () => {
    const model = await tril.loadModel(trained);
    model.dispose();
    expect(refusalOf(() => model.export())).toBe('export: model: has been disposed');
    expect(refusalOf(() => model.evaluate('ab'))).toBe('evaluate: model: has been disposed');
  });
});

describe('evaluate', () => {
  /** The loss of a token after others, in double precision. */
  const lossOf = (row: readonly number[], token: number) => {
    const most = Math.max(...row);
    const sum = row.reduce((all, each) => all + Math.exp(each - most), 0);
    return most + Math.log(sum) - row[token]!;
  };

  it.each(families)('is the loss of each token by the logits before it: %s', (name) =>
    withModel(filesOf(name), (model) => {
      const found = model.evaluate(tokens);
      const rows = tril.scope(() => model.forward(tokens).logits.toArray<number[][]>());
      const expected = tokens.slice(1).map((token, n) => lossOf(rows[n]!, token));
      expect(farthest([...found.losses], expected)).toBeLessThan(1e-4);
      const mean = expected.reduce((sum, each) => sum + each) / expected.length;
      expect(Math.abs(found.loss - mean)).toBeLessThan(1e-4);
      expect(found.perplexity).toBe(Math.exp(found.loss));
      expect(found.counted).toBe(tokens.length - 1);
      expect(found.correct).toBe(
        tokens.slice(1).filter((token, n) => rows[n]!.indexOf(Math.max(...rows[n]!)) === token)
          .length,
      );
      expect([...found.tokens]).toEqual(tokens);
    }),
  );

  it('takes a text, and goes on beyond the context in windows of half of it', () =>
    withModel(trained, (model) => {
      const text = data.slice(5, 75);
      const ids = [...model.encode(text)];
      const found = model.evaluate(text);
      expect([...found.tokens]).toEqual(ids);
      expect(found).toEqual(model.evaluate(ids));
      expect(found.losses).toHaveLength(ids.length - 1);
      for (const [n, loss] of found.losses.entries()) {
        const begin = n < 16 ? 0 : 8 * (Math.floor((n - 16) / 8) + 1);
        const seen = ids.slice(begin, n + 1);
        const row = tril.scope(() => values(model.forward(seen, { last: true }).logits));
        expect(Math.abs(loss - lossOf(row, ids[n + 1]!))).toBeLessThan(1e-4);
      }
      // The training text has a lower loss than unseen text.
      expect(found.loss).toBeLessThan(model.evaluate('zyxwvut').loss - 1);
    }));

  it('is that of the trainer on the same tokens', () =>
    withModel(trained, (model) => {
      const row = [...trainer.encode(data.slice(0, 17))];
      const batch = { tokens: [row.slice(0, -1)], targets: [row.slice(1)] };
      const { loss, counted, correct } = trainer.evaluate(batch);
      const found = model.evaluate(row);
      expect(found).toMatchObject({ counted, correct });
      expect(Math.abs(found.loss - loss)).toBeLessThan(1e-5);
    }));

  it('is refused where there is nothing to predict', async () => {
    await withModel(trained, (model) => {
      const refusal = (text: unknown) => refusalOf(() => model.evaluate(text as string));
      const least = 'must be at least 2, one to predict from another, are';
      expect(refusal('a')).toBe(`evaluate: tokens: ${least} 1`);
      expect(refusal([])).toBe(`evaluate: tokens: ${least} 0`);
      expect(refusal([[1], [2]])).toBe('evaluate: tokens: must be one list, [T]; shape is [2, 1]');
      expect(refusal([1, 2, 999])).toMatch(/^evaluate: tokens: 999 at 2 is outside the vocabulary/);
      expect(refusal(3)).toContain('evaluate: tokens: must be an array');
      expect(model.evaluate('ab').counted).toBe(1);
    });
    const both = { ...settings, causal: false, vocabulary: 9 };
    const encoder = tril.trainer({ model: both, batches: [] });
    await withModel(encoder.export(), (model) => {
      expect(refusalOf(() => model.evaluate([1, 2]))).toBe(
        'evaluate: config: is not causal, so it predicts no token from those before it',
      );
      expect(refusalOf(() => model.evaluate('ab'))).toBe(
        'evaluate: tokenizer: there was none among the files',
      );
    });
    encoder.dispose();
  });
});
