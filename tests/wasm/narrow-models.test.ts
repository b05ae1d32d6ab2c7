// Models whose files have 16-bit numbers: they keep that size in memory, and say what they say with the same numbers as
// floats, bit for bit.
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
      // A cache line for each of 26 parameters at most.
      expect(bytes).toBeGreaterThanOrEqual(2 * matrices + 4 * vectors);
      expect(bytes).toBeLessThan(2 * matrices + 4 * vectors + 27 * 64 + 2 * 80);
      expect(Object.isFrozen(model.parameters)).toBe(true);
    });
    await withModel(floats, (model) => {
      expect(Object.keys(model.parameters.types)).toEqual(['float32']);
    });
  });
});
