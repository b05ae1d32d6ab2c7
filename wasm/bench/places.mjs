// The places where JavaScript is measured: a process of Node, and a Worker of headless Chromium. Each takes { script,
// call, request } - a file below wasm/bench, the function to call and its argument - and resolves to { engine, done,
// cases }.

import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { detectFeatures } from 'tril';
import { launchOptions } from '../toolchain/chromium.mjs';
import { root } from '../toolchain/steps.mjs';
import { serve } from './serve.mjs';

const bench = join(root, 'wasm', 'bench');

/** Node 20 has relaxed SIMD behind a flag, Node 22 without one. */
export const execArgv = detectFeatures().relaxedSimd ? [] : ['--experimental-wasm-relaxed-simd'];

export function inNode({ script, call, request }, report = () => {}) {
  const child = fork(join(bench, 'node.mjs'), { execArgv });
  const url = pathToFileURL(join(bench, script)).href;
  return new Promise((resolve, reject) => {
    const cases = [];
    let done;
    child.on('message', (message) => {
      if (message.done) done = message.done;
      else report(cases[cases.push(message.results) - 1]);
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (done) resolve({ engine: `Node ${process.versions.node}`, done, cases });
      else reject(new Error(`Node ended with code ${code} before it had measured all`));
    });
    child.send({ script: url, call, request });
  });
}

/** Playwright belongs to the tests of the page. */
const playwright = () => createRequire(join(root, 'tests', 'package.json'))('@playwright/test');

export async function inChromium({ script, call, request }, report = () => {}) {
  const server = await serve(root);
  const browser = await playwright().chromium.launch(launchOptions());
  try {
    const page = await browser.newPage();
    const cases = [];
    await page.exposeFunction('report', (results) => report(cases[cases.push(results) - 1]));
    await page.goto(server.url);
    const done = await page.evaluate(measureInWorker, {
      worker: '/wasm/bench/worker.mjs',
      message: { script: new URL(script, `${server.url}/wasm/bench/`).pathname, call, request },
    });
    return { engine: `Chromium ${browser.version()}`, done, cases };
  } finally {
    await browser.close();
    server.close();
  }
}

/** Runs in the page. */
function measureInWorker({ worker, message }) {
  return new Promise((resolve, reject) => {
    const thread = new globalThis.Worker(worker);
    thread.onmessage = ({ data }) => {
      if (data.results) globalThis.report(data.results);
      else if (data.done) resolve(data.done);
      else reject(new Error(data.failed));
    };
    thread.onerror = (event) => reject(new Error(event.message || 'the Worker could not start'));
    thread.postMessage(message);
  });
}
