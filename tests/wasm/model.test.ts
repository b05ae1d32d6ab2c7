// Models of all families from their files, against PyTorch in float64 (tests/golden/make_models.py), with their traces
// and generated texts.
import { openAsBlob, readdirSync } from 'node:fs';
import type { Model } from 'tril/training';
import { describe, expect, it } from 'vitest';
import {
  farthest,
  filesOf,
  folder,
  largest,
  tokens,
  tril,
  values,
  withModel,
} from './golden-models.js';
import { golden } from './golden.js';
import { logitsTolerance, sumTolerance } from './reference.js';

describe('a model', () => {
  it.each([
    ...['gpt2', 'llama', 'qwen2', 'qwen3', 'mistral', 'olmo2', 'gpt_neox', 'phi3', 'gemma2'],
    ...['gemma3_text', 'starcoder2', 'stablelm', 'smollm3'],
  ])("of the family %s says what PyTorch's says", (name) =>
    withModel(filesOf(name), (model) => {
      const expected = [...golden(`models/${name}/logits`).values];
      const { logits } = model.forward(tokens);
      expect(logits.shape).toEqual([24, 48]);
      expect(farthest(values(logits), expected)).toBeLessThan(logitsTolerance * largest(expected));
      logits.dispose();
      expect(model.config['model_type']).toBe(name);
    }),
  );

  it('comes from Blobs, tensor by tensor, with progress', async () => {
    const names = readdirSync(folder('llama')).filter((file) => !file.endsWith('.npy'));
    const blobs = await Promise.all(
      names.map(async (name) => [name, await openAsBlob(new URL(name, folder('llama')))] as const),
    );
    const told: [number, number][] = [];
    const model = await tril.loadModel(Object.fromEntries(blobs), {
      progress: (read, all) => told.push([read, all]),
    });
    model.dispose();
    expect(told.length).toBeGreaterThan(10);
    const [read, all] = [told.map(([one]) => one), told[0]![1]];
    expect(read).toEqual([...new Set(read)].sort((a, b) => a - b));
    expect([read.at(-1), new Set(told.map((one) => one[1]))]).toEqual([all, new Set([all])]);

    // Memory holds at most a file's header or one tensor at a time.
    class Watched extends Blob {
      static most = 0;
      override slice(from = 0, to = this.size): Blob {
        Watched.most = Math.max(Watched.most, to - from);
        return super.slice(from, to);
      }
      override arrayBuffer(): Promise<ArrayBuffer> {
        throw new Error('all at once');
      }
    }
    const files = filesOf('qwen2');
    const weights = files['model.safetensors']!;
    const watched = { ...files, 'model.safetensors': new Watched([new Uint8Array(weights)]) };
    (await tril.loadModel(watched)).dispose();
    const length = Number(new DataView(weights.buffer, weights.byteOffset).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(weights.subarray(8, 8 + length))) as Record<
      string,
      { data_offsets?: [number, number] }
    >;
    const sizes = Object.values(header).map(({ data_offsets: [from, to] = [0, 0] }) => to - from);
    expect(Watched.most).toBe(Math.max(8 + length, ...sizes));
  });

  it.each(['gpt2', 'llama'] as const)('may see both ways: a masked encoder, %s', async (family) => {
    const trainer = tril.trainer({
      model: { family, layers: 2, heads: 2, width: 16, context: 12 },
      ...{ data: 'the cat sat on the mat. '.repeat(40), objective: 'masked', steps: 2 },
    });
    trainer.steps(2);
    await withModel(trainer.export(), async (model) => {
      const text = model.encode('the cat sat');
      tril.scope(() => {
        const { logits, trace } = model.forward(text, { trace: true });
        const expected = values(trainer.trace(text).logits);
        expect(farthest(values(logits), expected)).toBeLessThan(
          2 * logitsTolerance * largest(expected),
        );
        // The first token sees later ones.
        expect(largest(trace!.layers[0]!.weights.toArray<number[][][]>()[0]![0]!)).toBeLessThan(1);
        const other = model.forward(model.encode('the cat sit')).logits;
        expect(farthest(values(other).slice(0, 9), values(logits).slice(0, 9))).toBeGreaterThan(0);
      });
      await expect(model.generate('the').next()).rejects.toThrow(
        'generate: config: is not causal, so it cannot continue a text token by token',
      );
    });
    trainer.dispose();
  });

  it('is opened up', () =>
    withModel(filesOf('qwen2'), (model) => {
      tril.scope(() => {
        const { logits, trace } = model.forward(tokens, { trace: true });
        const { embedded, layers } = trace!;
        expect(embedded.shape).toEqual([24, 16]);
        expect(layers.map(({ weights }) => weights.shape)).toEqual([
          [4, 24, 24],
          [4, 24, 24],
        ]);
        expect(layers[0]!.keys.shape).toEqual([2, 24, 4]);
        expect(layers[0]!.hidden.shape).toEqual([24, 80]);
        // Each row of weights is a distribution over its visible keys.
        const rows = layers[1]!.weights.toArray<number[][][]>()[3]!;
        for (const [t, row] of rows.entries()) {
          const off = Math.abs(row.reduce((sum, x) => sum + x) - 1);
          expect(off).toBeLessThanOrEqual(sumTolerance(row.length));
          expect(largest([0, ...row.slice(t + 1)])).toBe(0);
        }
        const lean = model.forward(tokens, { trace: { lens: false, scores: false } }).trace!;
        const missing = (n: number) =>
          Object.keys(layers[n]!)
            .filter((name) => !(name in lean.layers[n]!))
            .sort();
        expect([missing(0), missing(1)]).toEqual([
          ['logits', 'scores'],
          ['logits', 'scores'],
        ]);
        expect(values(lean.layers[1]!.weights)).toEqual(values(layers[1]!.weights));
        // Softmax of the visible scores gives the weights; rotated vectors keep their length.
        const scores = layers[0]!.scores!.toArray<number[][][]>()[1]!;
        const { weights } = layers[0]!;
        for (const [t, row] of scores.entries()) {
          const seen = tril.softmax(tril.tensor([1, t + 1], row.slice(0, t + 1))).read();
          const given = weights.toArray<number[][][]>()[1]![t]!.slice(0, t + 1);
          expect(farthest([...seen], given)).toBeLessThan(sumTolerance(row.length));
        }
        for (const [turned, as] of [
          ['queries', 'unrotatedQueries'],
          ['keys', 'unrotatedKeys'],
        ] as const) {
          const [after, first] = [values(layers[0]![turned]), values(layers[0]![as]!)];
          expect(after.slice(0, 4)).toEqual(first.slice(0, 4)); // the first token has position 0
          expect(farthest(after, first)).toBeGreaterThan(0.01);
          const square = (all: number[]) => all.reduce((sum, x) => sum + x * x, 0);
          expect(Math.abs(square(after) / square(first) - 1)).toBeLessThan(1e-5);
        }
        expect(trace!.lnFinal.shape).toEqual([24, 16]);
        // After the last layer the logit lens is the model's output.
        expect(values(layers[1]!.logits!)).toEqual(values(logits));
        expect(farthest(values(layers[0]!.logits!), values(logits))).toBeGreaterThan(0.01);
        // Without both layers only the embedding is left.
        const without = [{ layer: 0 }, { layer: 1 }];
        const bare = model.forward(tokens, { trace: true, without });
        expect(values(bare.trace!.layers[1]!.residPost)).toEqual(values(embedded));
        const head = model.forward(tokens, { trace: true, without: [{ layer: 1, head: 2 }] });
        const heads = head.trace!.layers[1]!.heads.toArray<number[][][]>();
        expect(heads.map((each) => largest(each.flat()) > 0)).toEqual([true, true, false, true]);
        expect(farthest(values(head.logits), values(logits))).toBeGreaterThan(1e-4);
      });
    }));
});

