// Single-file bundles for Node, with nothing beside the script, and a service worker, which has no import().
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { expect, inject, it } from 'vitest';
import { serve } from '../../wasm/bench/serve.mjs';
import { allOutput } from './call.js';
import { newPage } from './visit.js';

const project = inject('project');
const at = (...path: string[]) => join(project, ...path);
const wasm = at('node_modules', 'tril', 'dist', 'generated', 'tril-simd.wasm');

/** A script that computes with `tril` from an entry. */
const program = (entry: string, options = '') => `
  import { loadTril } from '${entry}';
  export const computed = loadTril(${options}).then((tril) => {
    const x = tril.tensor([[1, 2], [3, 4]]);
    return JSON.stringify(tril.matmul(x, x).toArray());
  });`;
const expected = '[[7,10],[15,22]]';

/** Bundles the script to one file, in a separate folder. */
async function bundle(name: string, code: string, options: BuildOptions): Promise<string> {
  const outfile = at(name, 'bundle.cjs');
  mkdirSync(at(name), { recursive: true });
  const stdin = { contents: code, resolveDir: project };
  await build({ stdin, outfile, bundle: true, logLevel: 'error', ...options });
  return outfile;
}

/** The output of Node for the script, bundled for a platform, or its error. */
async function printed(name: string, code: string, options: BuildOptions): Promise<string> {
  const print = `${code}\ncomputed.then(console.log, (error) => console.log(error.message));`;
  const file = await bundle(name, print, { format: 'cjs', ...options });
  return (await allOutput(project, process.execPath, file)).trim();
}

it.each(['tril', 'tril/training', 'tril/simd', 'tril/simd-training'])(
  'is one CommonJS file with all that it needs: %s',
  async (entry) => {
    const name = `cjs-${entry.replace('/', '-')}`;
    expect(await printed(name, program(entry), { platform: 'node' })).toBe(expected);
  },
);

it('is one CommonJS file that is given the module', async () => {
  const given = `{ wasm: require('node:fs').promises.readFile(${JSON.stringify(wasm)}) }`;
  // Without the condition `node` the bundle contains no module.
  const options: BuildOptions = { platform: 'neutral', external: ['node:fs'] };
  expect(await printed('cjs-given', program('tril/simd', given), options)).toBe(expected);
  expect(readFileSync(at('cjs-given', 'bundle.cjs')).length).toBeLessThan(400_000);
});

it.each([
  [
    'tril/simd',
    '',
    'neutral',
    /^loadTril: variant: tril-simd\.wasm could not be .*give it as wasm/,
  ],
  [
    'tril',
    '{ threads: 2 }',
    'node',
    /^loadTril: variant: .*-threads\.wasm .* leave the package out/,
  ],
  ['tril/worker', '', 'node', /^loadTril: worker: could not be started: .*"tril" needs none/],
] as const)('says what a bundle lacks: %s %s', async (entry, options, platform, says) => {
  const name = `lacking-${entry.replace('/', '-')}`;
  const message = await printed(name, program(entry, options), { platform });
  expect(message).toMatch(says);
  expect(message).toContain('"Where it runs"');
});

it('runs in a service worker', async () => {
  const code = `${program('tril/simd', "{ wasmUrl: new URL('tril-simd.wasm', location.href) }")}
    addEventListener('message', ({ source }) =>
      computed.catch((error) => error.message).then((text) => source.postMessage(text)));`;
  const folder = at('service-worker');
  const file = await bundle('service-worker', code, { platform: 'browser', format: 'iife' });
  copyFileSync(file, join(folder, 'worker.js'));
  copyFileSync(wasm, join(folder, 'tril-simd.wasm'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>t</title>');
  const { url, close } = await serve(folder, { isolated: false });
  const page = await newPage();
  try {
    await page.goto(`${url}/index.html`);
    const text = await page.evaluate(async () => {
      const said = new Promise((resolve) => {
        navigator.serviceWorker.onmessage = ({ data }: MessageEvent) => resolve(data);
      });
      await navigator.serviceWorker.register('worker.js');
      const { active } = await navigator.serviceWorker.ready;
      active!.postMessage('compute');
      return said;
    });
    expect(text).toBe(expected);
  } finally {
    await page.close();
    close();
  }
});
