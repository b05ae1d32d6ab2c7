// Compiles and runs the programs that the page exports: C++ against the core, Python if NumPy and PyTorch are
// installed. Python's libraries, which are slow to start, are started once per worker.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';
import { expect, test as base } from './fixtures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** TRIL_NATIVE selects another build of the core, for runs side by side. */
const native = process.env.TRIL_NATIVE ?? join(root, 'build', 'native');
/** The libraries in link order: dependent ones first. */
const floors = ['lessons', 'block', 'attention', 'layers', 'matmul', 'foundation'];
const libraries = floors.map((floor) => join(native, 'core', 'tril', floor, `libtril_${floor}.a`));

export const languages = ['C++', 'NumPy', 'PyTorch'] as const;
export type Language = (typeof languages)[number];

export interface Program {
  /** The name of the figure. */
  readonly name: string;
  readonly language: Language;
  readonly code: string;
}

/** The precision of the displayed digits: a program may add up in another order. */
const shownDigits = 1e-5;
/** The error after 24 blocks; the figure's table has four digits. */
const shownAfterBlocks = 5e-4;

/** Expects the program's own numbers to be close to its expected ones, relative to their size. */
function expectClose({ name, language, code }: Program, output: string): void {
  const about = `${name} in ${language}`;
  const found = /largest difference: (\S+)/.exec(output);
  expect(found, `${about}\n${output.slice(-2000)}`).not.toBeNull();
  const expected = code.slice(code.indexOf('What the page shows.'));
  const numbers = [...expected.matchAll(/-?\d+\.?\d*(?:e[+-]?\d+)?/gu)].map(([text]) =>
    Number(text),
  );
  const digits = name === 'depth' ? shownAfterBlocks : shownDigits;
  const scale = Math.max(1, ...numbers.filter(Number.isFinite).map(Math.abs));
  expect(Number(found![1]), about).toBeLessThanOrEqual(digits * scale);
}

const options = ['-std=c++20', '-Wall', '-Wextra', '-Werror', '-pthread'];
options.push(`-I${join(root, 'core')}`);

/** The header that every program includes, compiled once: it takes longer than any program. */
const umbrella = '#include <tril/tril.h>\n';

/** Compiles the header, and returns its path. */
function compileUmbrella(folder: string): string {
  const header = join(folder, 'umbrella.h');
  writeFileSync(header, umbrella);
  const built = spawnSync('g++', [...options, '-x', 'c++-header', header], { encoding: 'utf8' });
  expect(built.stderr).toBe('');
  return header;
}

/** The output of the program. */
function runCpp({ name, code }: Program, header: string): string {
  expect(code.slice(0, 2000), name).toContain(umbrella);
  const folder = mkdtempSync(join(tmpdir(), 'tril-'));
  try {
    const [source, program] = [join(folder, `${name}.cc`), join(folder, name)];
    writeFileSync(source, code);
    const inputs = ['-include', header, source, ...libraries];
    const built = spawnSync('g++', [...options, ...inputs, '-o', program], { encoding: 'utf8' });
    // Reports the code's name alone: compilers name the line, and the program's numbers fill pages.
    expect(built.stderr, name).toBe('');
    const run = spawnSync(program, { encoding: 'utf8', maxBuffer: 1 << 26 });
    expect(run.status, name).toBe(0);
    return run.stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a program per line, each as JSON, and answers each with a line of its output. */
const answerAll = `
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line), "program", "exec"), {"__name__": "__main__"})
        except BaseException:
            print(traceback.format_exc())
    print(json.dumps(printed.getvalue()), flush=True)
`;

/** Checks only the syntax, for programs that cannot be run here. */
const parseAll = `
import ast, json, sys
for line in sys.stdin:
    ast.parse(json.loads(line))
`;

class Interpreter {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(program: string) {
    this.#process = spawn(program, ['-c', answerAll], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]();
  }

  async run(code: string): Promise<string> {
    this.#process.stdin!.write(`${JSON.stringify(code)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('Python has ended');
    return JSON.parse(value as string) as string;
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin!.end();
    await ended;
  }
}

const modules = { NumPy: 'numpy', PyTorch: 'torch' } as const;

export class Runner {
  readonly #pythons = new Map<Language, Interpreter | undefined>();
  /** Programs with the right output: they need not run again. */
  readonly #right = new Set<string>();
  #folder: string | undefined;
  #header: string | undefined;

  #cpp(program: Program): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'tril-'));
    return runCpp(program, (this.#header ??= compileUmbrella(this.#folder)));
  }

  #python(language: 'NumPy' | 'PyTorch'): Interpreter | undefined {
    if (!this.#pythons.has(language)) {
      const program = findPythonWith(modules[language]);
      this.#pythons.set(language, program ? new Interpreter(program) : undefined);
    }
    return this.#pythons.get(language);
  }

  /** The missing requirement of a language's programs, or ''. */
  missing(language: Language): string {
    if (language === 'C++')
      return libraries.every(existsSync) ? '' : 'the native core is not built';
    return this.#python(language) ? '' : `${language} is not installed`;
  }

  /** Fails unless every program that can be run here finds the page's numbers. Python programs are at least parsed. */
  async expectRight(programs: readonly Program[]): Promise<void> {
    const python = programs.filter(({ language }) => language !== 'C++');
    const input = python.map(({ code }) => `${JSON.stringify(code)}\n`).join('');
    const parsed = spawnSync('python3', ['-c', parseAll], { encoding: 'utf8', input });
    expect(parsed.stderr).toBe('');
    for (const program of programs) {
      const { name, language, code } = program;
      const id = JSON.stringify([name, language, code]);
      if (this.missing(language) || this.#right.has(id)) continue;
      const output =
        language === 'C++' ? this.#cpp(program) : await this.#python(language)!.run(code);
      expectClose(program, output);
      this.#right.add(id);
    }
  }

  async end(): Promise<void> {
    for (const python of this.#pythons.values()) await python?.end();
    if (this.#folder) rmSync(this.#folder, { recursive: true });
  }
}

export const test = base.extend<object, { runner: Runner }>({
  runner: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads which fixtures it needs
    async ({}, use) => {
      const runner = new Runner();
      await use(runner);
      await runner.end();
    },
    { scope: 'worker' },
  ],
});

export { expect };
