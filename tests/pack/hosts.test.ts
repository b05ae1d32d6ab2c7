// Bundles of one file for Node, where nothing lies beside the script, and a service worker, where there is no import().
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { build, type BuildOptions } from 'esbuild';
import { expect, inject, it } from 'vitest';
import { serve } from '../../wasm/bench/serve.mjs';
import { launchOptions } from '../web/chromium.mjs';
import { call } from './call.js';

const project = inject('project');
const at = (...path: string[]) => join(project, ...path);
const wasm = at('node_modules', 'tril', 'dist', 'generated', 'tril-simd.wasm');

/** What a script computes with `tril` of an entry. */
const program = (entry: string, options = '') => `
  import { loadTril } from '${entry}';
  export const computed = loadTril(${options}).then((tril) => {
    const x = tril.tensor([[1, 2], [3, 4]]);
    return JSON.stringify(tril.matmul(x, x).toArray());
  });`;
const expected = '[[7,10],[15,22]]';

/** The script as one file, in a folder of its own. */
async function bundle(name: string, code: string, options: BuildOptions): Promise<string> {
  const outfile = at(name, 'bundle.cjs');
  mkdirSync(at(name), { recursive: true });
  const stdin = { contents: code, resolveDir: project };
  await build({ stdin, outfile, bundle: true, logLevel: 'error', ...options });
  return outfile;
}

it.each(['tril', 'tril/training', 'tril/simd', 'tril/simd-training'])(
  'is one CommonJS file with all that it needs: %s',
  async (entry) => {
    const code = `${program(entry)}\ncomputed.then(console.log);`;
    const options = { platform: 'node', format: 'cjs' } as const;
    const file = await bundle(`cjs-${entry.replace('/', '-')}`, code, options);
    expect(call(project, process.execPath, file).trim()).toBe(expected);
  },
);

it('is one CommonJS file that is given the module', async () => {
  const given = `{ wasm: require('node:fs').promises.readFile(${JSON.stringify(wasm)}) }`;
  const code = `${program('tril/simd', given)}\ncomputed.then(console.log);`;
  // Without the condition `node` nothing of the module is in it.
  const options = { platform: 'neutral', format: 'cjs' } as const;
  const file = await bundle('cjs-given', code, { ...options, external: ['node:fs'] });
  expect(readFileSync(file).length).toBeLessThan(400_000);
  expect(call(project, process.execPath, file).trim()).toBe(expected);
});

it('says what a bundle lacks', async () => {
  const code = `${program('tril/simd')}\ncomputed.catch((error) => console.log(error.message));`;
  const file = await bundle('cjs-lacking', code, { platform: 'neutral', format: 'cjs' });
  const message = call(project, process.execPath, file);
  expect(message).toMatch(/^loadTril: variant: tril-simd\.wasm could not be loaded: /);
  expect(message).toContain('or give it as wasm');
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
  const browser = await chromium.launch(launchOptions());
  try {
    const page = await browser.newPage();
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
    await browser.close();
    close();
  }
});
