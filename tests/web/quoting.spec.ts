// Programs that are given away hold texts of visitors: none of them can break one. And a program that finds NaN says so.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cppProgram, numpyProgram, torchProgram } from '../../web/src/figures/code.ts';
import { expect, test } from '@playwright/test';

const matrix = (...rows: number[][]) => ({
  rows: rows.length,
  cols: rows[0].length,
  data: Float32Array.from(rows.flat()),
});
const program = (about: string) => ({
  about,
  inputs: { A: matrix([1, 2]) },
  steps: '',
  result: 'A',
  expected: matrix([1, 2]),
});

const texts = [
  '# coding: nonsense',
  '-*- coding: utf-7 -*- +AGkAbQBwAG8AcgB0-',
  'vim: set fileencoding=nonsense',
  '"""\nraise SystemExit(1)\n"""',
  "'; raise SystemExit(1) #",
  'ends in \\',
  'ends in \\ \t',
  'ends in ??/',
  'one\rtwo\u2028three\u2029four\u0085five\u000bsix\u000cseven\u0000eight',
  '\u202e\u2066 turned \ud800 alone',
  '*/ int main() { return 1; } /*',
  '',
];

/** Files, as a visitor saves them: Python reads the encoding of a file, not of a string. */
function inFiles(ending: string, codes: readonly string[], check: (file: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'tril-'));
  try {
    for (const [i, code] of codes.entries()) {
      const file = join(folder, `${i}.${ending}`);
      writeFileSync(file, code);
      check(file);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('no text of a visitor breaks a program in Python, or adds a line to it', () => {
  const lines = numpyProgram(program('')).split('\n').length;
  const all = texts.flatMap((text) => [numpyProgram(program(text)), torchProgram(program(text))]);
  for (const [i, text] of texts.entries()) {
    expect(numpyProgram(program(text)).split(/\r\n|[\n\r\f\v]/u), text).toHaveLength(lines);
    expect(all[2 * i]).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u);
  }
  inFiles('py', all, (file) => {
    // As Python itself reads it: its encoding and its syntax.
    const parsed = spawnSync('python3', ['-m', 'py_compile', file], { encoding: 'utf8' });
    expect([parsed.status, parsed.stderr]).toEqual([0, '']);
  });
});

test('no text of a visitor breaks a program in C++, or hides a line of it', () => {
  const all = texts.map((text) => cppProgram(program(text)));
  inFiles('cc', all, (file) => {
    // Comments away, the first line that is left is an include: -fpreprocessed leaves those be.
    const options = ['-fpreprocessed', '-dD', '-E', '-P', '-Wall', '-Wextra', '-Werror'];
    const seen = spawnSync('g++', [...options, file], { encoding: 'utf8' });
    expect([seen.status, seen.stderr]).toEqual([0, '']);
    expect(seen.stdout.trimStart().split('\n')[0]).toBe('#include <tril/foundation/buffer.h>');
    expect(seen.stdout.match(/int main/gu)).toHaveLength(1);
  });
});

test('a program in C++ that finds NaN where the page shows a number says so, wherever it is', () => {
  // The last lines of a program, on arrays of its own: how it compares is the same with and without the core.
  const code = cppProgram(program('NaN'));
  const loop = code.slice(code.indexOf('  double largest = 0;'));
  const fake = (found: string, shown: string) => `#include <cmath>
#include <cstdio>
namespace tril { using Index = long; }
struct Rows { float numbers[1][3]; int size(int axis) const { return axis == 0 ? 1 : 3; }
  const float* operator[](long row) const { return numbers[row]; } };
int main() {
  const Rows result{{{${found}}}}, expected{{{${shown}}}};
${loop}`;
  const cases = [
    ['NAN, 2, 3', '1, 2, 4', 'nan'],
    ['1, 2, NAN', '2, 2, 3', 'nan'],
    ['NAN, 2, 3', 'NAN, 2, 3.5f', '0.5'],
    ['INFINITY, -INFINITY, 3', 'INFINITY, -INFINITY, 1', '2'],
    ['1, 2, 3', '1, NAN, 3', 'nan'],
  ] as const;
  inFiles(
    'cc',
    cases.map(([found, shown]) => fake(found, shown)),
    (file) => {
      const built = spawnSync('g++', ['-std=c++20', file, '-o', `${file}.out`], {
        encoding: 'utf8',
      });
      expect(built.stderr).toBe('');
      const { stdout } = spawnSync(`${file}.out`, { encoding: 'utf8' });
      const i = Number(/(\d+)\.cc$/u.exec(file)![1]);
      expect(/largest difference: -?(\S+)/u.exec(stdout)![1], cases[i].join()).toBe(cases[i][2]);
    },
  );
});
