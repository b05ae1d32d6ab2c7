// Models of three families from their files, against PyTorch in float64 (tests/golden/make_models.py), opened up,
// and going on with texts; and files that are refused.
import { openAsBlob, readdirSync } from 'node:fs';
import { TrilError } from 'tril';
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
  it.each(['gpt2', 'llama', 'qwen2'])("of the family %s says what PyTorch's says", (name) =>
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

    // No more of a file is in memory at once than its header or one tensor.
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
        // The first sees those behind it.
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
        // Each row of weights is a distribution over what it may see.
        const rows = layers[1]!.weights.toArray<number[][][]>()[3]!;
        for (const [t, row] of rows.entries()) {
          const off = Math.abs(row.reduce((sum, x) => sum + x) - 1);
          expect(off).toBeLessThanOrEqual(sumTolerance(row.length));
          expect(largest([0, ...row.slice(t + 1)])).toBe(0);
        }
        // Behind the last layer the logit lens is the model.
        expect(values(layers[1]!.logits)).toEqual(values(logits));
        expect(farthest(values(layers[0]!.logits), values(logits))).toBeGreaterThan(0.01);
        // What is left without both layers is the embedding.
        const without = [{ layer: 0 }, { layer: 1 }];
        const bare = model.forward(tokens, { trace: true, without });
        expect(values(bare.trace!.layers[1]!.out)).toEqual(values(embedded));
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
      // Who leaves early leaves nothing behind.
      for await (const part of model.generate('the')) if (part.text !== '') break;
      const ended = AbortSignal.abort('enough');
      await expect(textOf(model, 'the', { signal: ended })).rejects.toBe('enough');
    }));

  // A timer cannot come before another task has its turn.
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

