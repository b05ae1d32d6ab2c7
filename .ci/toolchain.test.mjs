// Tests set-up and build (wasm/toolchain) on a project of one file.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bodiesOf, orderOf } from '../wasm/toolchain/function-order.mjs';
import { portable } from '../wasm/toolchain/portable.mjs';
import { importsOf } from '../wasm/toolchain/sections.mjs';
import { root } from './files.mjs';

/**
 * Makes a folder with the toolchain and a project whose target `result` copies source.txt to build/tiny. Its files.txt
 * names the test files that it was configured with.
 */
function makeProject(folder) {
  const toolchain = join('wasm', 'toolchain');
  mkdirSync(join(folder, toolchain), { recursive: true });
  for (const file of ['cmake.mjs', 'locales.mjs', 'steps.mjs', 'system.mjs']) {
    cpSync(join(root, toolchain, file), join(folder, toolchain, file));
  }
  const presets = {
    version: 3,
    configurePresets: [
      { name: 'tiny', generator: 'Unix Makefiles', binaryDir: '${sourceDir}/build/${presetName}' },
    ],
    buildPresets: [{ name: 'tiny', configurePreset: 'tiny' }],
  };
  writeFileSync(join(folder, 'CMakePresets.json'), JSON.stringify(presets));
  writeFileSync(
    join(folder, 'CMakeLists.txt'),
    `cmake_minimum_required(VERSION 3.22)
project(Tiny NONE)
add_custom_command(OUTPUT result.txt DEPENDS \${CMAKE_SOURCE_DIR}/source.txt
  COMMAND \${CMAKE_COMMAND} -E copy \${CMAKE_SOURCE_DIR}/source.txt result.txt)
add_custom_target(result DEPENDS result.txt)
set(TRIL_TESTS OFF CACHE BOOL "")
set(TRIL_TEST_FILES all CACHE STRING "")
file(WRITE \${CMAKE_BINARY_DIR}/files.txt "\${TRIL_TEST_FILES}")
add_custom_target(tril_tests)
`,
  );
}

const builtIn = (folder) => readFileSync(join(folder, 'build', 'tiny', 'result.txt'), 'utf8');

