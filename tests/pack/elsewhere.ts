// Projects with other tools and the package: each in a temporary folder, which is deleted after its test.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { call, environment } from './call.js';
import { visit } from './visit.js';

/** The result of `compute` with any entry, and each of the two results of `onClient`. */
export const product = '[[7,10],[15,22]]';

const shared = {
  'compute.js': `
    export async function compute(loadTril) {
      const tril = await loadTril();
      const x = await tril.tensor([[1, 2], [3, 4]]);
      return JSON.stringify(await (await tril.matmul(x, x)).toArray());
    }`,
  'client.js': `
    import { loadTril } from 'tril';
    import { loadTril as loadInWorker } from 'tril/worker';
    import { compute } from './compute.js';
    export const onClient = () => Promise.all([loadTril, loadInWorker].map(compute));`,
};

/** Makes a folder with these packages, in their newest versions by default, the tarball and these files. */
export async function install(packages: string[], files: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tril-elsewhere-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const all = { 'package.json': '{ "private": true, "type": "module" }', ...shared, ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const options = ['--save-dev', '--no-audit', '--no-fund'];
  await call(folder, 'npm', 'install', ...options, inject('tarball'), ...packages);
  return folder;
}

/** Runs a script of a package in the folder, and returns its output. */
export const callScript = (folder: string, script: string, ...args: string[]): Promise<string> =>
  call(folder, process.execPath, join(folder, 'node_modules', script), ...args);

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Runs the script, a server, in the folder while `body` uses it. */
export async function whileServing(
  folder: string,
  args: string[],
  body: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const env = { ...environment, PORT: String(port), HOST: '127.0.0.1' };
  const server = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  onTestFinished(() => void server.kill());
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => undefined))) {
    if (server.exitCode !== null) throw new Error(`the server ended: ${server.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await body(url);
  server.kill();
  await ended;
}

export const textOf = async (address: string): Promise<string> => (await fetch(address)).text();

/** Expects a page to be computed on the server, and again in the browser, in the page and in its Worker. */
export async function expectBothSides(page: string): Promise<void> {
  expect(await textOf(page)).toContain(product);
  expect(await visit(page)).toEqual([product, product]);
}
