// The npm packages of the workspace and Emscripten, each fetched only when necessary.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StepError, root, run } from './steps.mjs';
import { findProgram } from './system.mjs';

const stampPath = join(root, 'node_modules', '.tril-stamp');

/**
 * A hash of everything that node_modules depends on: every package.json, the lock, the machine and Node's major
 * version.
 */
function packagesStamp() {
  const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const hash = createHash('sha256');
  const files = ['', ...workspace.workspaces].map((folder) => join(folder, 'package.json'));
  for (const file of [...files, 'package-lock.json', '.npmrc']) {
    const path = join(root, file);
    hash.update(`${file}\n${existsSync(path) ? readFileSync(path, 'utf8') : ''}\n`);
  }
  hash.update(`${process.platform} ${process.arch} ${process.versions.node.split('.')[0]}`);
  return hash.digest('hex');
}

export async function ensurePackages() {
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === packagesStamp()) return '';
  const advice = 'check the network and `npm config get registry`, then start again';
  const npm = (...args) => run('npm', args, { log: 'npm', advice, allowFailure: true });
  // `npm ci` refuses a lock that does not match; `npm install` then updates it.
  const fresh = !existsSync(join(root, 'node_modules'));
  if (!fresh || (await npm('ci')) !== 0) {
    if ((await npm('install')) !== 0) {
      rmSync(stampPath, { force: true });
      throw new StepError('npm could not install the packages.', {
        advice,
        log: join(root, 'build', 'logs', 'npm.log'),
      });
    }
  }
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(stampPath, packagesStamp());
  return 'installed';
}

/** Finds an emcc that is new enough: the private one, one on PATH, else it is fetched. */
export async function ensureEmscripten() {
  const folder = join(root, 'wasm', 'toolchain');
  const debian = findProgram('apt-get') && findProgram('dpkg-deb');
  const output = await run('bash', [join(folder, 'setup-emscripten.sh')], {
    log: 'emscripten',
    capture: true,
    advice: debian
      ? 'check the network, then start again; or name a Debian mirror (`EMSCRIPTEN_MIRROR=ADDRESS npm start`), or put emcc 3.1.60 or newer on PATH'
      : 'get Emscripten 3.1.60 or newer and put emcc on PATH (`brew install emscripten`, or emsdk)',
  });
  const emcc = output.trim().split('\n').at(-1);
  return emcc.startsWith(folder) ? '' : emcc;
}
