// Arrays and objects of another realm, such as an iframe, a node:vm context or Jest's tests: each has its own built-in
// classes. And the whole package in such a realm, with arrays from outside.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { runInNewContext } from 'node:vm';
import { TrilError } from 'tril';
import { loadTril } from 'tril/training';
import { loadTril as loadInWorker, type RemoteTrainingTril } from 'tril/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const tril = await loadTril({ variant: 'simd' });
let remote: RemoteTrainingTril;
beforeAll(async () => {
  remote = await loadInWorker({ variant: 'simd', training: true });
});
afterAll(() => remote.close());

type Realm = Pick<
  typeof globalThis,
  'Uint8Array' | 'Int32Array' | 'Float32Array' | 'Float64Array' | 'ArrayBuffer' | 'DataView'
> &
  Pick<typeof globalThis, 'SharedArrayBuffer' | 'Object' | 'Map' | 'BigInt64Array'>;
const other = runInNewContext(`({
  Uint8Array, Int32Array, Float32Array, Float64Array, ArrayBuffer, DataView, SharedArrayBuffer, Object, Map, BigInt64Array,
})`) as Realm;

/** The same bytes in each kind of object that holds bytes. */
function forms(bytes: Uint8Array) {
  const shared = new other.Uint8Array(new other.SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const there = other.Uint8Array.from(bytes);
  return {
    Uint8Array: there,
    'part of a larger buffer': other.Uint8Array.from([9, ...bytes, 9]).subarray(1, -1),
    ArrayBuffer: there.buffer,
    DataView: new other.DataView(there.buffer),
    Buffer: Buffer.from(bytes),
    SharedArrayBuffer: shared.buffer,
    'shared Uint8Array': shared,
    "this realm's ArrayBuffer": Uint8Array.from(bytes).buffer,
  };
}

it('is another realm', () => {
  expect(new other.Uint8Array(1)).not.toBeInstanceOf(Uint8Array);
  expect(new other.Object()).not.toBeInstanceOf(Object);
});

it('takes numbers, and reads into arrays', async () => {
  for (const kind of ['Int32Array', 'Float32Array', 'Float64Array', 'Uint8Array'] as const) {
    const values = other[kind].from([1, 2, 3]);
    expect(tril.tensor(values).toArray()).toEqual([1, 2, 3]);
    expect(await (await remote.tensor(values)).toArray()).toEqual([1, 2, 3]);
  }
  const into = new other.Float64Array(3);
  expect(tril.tensor([1, 2, 3]).read(into)).toBe(into);
  expect([...into]).toEqual([1, 2, 3]);
  const nested = runInNewContext('[[1, 2], [3, 4]]') as number[][];
  expect(tril.tensor(nested).shape).toEqual([2, 2]);
  expect((await remote.tensor(nested)).shape).toEqual([2, 2]);
  expect(tril.embedding(other.Int32Array.from([1, 0]), tril.tensor([[1], [2]])).toArray()).toEqual([
    [2],
    [1],
  ]);
  for (const wrong of [other.BigInt64Array.from([1n]), new other.DataView(new ArrayBuffer(4))]) {
    expect(() => tril.tensor(wrong as never)).toThrow(TrilError);
  }
});

describe('files', () => {
  const file = tril.writeNpy(tril.tensor([[1, 2]]));
  it.each(Object.entries(forms(file)))('are read from a %s', async (_, bytes) => {
    const [here] = await tril.readArrays(bytes);
    expect(here!.tensor.toArray()).toEqual([[1, 2]]);
    const [there] = await remote.readArrays(bytes);
    expect(await there!.tensor.toArray()).toEqual([[1, 2]]);
    const archive = tril.writeNpz({ q: here!.tensor });
    const [zipped] = await tril.readArrays(other.Uint8Array.from(archive));
    expect(zipped!.name).toBe('q');
  });

  const folder = new URL('../golden/models/llama/', import.meta.url);
  const names = readdirSync(folder).filter((name) => !name.endsWith('.npy'));
  const model = names.map((name) => [name, readFileSync(new URL(name, folder))] as const);
  const kinds = Object.keys(forms(new Uint8Array(1))) as (keyof ReturnType<typeof forms>)[];
  it.each([...kinds, 'Blob', 'Response'] as const)('of models are taken as %s', async (kind) => {
    const made = () => {
      const entries = model.map(([name, bytes]) => {
        if (kind === 'Blob') return [name, new Blob([bytes])];
        return [name, kind === 'Response' ? new Response(bytes) : forms(bytes)[kind]];
      });
      return other.Object.fromEntries(entries) as Record<string, Blob>;
    };
    const here = await tril.loadModel(made());
    const there = await remote.loadModel(made());
    const { logits } = await there.forward(other.Int32Array.from([1, 2]));
    expect(await logits.read()).toEqual(here.forward([1, 2]).logits.read());
    here.dispose();
    await there.dispose();
  });

  it('of models are named where they are none', async () => {
    const config = { 'config.json': 3 as never };
    await expect(tril.loadModel(config)).rejects.toThrow(
      'loadModel: files: config.json must be bytes, a Blob or a Response, is 3',
    );
    const missing = { 'config.json': new Response('', { status: 404 }) };
    await expect(tril.loadModel(missing)).rejects.toThrow(
      'config.json could not be fetched: it was answered 404',
    );
    const used = new Response('{}');
    await used.text();
    await expect(tril.loadModel({ 'config.json': used })).rejects.toThrow(
      'config.json could not be fetched: the body of its Response has been read already',
    );
    const broken = new ReadableStream({ pull: (to) => to.error(new Error('the line was cut')) });
    const failing = tril.loadModel({ 'config.json': new Response(broken) });
    await expect(failing).rejects.toThrow(TrilError);
    await expect(failing).rejects.toThrow('config.json could not be fetched: ');
  });
});

it('trains on texts, tokens and checkpoints', async () => {
  const model = { layers: 1, heads: 1, width: 8, context: 4 };
  const text = new TextEncoder().encode('abcd'.repeat(30));
  const trainer = tril.trainer({ model, data: other.Uint8Array.from(text) });
  const expected = trainer.step().loss;
  const there = await remote.trainer({ model, data: other.Uint8Array.from(text) });
  expect((await there.step()).loss).toBe(expected);
  const checkpoint = other.Uint8Array.from(trainer.save());
  trainer.restore(checkpoint);
  await there.restore(checkpoint);
  expect(await there.done()).toBe(1);
  tril.trainer({ checkpoint, data: other.Uint8Array.from(text) }).dispose();
  const tokens = other.Int32Array.from(text);
  tril.trainer({ model: { ...model, vocabulary: 128 }, data: tokens }).dispose();
  const words = new TextEncoder().encode('cat dog hen. '.repeat(300));
  const vectors = tril.wordVectors({ data: other.Uint8Array.from(words), width: 4 });
  expect([...vectors.words].sort()).toEqual(['cat', 'dog', 'hen']);
});

it('takes options, weights and signals', async () => {
  const x = await remote.tensor([[1, 2]]);
  const weights = Object.assign(new other.Object(), {
    in_proj_weight: await remote.zeros([6, 2]),
    'out_proj.weight': await remote.zeros([2, 2]),
  });
  const { output } = await remote.multiHeadAttention(x, weights, { heads: 1 });
  expect(await output.toArray()).toEqual([[0, 0]]);
  const kept = tril.scope(() => new other.Map([['x', tril.tensor([1])]]));
  expect(kept.get('x')!.disposed).toBe(false);

  class Signal extends EventTarget {
    aborted = true;
    reason = 'enough';
    get [Symbol.toStringTag]() {
      return 'AbortSignal';
    }
    throwIfAborted() {
      throw this.reason as never;
    }
  }
  const signal = new Signal() as unknown as AbortSignal;
  await expect(tril.loadModel({}, { signal })).rejects.toBe('enough');
  await expect(remote.withSignal(signal).memory()).rejects.toBe('enough');
});

it('computes in a realm of its own', () => {
  const folder = dirname(createRequire(import.meta.url).resolve('tril'));
  const script = `
    import { readFileSync } from 'node:fs';
    import vm from 'node:vm';
    const context = vm.createContext({ process, URL, TextEncoder, TextDecoder, performance, Blob, Response, WebAssembly,
      DecompressionStream, MessageChannel, console });
    const modules = new Map();
    const load = (url) => {
      if (!modules.has(url)) modules.set(url, new vm.SourceTextModule(readFileSync(new URL(url), 'utf8'), {
        context, identifier: url,
        initializeImportMeta: (meta) => { meta.url = url; },
        importModuleDynamically: (specifier) => ready(new URL(specifier, url).href),
      }));
      return modules.get(url);
    };
    const ready = async (url) => {
      const module = load(url);
      if (module.status === 'unlinked') await module.link((specifier, from) => load(new URL(specifier, from.identifier).href));
      await module.evaluate();
      return module;
    };
    const { loadTril } = (await ready('file://${folder}/training.js')).namespace;
    const tril = await loadTril({ variant: 'simd' });
    const x = tril.tensor(Float32Array.of(1, -2));
    console.log(x.toArray().join(), x.view((values) => values[1]), tril.relu(x).read(new Float64Array(2)).join());
    let kept;
    x.view((values) => { kept = values; });
    const [read] = await tril.readArrays(tril.writeNpz({ x }));
    console.log(kept.length, read.name, read.tensor.toArray().join());
    const file = await tril.readArrays(new Uint8Array(tril.writeNpy(x)));
    console.log(file.length, tril.trainer({ model: { layers: 1, width: 8, heads: 1, context: 4 }, data: new TextEncoder().encode('abcd'.repeat(30)) }).step().step);`;
  const flags = ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '-e', script];
  const output = execFileSync(process.execPath, flags, { encoding: 'utf8' });
  expect(output).toBe('1,-2 -2 1,0\n0 x 1,-2\n1 0\n');
});
