// Models in GGUF files: they equal the models of their folders; and wrong files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTril, type Model, type TrainingTril } from 'tril/training';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ggufFile, hasStories, smallLlama, storiesFile, story } from './gguf.js';

let tril: TrainingTril;
beforeAll(async () => {
  tril = await loadTril({ variant: 'simd' });
});
const { folder, file, values, tensors } = smallLlama();
const bytes = file();

const logitsOf = (model: Model) => {
  const { logits } = model.forward(model.encode('the thaw'));
  const read = logits.read();
  logits.dispose();
  return read;
};

describe('a GGUF file', () => {
  it('is the same model as its folder, from bytes, Blobs, Files and, in Node, a path', async () => {
    const expected = await tril.loadModel(folder);
    const logits = logitsOf(expected);
    const made = mkdtempSync(join(tmpdir(), 'tril-gguf-'));
    afterAll(() => rmSync(made, { recursive: true }));
    const path = join(made, 'small.gguf');
    writeFileSync(path, bytes);
    const sources = [
      { 'model.gguf': bytes },
      { 'a/b/small.gguf': new Blob([bytes]) },
      [new File([bytes], 'small.gguf')],
      path,
      made,
    ];
    for (const source of sources) {
      const steps: number[] = [];
      const model = await tril.loadModel(source, { progress: (read) => steps.push(read) });
      expect(steps.at(-1)).toBe(bytes.length);
      expect(model.config).toEqual(expected.config);
      expect(model.parameters).toEqual(expected.parameters);
      expect([...model.encode('the thaw<|end|>')]).toEqual([...expected.encode('the thaw<|end|>')]);
      expect(logitsOf(model)).toEqual(logits);
      // The exported model is a folder.
      const again = await tril.loadModel(model.export());
      expect(logitsOf(again)).toEqual(logits);
      again.dispose();
      model.dispose();
    }
    expected.dispose();
  });

  it('is read with another context, and with blocks of q8_0', async () => {
    const model = await tril.loadModel({ 'q8.gguf': file('Q8_0') }, { context: 16 });
    expect(model.config['max_position_embeddings']).toBe(16);
    const expected = await tril.loadModel({ 'model.gguf': bytes });
    const [near, exact] = [logitsOf(model), logitsOf(expected)];
    const largest = Math.max(...exact.map(Math.abs));
    near.forEach((x, n) => expect(Math.abs(x - exact[n]!)).toBeLessThan(0.1 * largest));
    model.dispose();
    expected.dispose();
  });

  it('keeps its blocks of q8_0 where it is asked to: the same model to rounding', async () => {
    const kept = await tril.loadModel({ 'q8.gguf': file('Q8_0') }, { weights: 'q8_0' });
    const widened = await tril.loadModel({ 'q8.gguf': file('Q8_0') });
    expect(kept.parameters.bytes).toBeLessThan(0.6 * widened.parameters.bytes);
    const [found, expected] = [logitsOf(kept), logitsOf(widened)];
    const largest = Math.max(...expected.map(Math.abs));
    found.forEach((x, n) => expect(Math.abs(x - expected[n]!)).toBeLessThan(1e-5 * largest));
    kept.dispose();
    widened.dispose();
  });

  it('is refused where it is wrong, and the next one is read', async () => {
    const before = tril.memory();
    const refused = async (wrong: Uint8Array, problem: RegExp) => {
      await expect(tril.loadModel({ 'model.gguf': wrong })).rejects.toThrow(problem);
      expect(tril.memory().bytes).toBe(before.bytes);
    };
    await refused(Buffer.from('no model'), /^loadModel: model\.gguf: byte 0: is not GGUF$/);
    await refused(new Uint8Array(0), /^loadModel: model\.gguf: byte 0: GGUF of 4 bytes? should/);
    for (let size = 1; size < 2000; size += 37) {
      await refused(bytes.subarray(0, size), /^loadModel: model\.gguf: byte \d+: /);
    }
    await refused(bytes.subarray(0, -64), /tensor "blk\.1\.ffn_down\.weight": .* do not fit/);
    const changed = (from: string, to: string) => {
      const copy = Buffer.from(bytes);
      copy.write(to, copy.indexOf(from));
      return copy;
    };
    await refused(changed('llama', 'mamba'), /unknown architecture "mamba"; there are gpt2, /);
    await refused(
      changed('llama.block_count', 'llama.block_kount'),
      /llama\.block_count: is missing/,
    );
    await refused(changed('gpt-2', 'gpt-7'), /unknown way of cutting texts "gpt-7"/);
    await refused(changed('attn_k.weight', 'attn_x.weight'), /attn_x\.weight: is no parameter/);
    const fewer = Object.fromEntries(
      Object.entries(values).filter(([key]) => key !== 'llama.embedding_length'),
    );
    await refused(ggufFile(fewer, tensors), /llama\.embedding_length: is missing/);
    await expect(tril.loadModel({ 'a.gguf': bytes, 'b.gguf': bytes })).rejects.toThrow(
      'loadModel: files: must have one .gguf file, or config.json, have a.gguf, b.gguf',
    );
    (await tril.loadModel({ 'model.gguf': bytes })).dispose();
  });
});

// The test is skipped without the file; gguf.ts says where it belongs.
it.skipIf(!hasStories)('stories260K tells the published story', async () => {
  const model = await tril.loadModel({ 'stories.gguf': new Blob([storiesFile()]) });
  let text = '';
  for await (const part of model.generate('', { maxTokens: 256, temperature: 0 }))
    text += part.text;
  expect(text.trimStart().startsWith(story.begin)).toBe(true);
  expect(text.endsWith(story.end)).toBe(true);
  model.dispose();
});
