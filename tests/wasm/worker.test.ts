import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TrilError } from 'tril';
import { graph, run } from 'tril/graph';
import { loadTril, RemoteMask, RemoteTensor, type RemoteTril } from 'tril/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tril as local } from './helpers.js';
import { attention, attentionTolerance, expectClose, randomMatrix } from './reference.js';

let tril: RemoteTril;
beforeAll(async () => {
  tril = await loadTril({ variant: 'simd' });
});
afterAll(() => tril.close());

/** Runs a script in Node, with access to its garbage collector, and returns its console output. */
function outputOf(body: string): string {
  const entry = pathToFileURL(createRequire(import.meta.url).resolve('tril/worker')).href;
  const folder = mkdtempSync(join(tmpdir(), 'tril-worker-'));
  const script = join(folder, 'script.mjs');
  writeFileSync(script, `import { loadTril } from '${entry}';\n${body}`);
  const options = { encoding: 'utf8', timeout: 60_000 } as const;
  const output = execFileSync(process.execPath, ['--expose-gc', script], options);
  rmSync(folder, { recursive: true });
  return output;
}

describe('tril/worker', () => {
  it('has the calls of tril', () => {
    expect(tril.variant).toBe('simd');
    expect(tril.threads).toBe(1);
    const expected = Object.keys(local).filter((name) => name !== 'scope');
    expect(Object.keys(tril).sort()).toEqual([...expected, 'run', 'withSignal'].sort());
    expect(Object.keys(tril.mask).sort()).toEqual(Object.keys(local.mask).sort());
  });

  it('computes in its own thread what the calls compute here', async () => {
    const [q, k, v] = [1, 2, 3].map((seed) => randomMatrix(6, 4, seed));
    const tensors = await Promise.all([q!, k!, v!].map((values) => tril.tensor(values)));
    const [a, b, c] = tensors as [RemoteTensor, RemoteTensor, RemoteTensor];
    const mask = await tril.mask.and(await tril.mask.causal(), await tril.mask.window({ left: 2 }));
    expect(mask).toBeInstanceOf(RemoteMask);
    const { output, trace } = await tril.attention(a, b, c, { mask, trace: true });
    const expected = attention(q!, k!, v!, (t, s) => s <= t && s >= t - 2);
    expect(output).toBeInstanceOf(RemoteTensor);
    expect(output.shape).toEqual([6, 4]);
    expectClose(await output.read(), expected.output.flat(), attentionTolerance);
    const weights = await trace!.weights.toArray<number[][]>();
    expectClose(weights.flat(), expected.weights.flat(), attentionTolerance);
    for (const tensor of [...tensors, output, ...Object.values(trace!)]) {
      await (tensor as RemoteTensor).dispose();
    }
    expect(await tril.memory()).toMatchObject({ tensors: 0, bytes: 0 });
  });

  it('computes a graph at once, and refuses what does not fit it', async () => {
    const made = graph({ x: ['T', 'T'] }, ({ x }, { mask, softmax, matmul }) => {
      const weights = softmax(mask(x, { hidden: -1 }));
      return { weights, y: matmul(weights, x) };
    });
    const numbers = randomMatrix(3, 3, 1);
    const x = await tril.tensor(numbers);
    const found = await tril.run(made, { x });
    expect(found['x']).toBe(x);
    const here = local.scope(() => {
      const { weights, y } = run(local, made, { x: local.tensor(numbers) });
      return [weights!.read(), y!.read()];
    });
    expect([await found['weights']!.read(), await found['y']!.read()]).toEqual(here);
    await Promise.all(Object.values(found).map((tensor) => tensor.dispose()));
    const wide = await tril.tensor([[1, 2]]);
    await expect(tril.run(made, { x: wide })).rejects.toMatchObject({
      ...{ name: 'TrilError', call: 'run', argument: 'x' },
    });
    await expect(tril.run(made, { y: wide } as never)).rejects.toThrow('unknown input "y"');
    await wide.dispose();
    expect(await tril.memory()).toMatchObject({ tensors: 0, bytes: 0 });
  });

  it('does what is asked in order', async () => {
    const x = await tril.tensor([1, 2, 3]);
    const results = await Promise.all([
      x.read(),
      x.write([4, 5, 6]).then(() => 0),
      tril.relu(x, { out: x }),
      x.toArray(),
      x.dispose(),
      tril.memory(),
    ]);
    expect(results[0]).toEqual(Float32Array.of(1, 2, 3));
    expect(results[3]).toEqual([4, 5, 6]);
    expect(results[5]).toMatchObject({ tensors: 0 });
  });

  it('takes data that it leaves alone', async () => {
    const data = Float32Array.of(1, 2, 3, 4);
    const x = await tril.tensor([2, 2], data);
    expect([...data]).toEqual([1, 2, 3, 4]);
    expect(await (await tril.embedding([1, 0], x)).toArray()).toEqual([
      [3, 4],
      [1, 2],
    ]);
  });

  it('refuses as tril does, and goes on', async () => {
    const [a, b] = [await tril.zeros([2, 4]), await tril.zeros([3, 5])];
    const error: unknown = await tril.matmul(a, b).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TrilError);
    expect(error).toMatchObject({
      call: 'matmul',
      argument: 'b',
      shapes: { a: [2, 4], b: [3, 5] },
    });
    expect(await (await tril.tensor([7])).toArray()).toEqual([7]);
  });

  it('refuses what is disposed, of this thread, or of another Worker', async () => {
    const gone = await tril.zeros([2]);
    await gone.dispose();
    await gone.dispose();
    expect(gone.disposed).toBe(true);
    await expect(gone.read()).rejects.toThrow('read: tensor: has been disposed; its shape was [2]');
    await expect(tril.relu(gone)).rejects.toThrow('relu: values: has been disposed');
    const here = local.zeros([2]) as unknown as RemoteTensor;
    await expect(tril.relu(here)).rejects.toThrow('belongs to this thread');
    const other = await loadTril({ variant: 'simd' });
    await expect(other.relu(await tril.zeros([2]))).rejects.toThrow('belongs to another Worker');
    const endless: unknown[] = [];
    endless[0] = endless;
    const message = 'tensor: values: is nested too deeply, or within itself';
    await expect(other.tensor(endless as number[])).rejects.toThrow(message);
    other.close();
    await expect(other.memory()).rejects.toThrow('the Worker has been closed');
  });

  it('refuses bad options', async () => {
    const options = { variant: 'sim' as 'simd' };
    await expect(loadTril(options)).rejects.toThrow(TrilError);
    await expect(loadTril(options)).rejects.toThrow('did you mean "simd"?');
  });

  it('computes with threads of its own', async () => {
    const threaded = await loadTril({ threads: 2 });
    expect(threaded.threads).toBe(2);
    const x = await threaded.tensor(randomMatrix(65, 65, 1));
    const product = await threaded.matmul(x, x);
    expect(product.shape).toEqual([65, 65]);
    threaded.close();
  });

  it('shows on a console what it is, and nothing of its inside', async () => {
    await using tensor = await tril.tensor([1, 2]);
    expect(Object.keys(tensor)).toEqual(['shape']);
    expect(String(tensor)).toBe('RemoteTensor [2]');
  });

  describe('with a signal', () => {
    it('waits for many calls without a warning', async () => {
      const warnings: Error[] = [];
      const warned = (warning: Error) => warnings.push(warning);
      process.on('warning', warned);
      const calls = tril.withSignal(new AbortController().signal);
      await Promise.all(Array.from({ length: 20 }, () => calls.memory()));
      await new Promise((done) => setTimeout(done)); // a warning comes with the next tick
      process.off('warning', warned);
      expect(warnings).toEqual([]);
    });

    it('computes as without one while it is not aborted', async () => {
      const control = new AbortController();
      const calls = tril.withSignal(control.signal);
      const x = await calls.tensor([1, -2]);
      expect(await (await calls.relu(x)).toArray()).toEqual([1, 0]);
      await expect(calls.matmul(x, await calls.zeros([3]))).rejects.toThrow(TrilError);
      const mask = await calls.mask.causal();
      expect(mask).toBeInstanceOf(RemoteMask);
    });

    it('does not begin what was aborted before', async () => {
      const own = await loadTril({ variant: 'simd', training: true });
      // Keeps the Worker busy until letGo(): a file without any bytes arriving.
      let letGo = (): void => expect.unreachable();
      const asked = new Promise<void>((begun) => {
        class Waiting extends Blob {
          override get size() {
            return 8;
          }
          override slice(): Blob {
            const bytes = new Promise<ArrayBuffer>(
              (done) => (letGo = () => done(new ArrayBuffer(8))),
            );
            begun();
            return Object.assign(new Blob(), { arrayBuffer: () => bytes });
          }
        }
        own.loadModel({ 'config.json': new Waiting() }).catch(() => {});
      });
      await asked;
      const first = own.tensor([1]);
      const x = await Promise.race([first, asked.then(() => undefined)]);
      expect(x).toBeUndefined(); // it is busy
      const made = own.tensor([1, 2]);
      const control = new AbortController();
      const calls = own.withSignal(control.signal);
      const queued = Array.from({ length: 50 }, () => calls.zeros([3]));
      control.abort('enough');
      await Promise.all(queued.map((each) => expect(each).rejects.toBe('enough')));
      letGo();
      await made;
      // Begun calls would have tensors until these are freed, after this answer.
      expect(await own.memory()).toMatchObject({ tensors: 2, objects: 2 });
      for (const each of [first, made]) await (await each).dispose(); // kept alive until here
      own.close();
    });

    it('throws away what was being computed', async () => {
      const own = await loadTril({ variant: 'simd' });
      const x = await own.randomNormal([700, 700], { seed: 1 });
      const control = new AbortController();
      const calls = own.withSignal(control.signal);
      const begun = calls.matmul(x, x, { method: 'jki' });
      const other = own.relu(x, { out: x });
      control.abort('enough');
      await expect(begun).rejects.toBe('enough');
      await other;
      await own.memory(); // answered after the product has been freed
      expect(await own.memory()).toMatchObject({ tensors: 1 });
      await expect(calls.relu(x)).rejects.toBe('enough');
      expect((await own.relu(x, { out: x })).shape).toEqual([700, 700]);
      own.close();
    });

    it('takes an AbortSignal only', () => {
      expect(() => tril.withSignal({} as AbortSignal)).toThrow('must be an AbortSignal');
    });
  });

  it('gives back the same tensor that it was given as out', async () => {
    const x = await tril.tensor([1, -2]);
    expect(await tril.relu(x, { out: x })).toBe(x);
    expect(await x.toArray()).toEqual([1, 0]);
    await x.dispose();
  });

  it('keeps a process alive while something is asked, and no longer', () => {
    const output = outputOf(`
      const tril = await loadTril({ variant: 'simd' });
      console.log(await (await tril.tensor([1, 2])).toArray());`);
    expect(output).toBe('[ 1, 2 ]\n');
  });

  it('disposes what is forgotten here, but not a tensor that was only out of a call', () => {
    const output = outputOf(`
      const tril = await loadTril({ variant: 'simd' });
      const collect = async () => {
        for (let i = 0; i < 10; ++i) {
          globalThis.gc();
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      };
      const x = await tril.tensor([1, -2]);
      await (async () => { await tril.relu(x, { out: x }); await tril.zeros([7]); })();
      let tensors = 2;
      for (let i = 0; i < 100 && tensors > 1; ++i) {
        await collect();
        ({ tensors } = await tril.memory());
      }
      console.log(tensors, await x.toArray());

      // Aborted while it is computed, and thrown away with all that it has made.
      const big = await tril.zeros([700, 700]);
      const control = new AbortController();
      const begun = tril.withSignal(control.signal).matmul(big, big, { method: 'jki', out: await tril.zeros([700, 700]) });
      const kept = tril.withSignal(control.signal).softmax(big, { out: big });
      setTimeout(() => control.abort(), 20);
      await Promise.allSettled([begun, kept]);
      console.log((await big.read()).length);`);
    expect(output).toBe('1 [ 1, 0 ]\n490000\n');
  });

  it('ends the process where it cannot be loaded', () => {
    const output = outputOf(`await loadTril(null).catch((error) => console.log(error.message));`);
    expect(output).toBe('loadTril: options: must be an object, is null\n');
  });
});
