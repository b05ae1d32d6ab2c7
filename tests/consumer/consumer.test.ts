// The C++ library in another project (CMakeLists.txt here): installed, as a subfolder, and by FetchContent; with every
// warning an error.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = process.env.TRIL_BUILD ?? join(root, 'build', 'native');
const folder = mkdtempSync(join(tmpdir(), 'tril-consumer-'));
const prefix = join(folder, 'installed');
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command without blocking: Vitest gives up on a process that does not respond for a minute. */
async function call(command: string, ...args: string[]): Promise<string> {
  const ended = promisify(execFile)(command, args, { maxBuffer: Infinity });
  const { stdout } = await ended.catch(({ message, stdout = '' }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}

const has = (program: string) => !spawnSync(program, ['--version']).error;

/** Configures the project, builds some of its targets and runs the first; returns its output. */
async function consume(targets: string[], way: string, compiler: string, ...settings: string[]) {
  const build = join(folder, `${way}-${compiler}`);
  const choices = [`-DWAY=${way}`, `-DCMAKE_CXX_COMPILER=${compiler}`, ...settings];
  await call('cmake', '-S', join(root, 'tests', 'consumer'), '-B', build, ...choices);
  const jobs = ['--parallel', String(availableParallelism())];
  await call('cmake', '--build', build, ...jobs, '--target', ...targets);
  return call(join(build, targets[0]!));
}

const consumerSays = 'transformer_block: x: no tensor given\n';

beforeAll(async () => {
  await call('cmake', '--install', built, '--prefix', prefix);
});

it('installs headers, libraries, the program and its man page', async () => {
  const programs = ['bin/tril', 'share/man/man1/tril.1'];
  const library = ['include/tril/attention/attention.h', 'share/doc/Tril/LICENSE'];
  for (const file of [...programs, ...library]) {
    expect(existsSync(join(prefix, file)), file).toBe(true);
  }
  for (const inside of [
    'attention/attention_problem.h',
    'layers/softmax_kernels.h',
    'text/nfc.h',
  ]) {
    expect(existsSync(join(prefix, 'include/tril', inside)), inside).toBe(false);
  }
  const { version } = JSON.parse(readFileSync(join(root, 'wasm', 'package.json'), 'utf8'));
  expect(await call(join(prefix, 'bin', 'tril'), '--version')).toBe(`tril ${version}\n`);
});

it.each(['g++', 'clang++'].filter(has))('is found by find_package with %s', async (compiler) => {
  const installed = `-DCMAKE_PREFIX_PATH=${prefix}`;
  for (const targets of [['consumer', 'addon'], ['former']]) {
    expect(await consume(targets, 'find_package', compiler, installed)).toBe(consumerSays);
  }
});

it.skipIf(!has('pkg-config'))('is found by pkg-config', async () => {
  const files = await call('find', prefix, '-name', 'tril.pc');
  const flags = ['--cflags', '--libs', files.trim()];
  const found = (await call('pkg-config', ...flags)).trim().split(' ');
  const program = join(folder, 'reader');
  const source = join(root, 'tests', 'consumer', 'method.cc');
  await call('c++', '-std=c++20', source, ...found, '-o', program);
  expect(await call(program)).toBe('6\n');
});

// Without optimisation, which is not tested here.
const debug = '-DCMAKE_BUILD_TYPE=Debug';

it('is built as a folder of the project, as shared libraries, on libc++ where it is', async () => {
  const compiler = has('clang++') ? 'clang++' : 'g++';
  const flags = process.env.TRIL_LIBCXX ? ['-DCMAKE_CXX_FLAGS=-stdlib=libc++'] : [];
  const settings = [`-DTRIL_SOURCE=${root}`, debug, '-DBUILD_SHARED_LIBS=ON', ...flags];
  const says = await consume(['consumer'], 'add_subdirectory', compiler, ...settings);
  expect(says).toBe(consumerSays);
  const built = join(folder, `add_subdirectory-${compiler}`);
  const libraries = await call('find', built, '-name', 'libtril_lessons.*');
  expect(libraries).toMatch(/\.(so|dylib)/);
  expect(libraries).not.toContain('.a\n');
});

it('is built as the README says, without Eigen and as far as it is used', async () => {
  const snippet = join(folder, 'snippet.cmake');
  const [, block] = /```cmake\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8'))!;
  writeFileSync(snippet, block!.replace('tril::core', 'tril::matmul')); // compiles in a third of the time
  const here = `-DFETCHCONTENT_SOURCE_DIR_TRIL=${root}`;
  const settings = [`-DSNIPPET=${snippet}`, here, debug, '-DTRIL_USE_EIGEN=OFF'];
  expect(await consume(['reader'], 'FetchContent', 'g++', ...settings)).toBe('numbers 1\n');
  expect(await consume(['app'], 'FetchContent', 'g++', ...settings)).toBe(
    'matmul: method: Tril was built without Eigen, so there is no "eigen", 1\n',
  );
  const other = join(root, 'core/tril/lessons/singular_values.cc'); // the other file that needs it
  await call('g++', '-std=c++20', '-fsyntax-only', '-Wall', '-Werror', `-I${root}/core`, other);
});
