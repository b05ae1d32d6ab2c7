// Models of three families from their files, against PyTorch in float64 (tests/golden/make_models.py), opened up,
// and going on with texts; and files that are refused.
import { openAsBlob, readFileSync, readdirSync } from 'node:fs';
import { TrilError, type Tensor } from 'tril';
import {
  loadTril,
  type ForwardOptions,
  type Model,
  type Replacement,
  type TextOptions,
} from 'tril/training';
import { describe, expect, it } from 'vitest';
import { golden } from './golden.js';

const tril = await loadTril({ variant: 'simd' });
const folder = (name: string) => new URL(`../golden/models/${name}/`, import.meta.url);
/** All but the golden arrays. */
const filesOf = (name: string): Record<string, Uint8Array> =>
  Object.fromEntries(
    readdirSync(folder(name))
      .filter((file) => !file.endsWith('.npy'))
      .map((file) => [file, new Uint8Array(readFileSync(new URL(file, folder(name))))]),
  );
const tokens = Array.from({ length: 24 }, (_, n) => (7 * n * n + 3 * n + 1) % 48);
const values = (tensor: Tensor) => [...tensor.read()];
const largest = (numbers: readonly number[]) => Math.max(...numbers.map(Math.abs));
const farthest = (a: readonly number[], b: readonly number[]) =>
  largest(a.map((x, i) => x - b[i]!));

/** Runs `body` on a model; all memory is given back after it. */
async function withModel(
  files: Parameters<typeof tril.loadModel>[0],
  body: (model: Model) => Promise<void> | void,
) {
  const before = tril.memory();
  const model = await tril.loadModel(files);
  try {
    await body(model);
  } finally {
    model.dispose();
  }
  expect(tril.memory()).toEqual(before);
}

