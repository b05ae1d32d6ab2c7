// Models with 16-bit numbers in their files: they keep that size in memory, and give the same results as with the same
// numbers as floats, bit for bit.
import { describe, expect, it } from 'vitest';
import { filesOf, tokens, tril, values, withModel } from './golden-models.js';

/** The tensors of a model's files, rounded to a type: in one file of that type, and in one of floats. */
async function rounded(name: string, dtype: 'float16' | 'bfloat16') {
  const files = filesOf(name);
  const parts = Object.keys(files).filter((file) => file.endsWith('.safetensors'));
  const read = async (file: string, bytes: Uint8Array) =>
    Object.fromEntries(
      (await tril.readArrays(bytes, file)).map((array) => [array.name, array.tensor]),
    );
  const tensors = Object.assign(
    {},
    ...(await Promise.all(parts.map((file) => read(file, files[file]!)))),
  ) as Awaited<ReturnType<typeof read>>;
  const narrow = tril.writeSafetensors(tensors, { dtype });
  const same = await read('model.safetensors', narrow);
  const floats = tril.writeSafetensors(same);
  for (const each of [...Object.values(tensors), ...Object.values(same)]) each.dispose();
  const settings = { 'config.json': files['config.json']! };
  return {
    narrow: { ...settings, 'model.safetensors': narrow },
    floats: { ...settings, 'model.safetensors': floats },
  };
}

describe.each(['float16', 'bfloat16'] as const)('a model of %s', (dtype) => {
  it.each(['gpt2', 'llama', 'qwen2'])('of the family %s says what its floats say', async (name) => {
    const { narrow, floats } = await rounded(name, dtype);
    await withModel(floats, (expected) =>
      withModel(narrow, async (model) => {
        for (const count of [1, 2, 5, 24]) {
          const some = tokens.slice(0, count);
          const options = { trace: true, without: [{ layer: 1, head: 1 }] };
          tril.scope(() => {
            const one = expected.forward(some, options);
            const other = model.forward(some, options);
            expect(values(other.logits)).toEqual(values(one.logits));
            const lens = (each: typeof one) => values(each.trace!.layers[0]!.logits!);
            expect(lens(other)).toEqual(lens(one));
          });
        }
        const drawn = async (of: typeof model) => {
          const all: number[] = [];
          for await (const { token } of of.generate([1, 2], { maxTokens: 12, seed: 3 })) {
            if (token !== undefined) all.push(token);
          }
          return all;
        };
        expect(await drawn(model)).toEqual(await drawn(expected));
      }),
    );
  });

  it('takes what its file takes, and says so', async () => {
    const { narrow, floats } = await rounded('qwen2', dtype);
    const before = tril.memory().bytes;
    await withModel(narrow, (model) => {
      const { count, bytes, types } = model.parameters;
      expect(tril.memory().bytes - before).toBe(bytes);
      expect(Object.keys(types)).toEqual(['float32', dtype]);
      const [vectors, matrices] = [types.float32!, types[dtype]!];
      expect(vectors + matrices).toBe(count);
      expect(matrices).toBeGreaterThan(10 * vectors);
      // At most one cache line for each of 26 parameters.
      expect(bytes).toBeGreaterThanOrEqual(2 * matrices + 4 * vectors);
      expect(bytes).toBeLessThan(2 * matrices + 4 * vectors + 27 * 64);
      expect(Object.isFrozen(model.parameters)).toBe(true);
    });
    await withModel(floats, (model) => {
      expect(Object.keys(model.parameters.types)).toEqual(['float32']);
    });
  });
});

describe('a model whose matrices are q8_0', () => {
  const options = { weights: 'q8_0' } as const;

  it.each(['gpt2', 'llama', 'gemma2'])(
    'of the family %s says what they stand for',
    async (name) => {
      const model = await tril.loadModel(filesOf(name), options);
      const { types } = model.parameters;
      expect(types.q8_0).toBeGreaterThan(types.float32!);
      // The exported model has those numbers as floats.
      const floats = await tril.loadModel({ ...filesOf(name), ...model.export() });
      expect(Object.keys(floats.parameters.types)).toEqual(['float32']);
      expect(floats.parameters.count).toBe(model.parameters.count);
      expect(model.parameters.bytes).toBeLessThan(0.7 * floats.parameters.bytes);
      for (const count of [1, 5, 24]) {
        tril.scope(() => {
          const expected = values(floats.forward(tokens.slice(0, count)).logits);
          const largest = Math.max(...expected.map(Math.abs));
          const actual = values(model.forward(tokens.slice(0, count)).logits);
          for (const [i, value] of actual.entries()) {
            expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-4 * largest);
          }
        });
      }
      model.dispose();
      floats.dispose();
    },
  );

  it('is refused by another name, and the next one is loaded', async () => {
    const files = filesOf('llama');
    await expect(tril.loadModel(files, { weights: 'q4_0' })).rejects.toThrow(
      'loadModel: weights: unknown kind "q4_0"',
    );
    await expect(tril.loadModel(files, { weights: 8 as never })).rejects.toThrow('weights');
    const model = await tril.loadModel(files, options);
    expect(model.parameters.types.q8_0).toBeGreaterThan(0);
    model.dispose();
  });
});
