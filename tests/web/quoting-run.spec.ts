// The exported programs, run with possible texts of visitors in them: every line of them counts, and they find the
// page's results. In Node, C++ and Python's own library; and NumPy if it is installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wordsCode } from '../../web/src/chapters/meaning/code.ts';
import { tableOf, viewOf } from '../../web/src/compute/shared/meaning/table.ts';
import { numpyProgram } from '../../web/src/figures/code.ts';
import { cppComment, pythonComment, pythonLiteral } from '../../web/src/figures/quoting.ts';
import { hostile } from './hostile.ts';
import { tril } from './oracle.ts';
import { expect, test } from '@playwright/test';
import { Runner } from './programs.ts';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tril-'));
});
test.afterAll(() => rmSync(folder, { recursive: true }));

/** The output of a program that succeeds. */
function printed(program: string, ...given: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, given, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** A file in the format of `tril vectors`: a row for each word, and the words in the metadata. */
function vectorsOf(words: readonly string[], data: Float32Array): Uint8Array {
  const shape = [words.length, data.length / words.length];
  const header = Buffer.from(
    JSON.stringify({
      __metadata__: { words: JSON.stringify(words) },
      vectors: { dtype: 'F32', shape, data_offsets: [0, data.byteLength] },
    }),
  );
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  return new Uint8Array(Buffer.concat([size, header, Buffer.from(data.buffer)]));
}

test('a text in Python is read as a text and nothing else, and is the one that was typed', () => {
  const file = join(folder, 'literals.json');
  writeFileSync(file, JSON.stringify(hostile.map(pythonLiteral)));
  // Prints code units, since a lone surrogate cannot be printed.
  const read = `import ast, json, sys
texts = [ast.literal_eval(one) for one in json.load(open(sys.argv[1]))]
print(json.dumps([type(one).__name__ for one in texts]))
print(json.dumps([list(one.encode("utf-16-le", "surrogatepass")) for one in texts]))`;
  const [types, units] = printed('python3', '-c', read, file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(types).toEqual(hostile.map(() => 'str'));
  expect(units).toEqual(hostile.map((text) => [...Buffer.from(text, 'utf16le')]));
});

test('no comment in Python takes the line after it along', () => {
  const file = join(folder, 'comments.py');
  const counted = hostile.flatMap((text) => [pythonComment(text), 'lines += 1']);
  writeFileSync(file, ['lines = 0', ...counted, 'print(lines)', ''].join('\n'));
  expect(Number(printed('python3', file))).toBe(hostile.length);
});

test('no comment in C++ takes the line after it along, whatever the standard', () => {
  const [file, program] = ['comments.cc', 'comments'].map((name) => join(folder, name));
  const counted = hostile.flatMap((text) => [cppComment(text), '++lines;']);
  const code = ['#include <cstdio>', 'int main() {', 'int lines = 0;', ...counted];
  writeFileSync(file, [...code, 'std::printf("%d", lines);', '}', ''].join('\n'));
  // Until C++17 "??/" was a backslash.
  for (const standard of ['c++20', 'c++14']) {
    printed('g++', `-std=${standard}`, '-Wall', '-Wextra', '-Werror', file, '-o', program);
    expect(Number(printed(program)), standard).toBe(hostile.length);
  }
});

test('programs in NumPy find what the page shows, whatever was typed', async () => {
  test.slow();
  const runner = new Runner();
  try {
    test.skip(runner.missing('NumPy') !== '', runner.missing('NumPy'));
    const core = await tril();
    // The words of this table are the texts: a reader has to find each under its own name.
    const words = [...new Set(hostile)];
    const bytes = vectorsOf(words, core.randomNormal([words.length, 8], { seed: 1 }).read());
    const file = join(folder, 'vectors.safetensors');
    writeFileSync(file, bytes);
    const table = await tableOf(core, bytes);
    const matrix = { rows: 1, cols: 2, data: Float32Array.of(1, 2) };
    const programs = words.flatMap((word, i) => {
      const [a, b, c, d] = [1, 2, 3, 4].map((next) => words[(i + next) % words.length]);
      const query = { word, beside: [a], analogies: [[a, b, c]] as const };
      const views = [null, [[a, b] as const, [c, d] as const] as const].map((axes) =>
        viewOf(core, table, { ...query, axes }),
      );
      const inputs = { A: matrix };
      const plain = { about: word, inputs, steps: '', result: 'A', expected: matrix };
      const codes = [
        numpyProgram(plain),
        ...views.map((view) =>
          wordsCode(view).replace('"vectors.safetensors"', JSON.stringify(file)),
        ),
      ];
      return codes.map((code) => ({
        ...{ name: JSON.stringify(word), language: 'NumPy' as const },
        code,
      }));
    });
    await runner.expectRight(programs);
  } finally {
    await runner.end();
  }
});
