// Formatting: clang-format for C++, Prettier for the rest. `--write` changes the files.
// clang-format's output depends on its version, so it is pinned to the one of Debian 12.

import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../wasm/toolchain/system.mjs';
import { listFiles, root } from './files.mjs';

const clangFormatMajor = 14;
const cppFiles = /\.(h|cc)$/;
const prettierFiles = /\.(m?ts|m?js|svelte|css|html|json|ya?ml)$/;
const notOurs = /(^|\/)package-lock\.json$|^(tests\/golden|models)\/.*\.json$/;

/** The path of clang-format in the pinned version, or the reason why there is none. */
export function findClangFormat() {
  const path = findProgram(`clang-format-${clangFormatMajor}`, 'clang-format');
  if (!path) return { missing: `clang-format ${clangFormatMajor} is not installed` };
  const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim();
  if (version.includes(`version ${clangFormatMajor}.`)) return { path };
  return { missing: `the pinned version is ${clangFormatMajor}, here is ${version}` };
}

/** Runs a program in the root: { failed, output }, once it has ended. */
export function call(command, ...args) {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: root, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim();
      resolve({ failed: error !== null, output: output || (error?.message ?? '') });
    });
  });
}

/** { failed, output }, or { skipped: reason } */
export async function clangFormat({ write }) {
  const { path, missing } = findClangFormat();
  if (missing) return { skipped: missing };
  const files = listFiles().filter((file) => cppFiles.test(file));
  return call(path, ...(write ? ['-i'] : ['--dry-run', '--Werror']), ...files);
}

export function prettier({ write }) {
  const files = listFiles().filter((file) => prettierFiles.test(file) && !notOurs.test(file));
  const mode = write ? '--write' : '--check';
  return call('npx', '--no-install', 'prettier', mode, '--log-level', 'warn', ...files);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const write = process.argv.includes('--write');
  for (const [name, tool] of Object.entries({ clangFormat, prettier })) {
    const { failed, output, skipped } = await tool({ write });
    console.log(`${name}: ${skipped ? `skipped, ${skipped}` : failed ? 'failed' : 'ok'}`);
    if (failed) console.log(output);
    if (failed) process.exitCode = 1;
  }
}