describe('what does not fit', () => {
  const refused = async (body: () => Promise<unknown>, message: string | RegExp) => {
    const before = tril.memory();
    const error: unknown = await body().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(TrilError);
    if (typeof message === 'string') expect((error as TrilError).message).toBe(message);
    else expect((error as TrilError).message).toMatch(message);
    expect(tril.memory()).toEqual(before);
  };
  const changed = (file: string, from: string, to: string) => {
    const files = filesOf('llama');
    const text = new TextDecoder().decode(files[file]);
    expect(text).toContain(from);
    return { ...files, [file]: new TextEncoder().encode(text.replace(from, to)) };
  };

  it('is refused in one line, and nothing is kept', async () => {
    const load = (files: unknown) => () => tril.loadModel(files as never);
    await refused(load(3), /^loadModel: files: must be files by their names, .* is 3$/);
    await refused(load({}), 'loadModel: files: config.json is missing');
    await refused(load(new Uint8Array(4)), /^loadModel: files: .* is a Uint8Array$/);
    await refused(load([new Blob(['{}'])]), /^loadModel: files: .* is an array$/);
    await refused(
      load({ ...filesOf('llama'), 'tokenizer.json': new Uint8Array() }),
      'loadModel: tokenizer.json: is empty',
    );
    await refused(
      load(changed('config.json', '"llama"', '"bert"')),
      'loadModel: config.json: model_type: unknown family "bert"; there are gpt2, llama, qwen2',
    );
    await refused(
      load(changed('config.json', '"factor": 8.0', '"factor": 0')),
      'loadModel: config.json: rope_scaling.factor: must be finite and above 0, is 0',
    );
    await refused(
      load(changed('config.json', '"num_hidden_layers": 2', '"num_hidden_layers": 3')),
      /^loadModel: model\.layers\.2\.input_layernorm\.weight: is missing; its shape would be \[16\]$/,
    );
    const sized = (vocabulary: number) =>
      load(changed('config.json', '"vocab_size": 48', `"vocab_size": ${vocabulary}`));
    await refused(
      sized(1e9),
      'loadModel: config.json: vocabulary: must be from 1 to 16777216, is 1000000000',
    );
    // The most that may be asked for, which is more than is left beside what is there.
    const sizes = { n_layer: 1, n_head: 1, n_embd: 62, n_positions: 540_000, vocab_size: 2 ** 24 };
    const large = JSON.stringify({ model_type: 'gpt2', ...sizes });
    await refused(
      load({ 'config.json': new TextEncoder().encode(large), 'model.safetensors': new Blob() }),
      /^loadModel: memory: does not suffice: the parameters, of 16 bits each, take 2047 MiB, and there are [0-9]+$/,
    );
    const files = filesOf('llama');
    const part = 'model-00002-of-00003.safetensors';
    await refused(
      load({ ...files, [part]: files[part]!.slice(0, 900) }),
      /^loadModel: model-00002/,
    );
    delete files[part];
    await refused(load(files), `loadModel: files: ${part} is missing`);
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
    const page = '\n<!DOCTYPE html>\n<html lang="en"><head><title>SmolLM2</title></head></html>';
    for (const name of ['config.json', 'tokenizer.json', 'model.safetensors.index.json', part]) {
      const instead = (text: string) =>
        load({ ...filesOf('llama'), [name]: new TextEncoder().encode(text) });
      await refused(
        instead(pointer),
        `loadModel: ${name}: is a Git LFS pointer, not the file: run \`git lfs pull\` where it was ` +
          'cloned, or download the file itself',
      );
      await refused(
        instead(page),
        `loadModel: ${name}: is a web page, not the file: download the file itself (at Hugging Face ` +
          'its address has /resolve/ in it, that of the page /blob/)',
      );
    }
  });

  it('of a call', () =>
    withModel(filesOf('gpt2'), async (model) => {
      await refused(
        async () => model.forward([48]),
        'forward: tokens: 48 at 0 is no token of a vocabulary of 48',
      );
      await refused(async () => model.forward(Array<number>(33).fill(1)), /context is 32$/);
      await refused(
        async () =>
          model.forward([
            [1, 2],
            [3, 4],
          ]),
        'forward: tokens: must be one list, [T]; shape is [2, 2]',
      );
      await refused(
        () => model.generate([[1], [2]]).next(),
        'generate: prompt: must be one list, [T]; shape is [2, 1]',
      );
      await refused(
        async () => model.forward([1], { without: [{ layer: 2 }] }),
        'forward: without.layer: must be below 2, is 2',
      );
      const replaced = (each: object) => async () =>
        model.forward([1, 2], { replace: [each as never] });
      const row = new Float32Array(16);
      await refused(
        replaced({ layer: 0, values: row }),
        'forward: replace: must have either a head or a part',
      );
      await refused(
        replaced({ layer: 0, part: 'output', values: row }),
        /^forward: replace.part: unknown part "output"; .*attention, feedForward, residual$/,
      );
      await refused(
        replaced({ layer: 2, part: 'residual', values: row }),
        'forward: replace.layer: must be below 2, is 2',
      );
      await refused(
        replaced({ layer: -1, part: 'attention', values: row }),
        'forward: replace.layer: must be a whole number of at least 0, is -1',
      );
      await refused(
        replaced({ layer: 0, head: 4, values: row }),
        'forward: replace.head: must be below 4, is 4',
      );
      await refused(
        replaced({ layer: 0, part: 'attention', positions: [0, 2], values: row }),
        'forward: replace.positions: must be below 2, is 2',
      );
      await refused(
        replaced({ layer: 0, head: 1, values: row }),
        'forward: replace.values: shape must be [4] or [2, 4], is [16]',
      );
      await refused(
        replaced({ layer: 0, part: 'residual', positions: 1, values: [[1, 2]] }),
        'forward: replace.values: shape must be [16] or [1, 16], is [1, 2]',
      );
      await refused(
        replaced({ layer: 0, part: 'residual' }),
        /^forward: replace.values: must be an array/,
      );
      await refused(
        replaced({ layer: 0, part: 'residual', value: row }),
        /did you mean "values"\?$/,
      );
      await refused(
        async () => model.forward([1], { replace: 3 as never }),
        /^forward: replace: must be a list/,
      );
      await refused(
        async () =>
          model.forward([1], {
            without: [{ layer: 1 }],
            replace: [{ layer: 1, part: 'attention', values: row }],
          }),
        /^forward: .*: has a value, and layer 1 is left out$/,
      );
      await refused(
        async () => model.forward([1], { without: [{ layer: 0, head: 1, part: 'attention' }] }),
        'forward: without: has both a head and a part',
      );
      await refused(
        () => model.generate([1], { without: [{ layer: 0, positions: 32 }] }).next(),
        'generate: without.positions: must be below 32, is 32',
      );
      await refused(async () => model.encode('a'), /^encode: tokenizer: there was none/);
      await refused(() => model.generate([]).next(), /^generate: prompt: is empty/);
      await refused(
        () => model.generate([1], { topP: 0 }).next(),
        /^generate: topP: must be above 0/,
      );
      await refused(() => model.generate([1], { stop: 3 as never }).next(), /^generate: stop: /);
      await refused(
        () => model.generate([1], { signal: 3 as never }).next(),
        'generate: signal: must be an AbortSignal, is 3',
      );
    }));
});
