import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadTril, Tensor, TrilError, variants } from 'tril';
import { loadTril as loadLessons } from 'tril/lessons';
import { loadTril as loadTraining } from 'tril/training';
import { loadTril as loadInWorker } from 'tril/worker';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { expectWorking, tril } from './helpers.js';

/** The file that `import 'tril'` resolves to. */
const entry = pathToFileURL(createRequire(import.meta.url).resolve('tril')).href;

describe.each(variants)('variant %s', (variant) => {
  it('loads, says what it is, and computes', async () => {
    const module = await loadTril({ variant });
    expect(module.variant).toBe(variant);
    expect(module.threads).toBe(variant.endsWith('threads') ? 2 : 1);
    expectWorking(module);
    expect(module.memory()).toMatchObject({ tensors: 0, bytes: 0 });
  });

  it('trains where that is asked for', async () => {
    const module = await loadTraining({ variant });
    expect(module.variant).toBe(variant);
    using trainer = module.trainer({ model: { vocabulary: 5, layers: 1, width: 8, context: 4 } });
    const batch = { tokens: [[1, 2, 3]], targets: [[2, 3, 4]] };
    expect(trainer.step(batch).loss - trainer.step(batch).loss).toBeGreaterThan(0);
  });

  it('makes modules that know nothing of each other', async () => {
    const [first, second] = await Promise.all([loadTril({ variant }), loadTril({ variant })]);
    using tensor = first.tensor([1, 2, 3]);
    expect(first.memory().tensors).toBe(1);
    expect(second.memory().tensors).toBe(0);
    expect(tensor.size).toBe(3);
  });
});

it('takes a variant without threads unless they are asked for', async () => {
  expect((await loadTril()).threads).toBe(1);
  const threaded = await loadTril({ threads: 3 });
  expect(threaded.threads).toBe(3);
  expect(threaded.variant).toMatch(/-threads$/);
});

it('fetches the module from where it is told', async () => {
  const wasmUrl = new URL('generated/tril-simd.wasm', entry);
  expectWorking(await loadTril({ variant: 'simd', wasmUrl }));
  const elsewhere = fileURLToPath(new URL('nowhere.wasm', wasmUrl));
  await expect(loadTril({ variant: 'simd', wasmUrl: elsewhere })).rejects.toThrow(
    /^loadTril: wasmUrl: .*nowhere\.wasm could not be loaded/,
  );
});

