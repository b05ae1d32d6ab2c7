// The package in Chromium: bundled by Vite and by esbuild, and served as it is with an import map, each as the
// package's README describes.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, createLogger, createServer } from 'vite';
import { expect, inject, it } from 'vitest';
import { serve } from '../../wasm/bench/serve.mjs';
import { call, example } from './call.js';
import { expected } from './expected.js';
import { visit } from './visit.js';

const project = inject('project');
const installed = join(project, 'node_modules', 'tril');
const readme = readFileSync(join(installed, 'README.md'), 'utf8');
const at = (...path: string[]) => join(project, ...path);
const bundled = readFileSync(at('index.html'), 'utf8');

/** Expects the folder to work on a plain static host, and with two threads on one that isolates its pages. */
async function expectWorking(folder: string): Promise<void> {
  for (const threads of [1, 2]) {
    const { url, close } = await serve(folder, { isolated: threads > 1 });
    try {
      expect(await visit(`${url}/index.html?threads=${threads}`)).toEqual(expected(threads));
    } finally {
      close();
    }
  }
}

it('is bundled by Vite', async () => {
  writeFileSync(at('vite.config.js'), example(readme, 'js', 'optimizeDeps'));
  const warnings: string[] = [];
  const customLogger = createLogger('warn');
  customLogger.warn = (message) => warnings.push(message);
  await build({ root: project, customLogger, build: { outDir: 'with-vite' } });
  expect(warnings).toEqual([]);
  await expectWorking(at('with-vite'));
});

it("runs on Vite's development server", async () => {
  const server = await createServer({ root: project, logLevel: 'error', server: { port: 0 } });
  try {
    await server.listen();
    expect(await visit(server.resolvedUrls!.local[0]!)).toEqual(expected());
  } finally {
    await server.close();
  }
});

it('is bundled by esbuild', async () => {
  const commands = example(readme, 'sh', 'esbuild').replace('npx ', ''); // it is on the PATH
  await call(project, 'sh', '-e', '-c', commands);
  const generated = join(installed, 'dist', 'generated');
  cpSync(generated, at('out'), { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
  writeFileSync(at('out', 'index.html'), bundled);
  await expectWorking(at('out'));
});

it('is served as it is, with an import map', async () => {
  const folder = at('plain');
  cpSync(installed, join(folder, 'tril'), { recursive: true });
  for (const file of ['main.js', 'compute.js']) cpSync(at(file), join(folder, file));
  const scripts = example(readme, 'html', 'importmap');
  const page = bundled.replace(/<script.*/s, scripts);
  expect(page).toContain('importmap');
  writeFileSync(join(folder, 'index.html'), page);
  await expectWorking(folder);
});
