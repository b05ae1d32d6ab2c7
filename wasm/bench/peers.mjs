// `npm run bench:peers`: Tril next to alternative libraries, in Chromium, Node and natively. The peers are npm packages
// of their own (peers/package.json), fetched here and by no other command, and Debian's libraries.
//
//   npm run bench:peers -- --quick                  few rounds
//   npm run bench:peers -- --only matmul,softmax    only these groups of cases.mjs
//   npm run bench:peers -- --where chromium         only these places: chromium, node, native
//   npm run bench:peers -- --threads 2              threads for everyone, default 1
//
// Every result of a peer is first compared with Tril's; a wrong one is not timed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildSteps } from '../toolchain/build.mjs';
import { setupSteps } from '../toolchain/setup.mjs';
import { main, root, run, runSteps } from '../toolchain/steps.mjs';
import { readOptions } from './options.mjs';
import { describeRun, publish } from './publish.mjs';
import { peerTables } from './table.mjs';

const peers = join(root, 'wasm', 'bench', 'peers');
const folder = join(root, 'build', 'bench');
const purposes = {
  chromium: ['page', 'browser'],
  node: ['page'],
  native: ['page', 'core', 'bench', 'peers'],
};

/** Runs `npm ci` there, unless this lock has been installed. */
async function installPeers() {
  const stamp = join(peers, 'node_modules', '.tril-stamp');
  const lock = readFileSync(join(peers, 'package-lock.json'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return '';
  await run('npm', ['ci'], {
    cwd: peers,
    log: 'peers',
    advice: 'check the network and `npm config get registry`, then start again',
  });
  writeFileSync(stamp, lock);
  return 'installed';
}

/** Bundles the peers for a browser into one file, build/bench/peers.js. */
async function bundlePeers() {
  const { build } = createRequire(join(peers, 'package.json'))('esbuild');
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: peers,
    entryPoints: [join(peers, 'chromium.mjs')],
    outfile: join(folder, 'peers.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'error',
  });
}

async function measureIn(place, request, report) {
  if (place === 'native') {
    const { besideNative } = await import('./peers/native.mjs');
    return besideNative(request, report);
  }
  const { inChromium, inNode } = await import('./places.mjs');
  const call = 'runPeers';
  if (place === 'node') return inNode({ script: 'peers/node.mjs', call, request }, report);
  const modules = '/wasm/bench/peers/node_modules/';
  const script = '../../build/bench/peers.js';
  return inChromium({ script, call, request: { ...request, modules } }, report);
}

main(async () => {
  const { where, request, ...output } = readOptions(purposes, { threads: 1 });
  const needs = [...new Set(where.flatMap((place) => purposes[place]))];
  await runSteps([
    ...setupSteps(needs),
    ...buildSteps({ page: false }),
    { name: 'Peers', work: installPeers },
    { name: 'Peers for a browser', work: bundlePeers },
  ]);
  for (const place of where) {
    const measured = await describeRun(place, request, (report) =>
      measureIn(place, request, report),
    );
    const name = `peers-${place}${request.threads > 1 ? `-${request.threads}` : ''}`;
    publish(measured, name, { ...output, tables: peerTables });
  }
});