describe('a module that is handed over', () => {
  const bytesOf = (name: string) => readFileSync(new URL(`generated/${name}.wasm`, entry));
  const bytes = bytesOf('tril-simd');
  const whole = new Uint8Array(bytes).buffer;
  const headers = { 'content-type': 'application/wasm' };
  it.each([
    ['a WebAssembly.Module', () => new WebAssembly.Module(bytes)],
    ['a Buffer', () => bytes],
    ['an ArrayBuffer', () => whole],
    ['a DataView', () => new DataView(whole)],
    ['a Response', () => new Response(bytes, { headers })],
    ['a Response of another type', () => new Response(bytes)],
    ['a promise', () => Promise.resolve(bytes)],
  ])('is taken as %s', async (_, wasm) => {
    const module = await loadTril({ wasm: wasm() });
    expect(module.variant).toBe('simd'); // the default on every engine
    expectWorking(module);
    const remote = await loadInWorker({ wasm: wasm() });
    expect(await (await remote.tensor([1, 2])).toArray()).toEqual([1, 2]);
    remote.close();
    expect(bytes.length).toBe(whole.byteLength);
  });

  it('is that of the variant, with training and with threads', async () => {
    const training = await loadTraining({ wasm: bytesOf('tril-simd-training') });
    expect(training.trainer({ model: { vocabulary: 5 } }).settings.model.vocabulary).toBe(5);
    const threaded = await loadTril({ wasm: bytesOf('tril-simd-threads'), threads: 2 });
    expect([threaded.variant, threaded.threads]).toEqual(['simd-threads', 2]);
    const variant = 'relaxed';
    const relaxed = await loadTril({ variant, wasm: bytesOf('tril-relaxed') });
    expect(relaxed.variant).toBe('relaxed');
  });

  it.each([
    ['a number', 3, 'must be a WebAssembly.Module, bytes, a Response or a promise of one, is 3'],
    ['null', null, 'must be a WebAssembly.Module, bytes, a Response or a promise of one, is null'],
    ['a promise of text', Promise.resolve('no'), 'a Response or a promise of one, is "no"'],
    [
      'other bytes',
      new Uint8Array(8),
      'is not tril-simd.wasm: WebAssembly.compile(): expected magic word',
    ],
    [
      'a page that is missing',
      new Response('', { status: 404 }),
      'is not tril-simd.wasm: it was answered 404',
    ],
    [
      'the module of another entry',
      bytesOf('tril-simd-training'),
      /is that of another variant or version: tril-simd-training \w{12} in place of tril-simd \w{12}/,
    ],
  ])('is refused: %s', async (_, wasm, says) => {
    for (const load of [loadTril, loadInWorker]) {
      const error = await load({ wasm: wasm as never }).catch((thrown: unknown) => thrown);
      if (load === loadInWorker && wasm instanceof Response) continue; // its body has been read
      expect(error).toMatchObject({ name: 'TrilError', call: 'loadTril', argument: 'wasm' });
      expect((error as TrilError).message).toMatch(says);
    }
  });

  it('is refused where it is any other of the package, by every script', async () => {
    const parts = { '': loadTril, '-lessons': loadLessons, '-training': loadTraining };
    const names = variants.flatMap((variant) =>
      Object.keys(parts).map((part) => `tril-${variant}${part}`),
    );
    const modules = names.map((name) => new WebAssembly.Module(bytesOf(name)));
    for (const variant of variants) {
      for (const [part, load] of Object.entries(parts)) {
        const own = `tril-${variant}${part}`;
        for (const [n, wasm] of modules.entries()) {
          if (names[n] === own) continue;
          const loading = load({ variant, wasm });
          await expect(loading, `${names[n]} for ${own}`).rejects.toThrow(
            `loadTril: wasm: is that of another variant or version: ${names[n]} `,
          );
        }
      }
    }
  });

  it('is refused where its promise is, without a rejection that nobody hears', async () => {
    const wasm = Promise.reject(new Error('offline'));
    await expect(loadTril({ wasm })).rejects.toThrow('is not tril-simd.wasm: offline');
  });
});

