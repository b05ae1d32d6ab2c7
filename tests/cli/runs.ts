// Small runs of `tril train`, each in its own folder.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { tril, write } from './program.js';

/** The folder of all runs. */
export let runs = '';
beforeAll(() => {
  runs = mkdtempSync(join(tmpdir(), 'tril-train-'));
});
afterAll(() => rmSync(runs, { recursive: true }));

/** The folder of the run with this name. */
export const run = (name: string) => join(runs, name);
/** A file of a run. */
export const inRun = (name: string, file: string) => readFileSync(join(runs, name, file));

/** Options of a model that trains in a moment. */
export const small = [
  ...['--layers', '1', '--heads', '2', '--width', '16', '--context', '8', '--batch', '2'],
];
/** Options of a learning rate that is independent of the number of steps. */
export const even = ['--learning-rate', '1e-2', '--lowest-rate', '1e-2', '--warmup', '0'];

/** Trains on a text. */
export function trainOn(text: string, name: string, ...more: string[]) {
  write('text.txt', text);
  return tril('train', '--data', 'text.txt', ...small, ...even, '-o', run(name), ...more);
}
