// Configures and builds by CMake preset, like `cmake --preset NAME`, on all processors.

import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root, run } from './steps.mjs';
import { findGoogleTest, findProgram } from './system.mjs';

const ccache = findProgram('ccache');

/**
 * The Emscripten that set-up has put into this clone is run by the system's Python: one from a version manager on PATH
 * takes twice as long to start, and it is started for every file.
 *
 * ccache, if installed, shares compiled files with other build folders, branches and clones: for these, paths are taken
 * relative to the root, and that Emscripten is identified by its packages, since its programs contain their own path.
 */
function environment(preset) {
  const packages = join(root, 'wasm', 'toolchain', 'emscripten', 'packages');
  const ours = preset.startsWith('wasm') && existsSync(packages);
  const python = '/usr/bin/python3';
  return {
    ...(ours && existsSync(python) && { EMSDK_PYTHON: python }),
    ...(ccache && {
      EM_COMPILER_WRAPPER: ccache, // Emscripten's name for it
      CCACHE_BASEDIR: root,
      CCACHE_NOHASHDIR: 'true',
    }),
    ...(ccache &&
      ours && {
        CCACHE_COMPILERCHECK: `string:${readFileSync(packages, 'utf8').split('\n').join(' ')}`,
      }),
  };
}

export const unthreaded = ['simd', 'relaxed'];
export const variants = [...unthreaded, 'simd-threads', 'relaxed-threads'];

/**
 * Removes build folders that were copied from elsewhere: CMake would go on building the original. All of them, since a
 * preset may take objects from the folder of another (core/rest.cmake).
 */
function removeCopied() {
  const folder = join(root, 'build');
  if (!existsSync(folder)) return;
  for (const preset of readdirSync(folder)) {
    const cache = join(folder, preset, 'CMakeCache.txt');
    if (!existsSync(cache)) continue;
    const [, home] =
      /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, 'utf8')) ?? [];
    if (home !== root) rmSync(join(folder, preset), { recursive: true });
  }
}

/**
 * Configures if that was never done, the presets have changed or other `files` of tests are requested; CMake itself
 * notices other changes.
 */
export async function configure(preset, { tests = false, files } = {}) {
  removeCopied();
  const cache = join(root, 'build', preset, 'CMakeCache.txt');
  const presets = join(root, 'CMakePresets.json');
  if (existsSync(cache) && statSync(cache).mtimeMs >= statSync(presets).mtimeMs) {
    const known = readFileSync(cache, 'utf8');
    const same = !files || known.includes(`TRIL_TEST_FILES:STRING=${files}\n`);
    if (!tests || (same && known.includes('TRIL_TESTS:BOOL=ON'))) return;
  }
  // Without GoogleTest's sources, package and page are built without fetching them.
  const withTests = tests || findGoogleTest() ? 'ON' : 'OFF';
  // ccache stores no object that was compiled with a precompiled header; natively CMakeLists.txt handles that.
  const caching = preset.startsWith('wasm')
    ? '-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON'
    : `-DCMAKE_CXX_COMPILER_LAUNCHER=${ccache}`;
  // The weekly run takes all tests of presets that otherwise take some.
  const asked = process.env.TRIL_WEEKLY && preset.startsWith('wasm') ? '*_test.cc' : files;
  const chosen = asked ? [`-DTRIL_TEST_FILES=${asked}`] : [];
  const options = [`-DTRIL_TESTS=${withTests}`, ...(ccache ? [caching] : []), ...chosen];
  await run('cmake', ['--preset', preset, ...options], {
    log: `${preset}-configure`,
    env: environment(preset),
    advice: `remove build/${preset} and try again; \`cmake --preset ${preset}\` shows it by hand`,
  });
}

/**
 * Builds a target of a preset on all processors; for the tests with these `files`, patterns of CMake's, or the preset's
 * own.
 */
export async function build(preset, target, { files } = {}) {
  await configure(preset, { tests: target === 'tril_tests', files });
  const jobs = ['--parallel', String(availableParallelism())];
  await run('cmake', ['--build', '--preset', preset, ...jobs, '--target', target], {
    log: `${preset}-build-${target}`,
    env: environment(preset),
    advice: `the compiler's message is above; \`cmake --build --preset ${preset}\` shows it by hand`,
  });
}
