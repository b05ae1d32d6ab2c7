// Ownership: data that a caller passes to a Worker stays the caller's, whatever its type; and a Worker frees the
// objects of its callers, by its own count.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { filesOf, folder as folderOf, tril as local } from './golden-models.js';
import { tril } from './remote.js';

const folder = folderOf('llama');
const names = Object.keys(filesOf('llama'));

describe('what a caller owns', () => {
  it('is left alone where a model is loaded from Buffers of Node', async () => {
    const bySync = names.map((name) => [name, readFileSync(new URL(name, folder))] as const);
    const byPromise = await Promise.all(
      names.map(async (name) => [name, await readFile(new URL(name, folder))] as const),
    );
    const inPool = names.map((name, i) => [name, Buffer.from(bySync[i]![1])] as const);
    expect(Buffer.from('a').buffer.byteLength).toBeGreaterThan(1); // the pool that small Buffers share
    const here = await local.loadModel(Object.fromEntries(bySync));
    const expected = here.forward([1, 2]).logits.read();
    for (const files of [bySync, byPromise, inPool]) {
      const model = await tril.loadModel(Object.fromEntries(files));
      expect(await (await model.forward([1, 2])).logits.read()).toEqual(expected);
      await model.dispose();
      files.forEach(([name, bytes], i) => {
        expect(bytes.equals(readFileSync(new URL(name, folder))), name).toBe(true);
        expect(bytes.length).toBe(bySync[i]![1].length);
      });
    }
  });

  it('is left alone by every call that takes arrays, and may change at once', async () => {
    const model = { layers: 1, heads: 1, width: 8, context: 4 };
    const text = new TextEncoder().encode('abcd'.repeat(30));
    const npy = local.writeNpy(local.tensor([1, 2]));
    const checkpoint = local.trainer({ model, data: text }).save();
    const x = await tril.zeros([2]);
    const trainer = await tril.trainer({ model, data: text });
    const words = new TextEncoder().encode('cat dog hen. '.repeat(300));
    const rows = await tril.tensor([[1], [2]]);
    const calls: [Uint8Array | Int32Array | Float32Array, (bytes: never) => Promise<unknown>][] = [
      [Float32Array.of(1, 2), (data) => tril.tensor(data)],
      [Float32Array.of(1, 2), (data) => x.write(data)],
      [Int32Array.of(1, 0), (data) => tril.embedding(data, rows)],
      [npy, (data) => tril.readArrays(data)],
      [text, (data) => tril.trainer({ model, data })],
      [
        Int32Array.from(text),
        (data) => tril.trainer({ model: { ...model, vocabulary: 128 }, data }),
      ],
      [checkpoint, (data) => tril.trainer({ checkpoint: data, data: text })],
      [checkpoint, (data) => trainer.restore(data)],
      [Int32Array.of(1, 2), (tokens) => trainer.step({ tokens, targets: tokens })],
      [Int32Array.of(1, 2), (tokens) => trainer.evaluate({ tokens, targets: tokens })],
      [Int32Array.of(97, 98), (tokens) => trainer.decode(tokens)],
      [Int32Array.of(97, 98), (tokens) => trainer.trace(tokens)],
      [words, (data) => tril.wordVectors({ data, width: 4 })],
      [words, (data) => tril.wordVectors({ data: [data], width: 4 })],
    ];
    for (const [values, call] of calls) {
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      // A buffer as a whole, as a part of a larger one, and in shared memory.
      for (const buffer of [
        new ArrayBuffer(bytes.length + 16),
        new SharedArrayBuffer(bytes.length + 16),
      ]) {
        const all = new Uint8Array(buffer).fill(7);
        all.set(bytes, 8);
        const kind = values.constructor as Uint8ArrayConstructor;
        const given = new kind(buffer, 8, values.length);
        const asked = call(given as never);
        const before = all.slice();
        expect(buffer.byteLength).toBe(bytes.length + 16);
        all.fill(0, 8, -8); // the call has the data from when it was made
        await asked;
        expect(before.subarray(8, -8)).toEqual(bytes);
        expect([...all.subarray(0, 8), ...all.subarray(-8)]).toEqual(Array(16).fill(7));
      }
    }
    await trainer.dispose();
  });
});