describe('a text', () => {
  const data = 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40);
  const settings = { layers: 1, heads: 2, width: 16, context: 16 };
  const trainer = tril.trainer({ model: settings, data, learningRate: 1e-2, steps: 60, batch: 8 });
  trainer.steps(60);
  const files = trainer.export();
  trainer.dispose();
  const textOf = async (model: Model, ...args: Parameters<Model['generate']>) => {
    const begin = performance.now();
    let [text, times] = ['', 0];
    const drawn: number[] = [];
    for await (const part of model.generate(...args)) {
      text += part.text;
      if (part.token !== undefined) drawn.push(part.token);
      times += part.milliseconds;
    }
    expect(times).toBeGreaterThan(0);
    expect(times).toBeLessThanOrEqual(performance.now() - begin);
    return { text, drawn };
  };

  it('goes on with what the model holds most likely, cached as uncached', () =>
    withModel(files, async (model) => {
      const { drawn, text } = await textOf(model, 'the', { maxTokens: 10, temperature: 0 });
      const all = [...model.encode('the')];
      for (const token of drawn) {
        const { logits } = model.forward(all);
        const last = logits.toArray<number[][]>().at(-1)!;
        logits.dispose();
        expect(token).toBe(last.indexOf(Math.max(...last)));
        all.push(token);
      }
      expect(drawn).toHaveLength(10);
      expect(model.decode(drawn)).toBe(text);
    }));

  it('is a function of the seed, goes on beyond the context, and stops', () =>
    withModel(files, async (model) => {
      const drawn = (seed: number) => textOf(model, 'the', { maxTokens: 40, topP: 0.9, seed });
      const first = await drawn(1);
      expect(first.drawn).toHaveLength(40);
      expect(await drawn(1)).toEqual(first);
      expect(await drawn(2)).not.toEqual(first);
      const whole = await textOf(model, 'the', { temperature: 0 });
      const stop = whole.text.slice(7, 9);
      const cut = await textOf(model, 'the', { temperature: 0, stop: ['never', stop] });
      expect(cut.text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
      // A loop that ends early leaves nothing behind.
      for await (const part of model.generate('the')) if (part.text !== '') break;
      const ended = AbortSignal.abort('enough');
      await expect(textOf(model, 'the', { signal: ended })).rejects.toBe('enough');
    }));

  // A timer can only fire between two tasks.
  it('lets others have their turn, however quick its tokens are', () =>
    withModel(files, async (model) => {
      const control = new AbortController();
      setTimeout(() => control.abort('enough'));
      const options = { maxTokens: 200_000, signal: control.signal };
      await expect(textOf(model, 'the', options)).rejects.toBe('enough');
    }));

  it('ends with its model, which keeps nothing for it', async () => {
    const before = tril.memory();
    const model = await tril.loadModel(files);
    const text = model.generate('the', { maxTokens: 2 ** 31 - 1 });
    await text.next();
    model.dispose();
    expect(tril.memory()).toEqual(before);
    await expect(text.next()).rejects.toThrow('generate: model: has been disposed');
  });

  it('comes back from its tokens as it was, whatever it begins with', () =>
    withModel(files, (model) => {
      for (const text of ['the', '\ufeffthe', 'ä\ufeff']) {
        expect(model.decode(model.encode(text))).toBe(text);
      }
    }));

  it('has characters whole, whatever their bytes', () =>
    withModel(files, async (model) => {
      const { text } = await textOf(model, 'ä ö', { maxTokens: 60, temperature: 0 });
      expect(text.slice(0, -1)).not.toContain('\ufffd');
    }));
});