it('says nothing on the console where it fails', () => {
  const script = `
    import { loadTril } from '${entry}';
    const failing = [{ wasm: new Uint8Array(8) }, { wasmUrl: 'nowhere.wasm' }];
    for (const options of failing) await loadTril({ variant: 'simd', ...options }).catch((error) => console.log(error.name));`;
  const flags = ['--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'TrilError\nTrilError\n', stderr: '' });
});

it.each(['simd', 'relaxed', 'simd-threads', 'relaxed-threads'] as const)(
  'has an entry of its own for variant %s',
  async (variant) => {
    const { loadTril: load } = (await import(
      /* @vite-ignore */ `tril/${variant}`
    )) as typeof import('tril');
    const module = await load();
    expect(module.variant).toBe(variant);
    expectWorking(module);
    const training = (await import(
      /* @vite-ignore */ `tril/${variant}-training`
    )) as typeof import('tril/training');
    const trainer = (await training.loadTril()).trainer({ model: { vocabulary: 5 } });
    expect(trainer.settings.model.vocabulary).toBe(5);
    const other = variant === 'simd' ? 'relaxed' : 'simd';
    await expect(load({ variant: other })).rejects.toThrow(`there are: ${variant}`);
  },
);

it.each([
  [{ wasmUrl: 'a', wasm: 3 }, 'wasmUrl', 'does not go with wasm'],
  [{ threads: 0 }, 'threads', 'at least 1'],
  [{ threads: Number.NaN }, 'threads', 'whole number'],
  [{ threads: 1.5 }, 'threads', 'whole number'],
  [{ threads: 1000 }, 'threads', 'at most'],
  [{ memory: 2 ** 24 - 1 }, 'memory', 'from 16777216 to 4294967296, is 16777215'],
  [{ memory: 2 ** 32 + 1 }, 'memory', 'must be a whole number of bytes'],
  [{ memory: 2 ** 25 + 0.5 }, 'memory', 'must be a whole number of bytes'],
  [{ memory: '1 GB' }, 'memory', 'is "1 GB"'],
  [{ memory: null }, 'memory', 'is null'],
  [{ thread: 2 }, 'thread', 'did you mean "threads"?'],
  [{ variant: 'sim' }, 'variant', 'did you mean "simd"?'],
  [{ variant: 5 }, 'variant', 'unknown variant 5; there are: simd, relaxed'],
  [{ variant: null }, 'variant', 'unknown variant null'],
  [null, 'options', 'must be an object, is null'],
  [{ wasmUrl: 7 }, 'wasmUrl', 'must be a URL'],
])('refuses %o', async (options, argument, says) => {
  const error: unknown = await loadTril(options as object).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TrilError);
  expect(error).toMatchObject({ call: 'loadTril', argument });
  expect((error as TrilError).message).toContain(says);
});

it('runs where code must not be made from strings', () => {
  const script = `
    import { loadTril } from '${entry}';
    const tril = await loadTril({ variant: 'simd' });
    console.log(tril.tensor([[1, 2], [3, 4]]).read().join());`;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script];
  expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('1,2,3,4\n');
});

it('ends the process by itself, with threads too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tril-'));
  const script = join(folder, 'script.mjs');
  writeFileSync(
    script,
    `import { loadTril } from '${entry}';
     console.log((await loadTril({ variant: 'simd-threads', threads: 4 })).threads);
     // Loading that fails ends the threads that it has started.
     const wasm = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 2, 8, 1, 1, 97, 1, 98, 2, 0, 1);
     await loadTril({ variant: 'simd-threads', threads: 4, wasm }).catch(({ argument }) => console.log(argument));`,
  );
  const options = { encoding: 'utf8', timeout: 50_000 } as const;
  expect(execFileSync(process.execPath, [script], options)).toBe('4\nwasm\n');
  rmSync(folder, { recursive: true });
});

it('exports no more than its public names', async () => {
  expect(Object.keys(await import('tril')).sort()).toEqual([
    'KeyValueCache',
    'Mask',
    'Tensor',
    'Trainer',
    'TrilError',
    'activations',
    'attentionMethods',
    'averageMethods',
    'chooseVariant',
    'detectFeatures',
    'loadTril',
    'matmulMethods',
    'variants',
  ]);
  expect(tril.tensor([1])).toBeInstanceOf(Tensor);
});

