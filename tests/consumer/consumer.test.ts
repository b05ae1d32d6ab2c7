// The C++ library in somebody else's project (CMakeLists.txt here): installed, as a folder of it, and
// by FetchContent; with every warning an error.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

/** Not waited for by the whole process: Vitest gives up what does not answer for a minute. */
async function call(command: string, ...args: string[]): Promise<string> {
  const ended = promisify(execFile)(command, args, { maxBuffer: Infinity });
  const { stdout } = await ended.catch(({ message, stdout = '' }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}

const has = (program: string) => !spawnSync(program, ['--version']).error;

/** Configures the project, builds one of its programs and runs it; returns what that prints. */
async function consume(program: string, way: string, compiler: string, ...settings: string[]) {
  const build = join(folder, `${way}-${compiler}`);
  const choices = [`-DWAY=${way}`, `-DCMAKE_CXX_COMPILER=${compiler}`, ...settings];
  await call('cmake', '-S', join(root, 'tests', 'consumer'), '-B', build, ...choices);
  const jobs = ['--parallel', String(availableParallelism())];
  await call('cmake', '--build', build, ...jobs, '--target', program);
  return call(join(build, program));
}

const consumerSays = 'transformer_block: x: no tensor given\n';

beforeAll(async () => {
  await call('cmake', '--install', built, '--prefix', prefix);
});

it('installs headers, libraries, the program and its man page', async () => {
  for (const file of ['include/tril/attention/attention.h', 'bin/tril', 'share/man/man1/tril.1']) {
    expect(existsSync(join(prefix, file)), file).toBe(true);
  }
  const { version } = JSON.parse(readFileSync(join(root, 'wasm', 'package.json'), 'utf8'));
  expect(await call(join(prefix, 'bin', 'tril'), '--version')).toBe(`tril ${version}\n`);
});

it.each(['g++', 'clang++'].filter(has))('is found by find_package with %s', async (compiler) => {
  const installed = `-DCMAKE_PREFIX_PATH=${prefix}`;
  expect(await consume('consumer', 'find_package', compiler, installed)).toBe(consumerSays);
});

// Without optimisation, which is not what is tested here.
const sources = [`-DTRIL_SOURCE=${root}`, '-DCMAKE_BUILD_TYPE=Debug'];

it('is built as a folder of the project', async () => {
  const compiler = has('clang++') ? 'clang++' : 'g++';
  expect(await consume('consumer', 'add_subdirectory', compiler, ...sources)).toBe(consumerSays);
});

it('is built by FetchContent, as far as it is used', async () => {
  expect(await consume('reader', 'FetchContent', 'g++', ...sources)).toBe('numbers 1\n');
});
