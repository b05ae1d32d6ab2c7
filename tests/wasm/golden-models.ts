// The files of the golden models, and a model loaded from them for a test.
import { readFileSync, readdirSync } from 'node:fs';
import type { Tensor } from 'tril';
import { loadTril, type Model } from 'tril/training';
import { expect } from 'vitest';

export const tril = await loadTril({ variant: 'simd' });
export const folder = (name: string) => new URL(`../golden/models/${name}/`, import.meta.url);
/** All files except the golden arrays. */
export const filesOf = (name: string): Record<string, Uint8Array> =>
  Object.fromEntries(
    readdirSync(folder(name), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.npy'))
      .map(({ name: file }) => [file, new Uint8Array(readFileSync(new URL(file, folder(name))))]),
  );
/** An encoder's files by their paths, as a folder picker gives them. */
export function encoderFilesOf(name: string): Record<string, Uint8Array> {
  const pooling = '1_Pooling/config.json';
  const files = Object.entries(filesOf(name)).map(([file, bytes]) => [`${name}/${file}`, bytes]);
  const bytes = new Uint8Array(readFileSync(new URL(pooling, folder(name))));
  return Object.fromEntries([...files, [`${name}/${pooling}`, bytes]]);
}
export const tokens = Array.from({ length: 24 }, (_, n) => (7 * n * n + 3 * n + 1) % 48);
export const values = (tensor: Tensor) => [...tensor.read()];
export const largest = (numbers: readonly number[]) => Math.max(...numbers.map(Math.abs));
export const farthest = (a: readonly number[], b: readonly number[]) =>
  largest(a.map((x, i) => x - b[i]!));

/** Runs `body` with a model, and expects all memory to be freed after it. */
export async function withModel(
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
