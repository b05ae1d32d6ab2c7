// `npm run build`: builds the package into wasm/dist, the page and the references into web/dist. Results newer than
// their sources are kept. Other programs import buildSteps().

import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, variants } from './cmake.mjs';
import * as documents from './documents.mjs';
import { setupSteps } from './setup.mjs';
import { main, root, run, runSteps } from './steps.mjs';

const notSources = [
  ...['node_modules', 'dist', 'toolchain', 'generated', 'bench', 'LICENSE', '.svelte-kit'],
  ...['THIRD-PARTY-NOTICES.txt', 'dist-en-XA', 'dist-ar-XB'],
];

/** Every file at or below the paths with its size and time, which changes when one of them does. */
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

/** Does the work unless it was done, its results exist, and no source has changed since. */
async function unlessUpToDate(name, { sources, results, work }) {
  const stamp = join(root, 'build', `${name}.stamp`);
  const now = fingerprint(...sources);
  const done = [stamp, ...results.map((path) => join(root, path))].every(existsSync);
  if (done && readFileSync(stamp, 'utf8') === now) return 'up to date';
  rmSync(stamp, { force: true });
  await work();
  writeFileSync(stamp, now);
  return '';
}

function npmBuild(workspace, ...options) {
  return run('npm', ['run', 'build', '--workspace', workspace, '--', ...options], {
    log: `${workspace}-build`,
    advice: `\`npm run build -w ${workspace}\` shows it by hand`,
  });
}

const modules = variants.flatMap((variant) =>
  ['', '-lessons', '-training'].flatMap((part) =>
    ['mjs', 'wasm', 'd.mts'].map(
      (kind) => `build/wasm-${variant}/wasm/tril-${variant}${part}.${kind}`,
    ),
  ),
);
const cmakeFiles = ['CMakeLists.txt', 'CMakePresets.json', 'wasm/CMakeLists.txt'];
const emscripten = ['wasm/toolchain/Emscripten.cmake', 'wasm/toolchain/emscripten/.stamp'];

export const buildModules = () =>
  unlessUpToDate('modules', {
    sources: ['core', 'wasm/bindings', 'wasm/toolchain/eigen', ...cmakeFiles, ...emscripten],
    results: modules,
    work: async () => {
      // Two at a time: configuring and linking take one processor each. Relaxed variants reuse the objects of the
      // others except for kernels.
      for (const simd of ['simd', 'relaxed']) {
        const pair = variants.filter((variant) => variant.startsWith(simd));
        await Promise.all(pair.map((variant) => build(`wasm-${variant}`, 'tril_wasm')));
      }
    },
  });

export const buildPackage = () =>
  unlessUpToDate('wasm', {
    sources: ['wasm', 'docs/THIRD-PARTY-NOTICES.txt', 'package-lock.json', ...modules],
    results: ['wasm/dist/index.js', 'wasm/LICENSE'],
    work: () => npmBuild('wasm', '--modules', join(root, 'build')), // See buildModules().
  });

export const buildPage = () =>
  unlessUpToDate('web', {
    sources: ['web', 'models', 'wasm/package.json', 'package-lock.json', 'build/wasm.stamp'],
    results: ['web/dist/index.html'],
    work: () => npmBuild('web'),
  });

/** The page in pseudo-languages, for its tests. */
export const buildPseudo = () =>
  unlessUpToDate('pseudo', {
    sources: ['web', 'models', 'wasm/package.json', 'package-lock.json', 'build/wasm.stamp'],
    results: ['web/dist-en-XA/index.html', 'web/dist-ar-XB/index.html'],
    work: () =>
      run('npm', ['run', 'build:pseudo', '--workspace', 'web'], {
        log: 'pseudo-build',
        advice: '`npm run build:pseudo -w web` shows it by hand',
      }),
  });

/** Builds the references of library and package, which do not need the page; resolves to a note on missing tools. */
async function buildReferences() {
  const missing = documents.noDoxygen();
  if (!missing) {
    await unlessUpToDate('cpp', {
      sources: ['core'],
      results: [documents.libraryReference],
      work: documents.makeLibraryReference,
    });
  }
  await unlessUpToDate('api', {
    sources: [
      ...['wasm/src', 'wasm/README.md', 'wasm/package.json', 'package-lock.json'],
      ...['typedoc.mjs', 'typedoc.css'].map((file) => `wasm/toolchain/${file}`),
      'build/cpp.stamp', // the pages link to it
    ],
    results: [documents.packageReference],
    work: documents.makePackageReference,
  });
  return missing;
}

/** Builds the page, and the references beside it at the same time, since each mostly takes one processor. */
export async function buildSite() {
  const [built, missing] = await Promise.all([buildPage(), buildReferences()]);
  const placed = await unlessUpToDate('documents', {
    sources: ['web', 'cpp', 'api'].map((name) => `build/${name}.stamp`),
    results: ['web/dist/api/index.html'],
    work: documents.placeDocuments,
  });
  return missing ?? (built && placed);
}

/** The steps that build the package and, if requested, the page with its documents. */
export function buildSteps({ page = true } = {}) {
  const steps = [
    { name: 'WebAssembly', work: buildModules },
    { name: 'Package', work: buildPackage },
  ];
  if (page) {
    steps.push({ name: 'Page and references', work: buildSite });
  }
  return steps;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(() => runSteps([...setupSteps(['page']), ...buildSteps()]));
}