function buildIn(folder, target = 'result', options = {}) {
  const asked = `'tiny', '${target}', ${JSON.stringify(options)}`;
  const program = `import { build } from './wasm/toolchain/cmake.mjs'; await build(${asked});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
}

for (const preserveTimestamps of [true, false]) {
  test(`a built folder that is copied ${preserveTimestamps ? 'with' : 'without'} its times builds itself`, (t) => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'tril-toolchain-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const [original, copy] = ['original', 'copy'].map((name) => join(folder, name));
    makeProject(original);
    writeFileSync(join(original, 'source.txt'), 'first');
    buildIn(original);
    assert.equal(builtIn(original), 'first');

    cpSync(original, copy, { recursive: true, preserveTimestamps });
    writeFileSync(join(copy, 'source.txt'), 'second');
    buildIn(copy);
    assert.equal(builtIn(copy), 'second');
    assert.equal(builtIn(original), 'first');
    writeFileSync(join(original, 'source.txt'), 'third');
    buildIn(original);
    assert.equal(builtIn(original), 'third');
    assert.equal(builtIn(copy), 'second');
  });
}

test('a build folder follows the files of tests that are asked for', (t) => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'tril-toolchain-'));
  t.after(() => rmSync(folder, { recursive: true }));
  makeProject(folder);
  writeFileSync(join(folder, 'source.txt'), 'any');
  const configured = () => readFileSync(join(folder, 'build', 'tiny', 'files.txt'), 'utf8');
  buildIn(folder);
  assert.equal(configured(), 'all');
  for (const files of ['a_test.cc;b_test.cc', '*_test.cc', 'a_test.cc']) {
    buildIn(folder, 'tril_tests', { files });
    assert.equal(configured(), files);
    buildIn(folder, 'tril_tests');
    buildIn(folder);
    assert.equal(configured(), files);
  }
});

// The relevant parts of Emscripten 3's and 6's output, with a bracket in a string.
const spellings = {
  3: `if(isNode){const{createRequire}=await import("module");var text=")}"}
let cores=()=>(await import('worker_threads')).cores;
var workerOptions={type:"module",workerData:"em-pthread",name:"em-pthread"};
worker=new Worker(new URL("tril-simd-threads.mjs",import.meta.url),workerOptions);
return new URL("tril-simd-threads.wasm",import.meta.url).href;`,
  6: `if(isNode){const{createRequire}=await import("node:module");var text=")}"}
let cores=()=>(await import("node:worker_threads")).cores;
worker=new Worker(new URL("tril-simd-threads.mjs",import.meta.url),{"type":"module","workerData":"em-pthread","name":"em-pthread"});
return new URL('tril-simd-threads.wasm', import.meta.url).href;`,
};

for (const [version, script] of Object.entries(spellings)) {
  test(`a script of Emscripten ${version} is made portable`, () => {
    const made = portable(script, 'tril-simd-threads');
    assert.doesNotMatch(made, /\bimport\s*\(/);
    assert.match(made, /=process\.getBuiltinModule\("module"\)/);
    assert.match(made, /\(process\.getBuiltinModule\("worker_threads"\)\)/);
    const [, url, options] =
      /new Worker\(\/\* turbopackIgnore: true \*\/ new URL\("([^"]*)",import\.meta\.url\),(\{[^}]*\})\)/.exec(
        made,
      ) ?? [];
    assert.equal(url, 'tril-simd-threads.js');
    assert.doesNotMatch(made, /\.wasm["'], ?import\.meta\.url\)\.href/);
    assert.match(
      made,
      /export const wasmUrl=\(\)=>new URL\("tril-simd-threads\.wasm",import\.meta\.url\)/,
    );
    const pairs = [...options.matchAll(/"?(\w+)"?:"([^"]*)"/g)].map(([, key, value]) => [
      key,
      value,
    ]);
    assert.deepEqual(pairs, [
      ['type', 'module'],
      ['workerData', 'em-pthread'],
      ['name', 'em-pthread-tril-simd-threads'], // has the prefix that the script expects
    ]);
  });
}

test('a script that is unlike them is refused, with what it lacks', () => {
  const [three] = Object.values(spellings);
  assert.throws(() => portable('const x = 1;', 'tril-simd-threads'), /asks nothing of Node/);
  assert.throws(() => portable(`${three}import("./x.mjs")`, 'tril-simd-threads'), /imports/);
  assert.throws(() => portable(three, 'tril-simd'), /starts Workers in 1 places/);
  const other = three.replace('new URL(', 'address(');
  assert.throws(() => portable(other, 'tril-simd-threads'), /something else/);
  const lost = three.replace('.wasm', '.data');
  assert.throws(() => portable(lost, 'tril-simd-threads'), /where its module lies/);
  const nameless = three.replace('name:"em-pthread"', 'name:other');
  assert.throws(() => portable(nameless, 'tril-simd-threads'), /not named em-pthread/);
});

/** A module that imports a function and a shared memory, with these function bodies. */
const moduleOf = (...bodies) => {
  const section = (id, ...bytes) => [id, bytes.length, ...bytes];
  const types = [1, 0x60, 0, 0];
  const name = [1, 0x61];
  const imports = [2, ...name, ...name, 0, 0, ...name, ...name, 2, 3, 1, 200, 1];
  const code = bodies.flatMap((body) => [body.length, ...body]);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, ...types),
    ...section(2, ...imports),
    ...section(3, bodies.length, ...bodies.map(() => 0)),
    ...section(10, bodies.length, ...code),
  ]);
};
/** A function body without locals that drops constants. */
const dropping = (...constants) => [0, ...constants.flatMap((value) => [0x41, value, 0x1a]), 0x0b];

test('functions that are alike come one behind another, each once', () => {
  const [odd, even] = [
    [1, 3, 5, 7, 9, 11],
    [2, 4, 6, 8, 10, 12],
  ].map((numbers) => dropping(...numbers));
  const module = moduleOf(odd, even, odd, even, odd);
  assert.ok(WebAssembly.validate(module));
  const bodies = bodiesOf(module);
  assert.deepEqual(
    bodies.map((body) => [...body]),
    [odd, even, odd, even, odd],
  );
  assert.deepEqual(orderOf(bodies), [0, 2, 4, 1, 3]);
  assert.deepEqual(
    [...importsOf(module)].map(({ kind }) => kind),
    [0, 2],
  );
});
