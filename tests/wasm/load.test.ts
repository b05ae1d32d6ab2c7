import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadTril, Tensor, TrilError, variants } from 'tril';
import { loadTril as loadTraining } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { expectWorking, tril } from './helpers.js';

/** Where `import 'tril'` leads. */
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

it.each([
  [{ threads: 0 }, 'threads', 'at least 1'],
  [{ threads: Number.NaN }, 'threads', 'whole number'],
  [{ threads: 1.5 }, 'threads', 'whole number'],
  [{ threads: 1000 }, 'threads', 'at most'],
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
     console.log((await loadTril({ variant: 'simd-threads', threads: 4 })).threads);`,
  );
  const options = { encoding: 'utf8', timeout: 20_000 } as const;
  expect(execFileSync(process.execPath, [script], options)).toBe('4\n');
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
    'readings',
    'variants',
  ]);
  expect(tril.tensor([1])).toBeInstanceOf(Tensor);
});
