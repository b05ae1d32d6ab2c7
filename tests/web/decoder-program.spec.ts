// The PyTorch program for a visitor's own model gives the core's logits, for every family.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { loadTril } from 'tril/training';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';
import { decoderOf } from '../../web/src/figures/program-decoder.ts';
import { familyIds, modelFiles, writeClone, type Family } from './oracles/folders.ts';
import { weekly } from './weekly.ts';

const tokens = [3, 141, 59, 26, 5, 35, 8, 97, 9, 3];
/** Scaling whose threshold lies among the test's own wavelengths. */
const scaling = {
  rope_type: 'llama3',
  ...{ factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 32 },
};

async function expectSame(family: Family, changes: object = {}): Promise<void> {
  const python = findPythonWith('torch');
  if (!process.env.CI) test.skip(!python, 'PyTorch is not installed');
  const files = await modelFiles(family);
  const config = JSON.parse(new TextDecoder().decode(files['config.json'])) as object;
  files['config.json'] = new TextEncoder().encode(JSON.stringify({ ...config, ...changes }));
  const model = await (await loadTril()).loadModel(files);
  const expected = model.forward(tokens, { last: true }).logits.read();
  model.dispose();
  const folder = mkdtempSync(join(tmpdir(), 'tril-decoder-'));
  try {
    writeClone(join(folder, 'model'), files);
    const code = `${decoderOf(family)}
print(said(run(torch.tensor(${JSON.stringify(tokens)}))[0][-1])[-1].tolist())`;
    const { stdout, stderr } = spawnSync(python!, ['-c', code, join(folder, 'model')], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const found = JSON.parse(stdout) as number[];
    expect(found).toHaveLength(expected.length);
    const largest = Math.max(...expected.map(Math.abs));
    found.forEach((logit, i) => expect(Math.abs(logit - expected[i])).toBeLessThan(1e-5 * largest));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const family of familyIds) {
  test(
    `a decoder in plain PyTorch is that of the core: ${family}`,
    weekly(family, ['gpt2', 'qwen3']),
    () => expectSame(family),
  );
}

test('a decoder in plain PyTorch is that of the core: turns scaled as Llama 3', () =>
  expectSame('llama', { rope_scaling: scaling }));
