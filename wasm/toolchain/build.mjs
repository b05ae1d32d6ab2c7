// `npm run build`: the package into wasm/dist, the page into web/dist. What is newer than its
// sources is left alone. Other programs take buildSteps().

import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, variants } from './cmake.mjs';
import { setupSteps } from './setup.mjs';
import { main, root, run, runSteps } from './steps.mjs';

const notSources = ['node_modules', 'dist', 'toolchain', 'generated', 'bench'];

/** Every file at or below the paths with its size and time: changes when one of them does. */
function fingerprint(...paths) {
  const lines = [];
  for (const path of paths) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    const status = statSync(full);
    if (status.isDirectory()) {
      const inside = readdirSync(full).filter((name) => !notSources.includes(name));
      lines.push(...inside.map((name) => fingerprint(join(path, name))));
    } else {
      lines.push(`${path} ${status.size} ${status.mtimeMs}`);
    }
  }
  return lines.join('\n');
}

/** `npm run build` of a workspace, unless that was done and no source has changed since. */
async function buildWorkspace(workspace, sources, options = []) {
  const stamp = join(root, 'build', `${workspace}.stamp`);
  const now = fingerprint(...sources);
  const done = existsSync(stamp) && existsSync(join(root, workspace, 'dist'));
  if (done && readFileSync(stamp, 'utf8') === now) return 'up to date';
  rmSync(stamp, { force: true });
  await run('npm', ['run', 'build', '--workspace', workspace, '--', ...options], {
    log: `${workspace}-build`,
    advice: `\`npm run build -w ${workspace}\` shows it by hand`,
  });
  writeFileSync(stamp, now);
  return '';
}

const modules = variants.flatMap((variant) =>
  ['mjs', 'wasm', 'd.mts'].map((kind) => `build/wasm-${variant}/wasm/tril-${variant}.${kind}`),
);
export const buildPackage = () =>
  buildWorkspace(
    'wasm',
    ['wasm', 'package-lock.json', ...modules],
    ['--modules', join(root, 'build')], // They are built: see buildModules().
  );
export const buildPage = () =>
  buildWorkspace('web', ['web', 'wasm/package.json', 'package-lock.json', 'build/wasm.stamp']);

export async function buildModules() {
  for (const variant of variants) await build(`wasm-${variant}`, 'tril_wasm');
}

/** Package and, if asked for, page. */
export function buildSteps({ page = true } = {}) {
  const steps = [
    { name: 'WebAssembly', work: buildModules },
    { name: 'Package', work: buildPackage },
  ];
  if (page) steps.push({ name: 'Page', work: buildPage });
  return steps;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(() => runSteps([...setupSteps(['page']), ...buildSteps()]));
}
