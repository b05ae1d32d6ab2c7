// The C++ library in somebody else's project (CMakeLists.txt here): installed, as a folder of it, and
// by FetchContent; with every warning an error.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = process.env.TRIL_BUILD ?? join(root, 'build', 'native');
const folder = mkdtempSync(join(tmpdir(), 'tril-consumer-'));
const prefix = join(folder, 'installed');
afterAll(() => rmSync(folder, { recursive: true }));

function call(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw error ?? new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

const has = (program: string) => !spawnSync(program, ['--version']).error;

/** Configures the project, builds one of its programs and runs it; returns what that prints. */
function consume(program: string, way: string, compiler: string, ...settings: string[]): string {
  const build = join(folder, `${way}-${compiler}`);
  const choices = [`-DWAY=${way}`, `-DCMAKE_CXX_COMPILER=${compiler}`, ...settings];
  call('cmake', '-S', join(root, 'tests', 'consumer'), '-B', build, ...choices);
  const jobs = ['--parallel', String(availableParallelism())];
  call('cmake', '--build', build, ...jobs, '--target', program);
  return call(join(build, program));
}

const consumerSays = 'transformer_block: x: no tensor given\n';

beforeAll(() => {
  call('cmake', '--install', built, '--prefix', prefix);
});

it('installs headers, libraries, the program and its man page', () => {
  for (const file of ['include/tril/attention/attention.h', 'bin/tril', 'share/man/man1/tril.1']) {
    expect(existsSync(join(prefix, file)), file).toBe(true);
  }
  const { version } = JSON.parse(readFileSync(join(root, 'wasm', 'package.json'), 'utf8'));
  expect(call(join(prefix, 'bin', 'tril'), '--version')).toBe(`tril ${version}\n`);
});

it.each(['g++', 'clang++'].filter(has))('is found by find_package with %s', (compiler) => {
  const installed = `-DCMAKE_PREFIX_PATH=${prefix}`;
  expect(consume('consumer', 'find_package', compiler, installed)).toBe(consumerSays);
});

// Without optimisation, which is not what is tested here.
const sources = [`-DTRIL_SOURCE=${root}`, '-DCMAKE_BUILD_TYPE=Debug'];

it('is built as a folder of the project', () => {
  const compiler = has('clang++') ? 'clang++' : 'g++';
  expect(consume('consumer', 'add_subdirectory', compiler, ...sources)).toBe(consumerSays);
});

it('is built by FetchContent, as far as it is used', () => {
  expect(consume('reader', 'FetchContent', 'g++', ...sources)).toBe('numbers 1\n');
});