describe('memory that threads share', () => {
  it('grows to as much as is asked for', async () => {
    const small = await loadTril({ threads: 2, memory: 2 ** 24 });
    expect(() => small.zeros([2 ** 22])).toThrow(
      /^zeros: memory: is not enough: a tensor of shape \[4194304\] takes 16 MiB, and there are 1[0-5]$/,
    );
    expectWorking(small);
    small.close();
    const remote = await loadInWorker({ threads: 2, memory: 2 ** 24 });
    await expect(remote.zeros([2 ** 22])).rejects.toThrow('and there are 1');
    remote.close();
  });

  it('grows with what it holds, and is read and computed in as before', async () => {
    const tril = await loadTril({ threads: 2 });
    const first = tril.randomNormal([64, 64], { seed: 1 });
    const expected = first.read();
    expect(tril.memory().heapBytes).toBeLessThan(2 ** 25);
    const held = Array.from({ length: 5 }, () => tril.zeros([2 ** 25]));
    expect(tril.memory().heapBytes).toBeGreaterThan(5 * 2 ** 27);
    // Tensors from before, tensors beyond the old memory, texts, and products of two threads.
    expect(first.read()).toEqual(expected);
    const later = tril.randomNormal([64, 64], { seed: 1 });
    expect(later.read()).toEqual(expected);
    expect(later.view((values) => [...values])).toEqual([...expected]);
    expect(() => tril.matmul(later, tril.zeros([3, 3]))).toThrow('is [64, 64], b is [3, 3]');
    const product = tril.matmul(first, first).read();
    expect(tril.matmul(later, later).read()).toEqual(product);
    expectWorking(tril);
    held.forEach((tensor) => tensor.dispose());
    tril.close();
  });

  it('begins with room for the stacks of as many threads as there may be', async () => {
    const tril = await loadTril({ threads: 32 });
    expect(tril.threads).toBe(32);
    const held = tril.zeros([2 ** 24]);
    const x = tril.randomNormal([300, 300], { seed: 1 });
    const alone = await loadTril({ variant: 'simd' });
    const same = alone.randomNormal([300, 300], { seed: 1 });
    const there = alone.matmul(same, same).read();
    const apart = tril
      .matmul(x, x)
      .read()
      .map((value, i) => Math.abs(value - there[i]!));
    expect(Math.max(...apart)).toBeLessThan(1e-4);
    held.dispose();
    tril.close();
  });

  it('is refused where the engine has not as much', async () => {
    vi.spyOn(WebAssembly, 'Memory').mockImplementation(() => {
      throw new RangeError('could not allocate memory');
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const refused = async (options: { memory?: number }, says: string) => {
      const error: unknown = await loadTril({ threads: 2, ...options }).catch((thrown) => thrown);
      expect(error).toMatchObject({ name: 'TrilError', call: 'loadTril', argument: 'memory' });
      expect((error as TrilError).message).toContain(says);
    };
    const problem = 'bytes to threads: could not allocate memory';
    await refused({ memory: 2 ** 31 }, `this engine gives no 2147483648 ${problem}`);
    await refused({}, `this engine gives no 33488896 ${problem}`);
    expectWorking(await loadTril({ variant: 'simd' }));
  });

  it('may be half as much, or a quarter, where an engine sets aside less', async () => {
    const { Memory } = WebAssembly;
    vi.spyOn(WebAssembly, 'Memory').mockImplementation((given) => {
      if (given.maximum! > 2 ** 14) throw new RangeError('could not allocate memory');
      return new Memory(given);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const tril = await loadTril({ threads: 2 });
    expect(() => tril.zeros([2 ** 28])).toThrow(/takes 1024 MiB, and there are 10\d\d$/);
    expectWorking(tril);
    tril.close();
  });

  // The test writes two gigabytes to get beyond them: it runs once a week, with all tests of the page.
  const beyond = it.runIf(process.env['TRIL_WEEKLY']);
  beyond.each(['simd', 'simd-threads'] as const)('goes beyond 2 GiB: %s', async (variant) => {
    const tril = await loadTril({ variant, memory: 2 ** 32 });
    const held = Array.from({ length: 5 }, () => tril.zeros([2 ** 27]));
    const usual = await loadTril({ variant: 'simd' });
    const [x, same] = [tril, usual].map((module) => module.randomNormal([64, 64], { seed: 1 }));
    const expected = same!.read();
    expect(x!.read()).toEqual(expected);
    expect(x!.write(expected).read()).toEqual(expected);
    expect(x!.view((values) => [...values])).toEqual([...expected]);
    const { output } = tril.attention(x!, x!, x!);
    const there = usual.attention(same!, same!, same!).output.read();
    const apart = output.read().map((value, i) => Math.abs(value - there[i]!));
    expect(Math.max(...apart)).toBeLessThan(1e-6);
    held.forEach((tensor) => tensor.dispose());
    tril.close();
  });
});