describe('what a Worker holds', () => {
  const objects = async () => (await tril.memory()).objects;

  it('is given back by dispose, whatever it is', async () => {
    const before = await objects();
    const x = await tril.randomNormal([4, 4], { seed: 1 });
    const masks = [
      await tril.mask.causal(),
      await tril.mask.window({ left: 1 }),
      await tril.mask.padding([4]),
      await tril.mask.dense(x, { kind: 'additive' }),
    ];
    const both = await tril.mask.and(...masks.slice(0, 2));
    const cache = await tril.keyValueCache({ heads: 1, width: 4, capacity: 8 });
    const trainer = await tril.trainer({
      model: { layers: 1, width: 8, heads: 1, context: 4, vocabulary: 9 },
    });
    const weights = { 'linear1.weight': x, 'linear2.weight': x };
    const prepared = await tril.prepareWeights({ ...weights, 'linear1.bias': null });
    const model = await tril.loadModel(await trainer.export());
    expect(await objects()).toBe(before + 11);
    expect(Object.keys(prepared)).toEqual(['linear1.weight', 'linear2.weight', 'linear1.bias']);
    const [plain, packed] = [
      await tril.feedForward(x, weights),
      await tril.feedForward(x, prepared),
    ];
    expect((await tril.compare(plain.output, packed.output)).maxAbsolute).toBeLessThan(1e-5);
    await Promise.all([plain.output.dispose(), packed.output.dispose()]);
    expect(prepared[Symbol.asyncDispose ?? 'dispose']).toBe(prepared.dispose);
    await prepared.dispose();
    await prepared.dispose();
    expect(prepared['linear1.weight'].disposed).toBe(true);
    await expect(tril.feedForward(x, prepared)).rejects.toThrow('has been disposed');
    await expect(tril.prepareWeights({ x: 1 })).rejects.toThrow('prepareWeights: x');
    expect(await objects()).toBe(before + 9);
    const stream = model.generate([1], { maxTokens: 5 });
    await stream.next();
    expect(await objects()).toBe(before + 10);
    await stream.return(undefined);
    expect(await objects()).toBe(before + 9);
    for (const each of [...masks, both, cache, trainer, model, x]) {
      expect(each.disposed).toBe(false);
      await each.dispose();
      await each.dispose();
      expect(each.disposed).toBe(true);
    }
    expect(await objects()).toBe(before);
    await expect(tril.attention(x, x, x, { mask: masks[0]! })).rejects.toThrow('has been disposed');
  });

  it('does not grow with calls that fail, nor with those that are aborted', async () => {
    const before = await tril.memory();
    const [a, b] = [await tril.zeros([2, 3]), await tril.zeros([2, 3])];
    await expect(tril.matmul(a, b)).rejects.toThrow('matmul');
    const control = new AbortController();
    const calls = tril.withSignal(control.signal);
    const made = [calls.zeros([5]), calls.mask.causal(), calls.attention(a, b, a, { trace: true })];
    control.abort('enough');
    await Promise.all(made.map((each) => expect(each).rejects.toBe('enough')));
    await a.dispose();
    await b.dispose();
    await tril.memory(); // answered after everything has been freed
    expect(await tril.memory()).toMatchObject({ objects: before.objects, tensors: before.tensors });
  });

  it('goes with the garbage, but no mask loses the tensor that it was made of', () => {
    const entry = pathToFileURL(createRequire(import.meta.url).resolve('tril/worker')).href;
    const scripts = mkdtempSync(join(tmpdir(), 'tril-worker-'));
    onTestFinished(() => rmSync(scripts, { recursive: true }));
    const script = join(scripts, 'script.mjs');
    writeFileSync(
      script,
      `import { loadTril } from '${entry}';
       const tril = await loadTril({ variant: 'simd' });
       const x = await tril.zeros([2, 2]);
       const dense = async () => tril.mask.dense(await tril.tensor([[0, -1], [0, 0]]), { kind: 'additive' });
       const kept = await tril.mask.and(await dense(), await tril.mask.causal());
       for (let i = 0; i < 20; ++i) await tril.attention(x, x, x, { mask: await dense(), trace: true });
       let { objects } = await tril.memory();
       console.log(objects >= 5);
       while (objects > 5) {
         globalThis.gc();
         await new Promise((resolve) => setTimeout(resolve));
         ({ objects } = await tril.memory());
       }
       const bias = await tril.mask.toTensor(kept, [2, 2]);
       console.log(objects, JSON.stringify(await bias.toArray()));`,
    );
    const output = execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' });
    expect(output).toBe('true\n5 [[0,null],[0,0]]\n');
  });
});

it('ends where one of two signals aborts, in engines without AbortSignal.any', async () => {
  const known = Object.getOwnPropertyDescriptor(AbortSignal, 'any')!;
  Reflect.deleteProperty(AbortSignal, 'any');
  onTestFinished(() => void Object.defineProperty(AbortSignal, 'any', known));
  const files = filesOf('llama');
  const before = await tril.memory();
  for (const aborted of [0, 1]) {
    const controls = [new AbortController(), new AbortController()] as const;
    const progress = () => controls[aborted]!.abort(`by ${aborted}`);
    const loading = tril
      .withSignal(controls[0].signal)
      .loadModel(files, { signal: controls[1].signal, progress });
    await expect(loading).rejects.toBe(`by ${aborted}`);
  }
  const { objects, tensors, bytes } = before;
  expect(await tril.memory()).toMatchObject({ objects, tensors, bytes });
});
