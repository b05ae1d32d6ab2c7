// Small runs of `tril train`, each in a folder of its own.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { tril, write } from './program.js';

/** The folder that they all are in. */
export let runs = '';
beforeAll(() => {
  runs = mkdtempSync(join(tmpdir(), 'tril-train-'));
});
afterAll(() => rmSync(runs, { recursive: true }));

/** Where the run of this name is. */
export const run = (name: string) => join(runs, name);
/** One of its files. */
export const inRun = (name: string, file: string) => readFileSync(join(runs, name, file));

/** A model that trains in a moment. */
export const small = [
  ...['--layers', '1', '--heads', '2', '--width', '16', '--context', '8', '--batch', '2'],
];
/** The rate does not depend on how many steps there are in all. */
export const even = ['--learning-rate', '1e-2', '--lowest-rate', '1e-2', '--warmup', '0'];

/** Trains on a text. */
export function trainOn(text: string, name: string, ...more: string[]) {
  write('text.txt', text);
  return tril('train', '--data', 'text.txt', ...small, ...even, '-o', run(name), ...more);
}
