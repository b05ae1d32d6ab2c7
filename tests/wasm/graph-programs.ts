// Runs the programs of graphs: C++ against the native core, Python if NumPy and PyTorch are installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** TRIL_NATIVE selects another build of the core. */
const native = process.env['TRIL_NATIVE'] ?? join(root, 'build', 'native');
/** The libraries in link order: dependent ones first. */
const floors = ['lessons', 'attention', 'layers', 'matmul', 'foundation'];
const libraries = floors.map((floor) => join(native, 'core', 'tril', floor, `libtril_${floor}.a`));

const python = { NumPy: findPythonWith('numpy'), PyTorch: findPythonWith('torch') };

export type Language = 'NumPy' | 'PyTorch' | 'C++';

/** Whether this machine can run programs of a language. */
export const canRun = (language: Language): boolean =>
  language === 'C++' ? libraries.every((path) => existsSync(path)) : Boolean(python[language]);

/** Runs all programs separately in one process, and prints their outputs as JSON. */
const runAll = `
import contextlib, io, json, sys, traceback
printed = []
for program in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(program, "program", "exec"), {"__name__": "__main__"})
        except BaseException:
            print(traceback.format_exc())
    printed.append(out.getvalue())
print(json.dumps(printed))
`;

/** The output of a command. It does not block: Vitest checks that its workers are alive. */
async function outputOf(command: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, args);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (errors += String(data)));
  child.stdin.on('error', () => undefined); // EPIPE: a program may end before it reads its input
  child.stdin.end(input);
  const [status] = (await once(child, 'close')) as [number];
  if (status !== 0) throw new Error(`${command}: ${errors.slice(0, 5000)}`);
  return output;
}

/**
 * Compiles all programs as one, each in its own namespace, since their includes take longer to compile than they do.
 */
async function runCpp(codes: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tril-'));
  try {
    const includes = new Set(codes.flatMap((code) => code.match(/^#include .*$/gmu) ?? []));
    const bodies = codes.map((code, i) => {
      const body = code.replaceAll(/^#include .*$/gmu, '').replace('int main()', 'void run()');
      return `namespace program_${i} {\n${body}}`;
    });
    const runs = codes.map((_, i) => `  program_${i}::run();`);
    const source = [...includes, ...bodies, 'int main() {', ...runs, '}', ''].join('\n');
    const [file, program] = [join(folder, 'all.cc'), join(folder, 'all')];
    writeFileSync(file, source);
    const options = ['-std=c++20', '-Wall', '-Wextra', '-Werror', '-pthread'];
    await outputOf('g++', [
      ...options,
      `-I${join(root, 'core')}`,
      ...[file, ...libraries, '-o', program],
    ]);
    return (await outputOf(program, [])).trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The output of each program. */
export async function runPrograms(language: Language, codes: readonly string[]): Promise<string[]> {
  if (language === 'C++') return runCpp(codes);
  const printed = await outputOf(python[language]!, ['-c', runAll], JSON.stringify(codes));
  return JSON.parse(printed) as string[];
}