describe('a model', () => {
  it.each(['gpt2', 'llama', 'qwen2'])("of the family %s says what PyTorch's says", (name) =>
    withModel(filesOf(name), (model) => {
      const expected = [...golden(`models/${name}/logits`).values];
      const { logits } = model.forward(tokens);
      expect(logits.shape).toEqual([24, 48]);
      expect(farthest(values(logits), expected)).toBeLessThan(1e-4 * largest(expected));
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
          expect(row.reduce((sum, x) => sum + x)).toBeCloseTo(1, 5);
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

describe('a model that is changed', () => {
  const others = tokens.map((token) => (5 * token + 11) % 48);

  it.each(['gpt2', 'qwen2'])('by its own activations says the same to the bit (%s)', (name) =>
    withModel(filesOf(name), (model) => {
      tril.scope(() => {
        const { logits, trace } = model.forward(tokens, { trace: true });
        const width = trace!.embedded.shape[1]!;
        const replace: Replacement[] = trace!.layers.flatMap((at, layer) => [
          ...at.heads.toArray<number[][][]>().map((rows, head) => ({ layer, head, values: rows })),
          { layer, part: 'attention' as const, values: at.attention },
          { layer, part: 'feedForward' as const, values: at.feedForward },
          { layer, part: 'residual' as const, values: at.out },
        ]);
        replace.push({ layer: -1, part: 'residual', values: trace!.embedded });
        for (const each of [...replace.map((one) => [one]), replace]) {
          expect(values(model.forward(tokens, { replace: each }).logits)).toEqual(values(logits));
        }
        // What attention and feed-forward add is what the residual stream grows by.
        const [x, added, between] = [
          trace!.embedded,
          trace!.layers[0]!.attention,
          trace!.layers[0]!.between,
        ];
        expect(values(x).map((one, i) => Math.fround(one + values(added)[i]!))).toEqual(
          values(between),
        );
        expect(added.shape).toEqual([24, width]);
      });
    }),
  );

  it('by activations of another text says what that says', () =>
    withModel(filesOf('llama'), (model) => {
      tril.scope(() => {
        const here = model.forward(tokens, { trace: true });
        const there = model.forward(others, { trace: true });
        const [ours, theirs] = [here, there].map(({ logits }) => logits.toArray<number[][]>());
        const rows = there.trace!.layers[1]!.out.toArray<number[][]>();
        const patched = (...replace: Replacement[]) =>
          model.forward(tokens, { replace }).logits.toArray<number[][]>();
        // Behind the last layer, at the last position.
        const last = patched({ layer: 1, part: 'residual', positions: 23, values: rows[23]! });
        expect(last).toEqual([...ours!.slice(0, 23), theirs![23]]);
        const some = patched({
          layer: 1,
          part: 'residual',
          positions: [3, 20],
          values: [rows[3]!, rows[20]!],
        });
        expect(some).toEqual(ours!.map((row, t) => (t === 3 || t === 20 ? theirs![t] : row)));
        // In front of the first, everywhere.
        expect(patched({ layer: -1, part: 'residual', values: there.trace!.embedded })).toEqual(
          theirs,
        );
        // Of a head: what is before it stays, and what is behind it looks back.
        const head = there.trace!.layers[0]!.heads.toArray<number[][][]>()[2]!;
        const behind = patched({
          layer: 0,
          head: 2,
          positions: 10,
          values: Float32Array.from(head[10]!),
        });
        expect(behind.slice(0, 10)).toEqual(ours!.slice(0, 10));
        expect(farthest(behind[10]!, ours![10]!)).toBeGreaterThan(1e-5);
        expect(farthest(behind[23]!, ours![23]!)).toBeGreaterThan(1e-6);
        // And nothing is kept of it.
        expect(model.forward(tokens).logits.toArray()).toEqual(ours);
      });
    }));

  it('is without heads and parts, at some positions or all', () =>
    withModel(filesOf('gpt2'), (model) => {
      tril.scope(() => {
        const said = (options: ForwardOptions) => values(model.forward(tokens, options).logits);
        const zeros = (
          layer: number,
          part: 'attention' | 'feedForward',
          positions?: number,
        ): Replacement => ({
          ...{ layer, part, values: new Float32Array(16) },
          ...(positions !== undefined && { positions }),
        });
        expect(said({ without: [{ layer: 1, part: 'attention' }] })).toEqual(
          said({ replace: [zeros(1, 'attention')] }),
        );
        expect(said({ without: [{ layer: 0, positions: 4 }] })).toEqual(
          said({ replace: [zeros(0, 'attention', 4), zeros(0, 'feedForward', 4)] }),
        );
        const all = { without: [{ layer: 0, positions: tokens.map((_, t) => t) }] };
        expect(said(all)).toEqual(said({ without: [{ layer: 0 }] }));
        const head = said({ without: [{ layer: 0, head: 1, positions: [20] }] });
        const before = said({});
        expect(head.slice(0, 20 * 48)).toEqual(before.slice(0, 20 * 48));
        expect(farthest(head.slice(20 * 48), before.slice(20 * 48))).toBeGreaterThan(1e-5);
      });
    }));

  it('goes on with a text so', () =>
    withModel(filesOf('llama'), async (model) => {
      const prompt = tokens.slice(0, 6);
      const drawn = async (options: TextOptions) => {
        const found: number[] = [];
        const given = { maxTokens: 8, temperature: 0, ...options };
        for await (const { token } of model.generate(prompt, given))
          if (token !== undefined) found.push(token);
        return found;
      };
      const { trace, logits } = model.forward(others, { trace: true });
      const rows = trace!.layers[1]!.out.toArray<number[][]>();
      logits.dispose();
      const changes = {
        without: [{ layer: 0, head: 1 }],
        replace: [
          { layer: 1, part: 'residual' as const, positions: [5, 7], values: [rows[5]!, rows[7]!] },
        ],
      };
      const found = await drawn(changes);
      const all = [...prompt];
      for (const token of found) {
        const { logits: said } = model.forward(all, {
          without: changes.without,
          replace: changes.replace.map((each) => {
            const positions = each.positions.filter((position) => position < all.length);
            return { ...each, positions, values: each.values.slice(0, positions.length) };
          }),
        });
        const last = said.toArray<number[][]>().at(-1)!;
        said.dispose();
        expect(token).toBe(last.indexOf(Math.max(...last)));
        all.push(token);
      }
      expect(found).not.toEqual(await drawn({}));
      for (const each of [
        trace!.embedded,
        ...trace!.layers.flatMap((layer) => Object.values(layer)),
      ])
        each.dispose();
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
    let text = '';
    const drawn: number[] = [];
    for await (const part of model.generate(...args)) {
      text += part.text;
      if (part.token !== undefined) drawn.push(part.token);
    }
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
    const sizes = { n_layer: 1, n_head: 1, n_embd: 31, n_positions: 540_000, vocab_size: 2 ** 24 };
    const large = JSON.stringify({ model_type: 'gpt2', ...sizes });
    await refused(
      load({ 'config.json': new TextEncoder().encode(large), 'model.safetensors': new Blob() }),
      /^loadModel: memory: does not suffice: the parameters take 2047 MiB, and there are [0-9]+$/,
    );
    const files = filesOf('llama');
    const part = 'model-00002-of-00003.safetensors';
    await refused(
      load({ ...files, [part]: files[part]!.slice(0, 900) }),
      /^loadModel: model-00002/,
    );
    delete files[part];
    await refused(load(files), `loadModel: files: ${part} is missing`);
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
