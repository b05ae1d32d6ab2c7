// Exported programs quote texts of visitors: none of them can break one. And a program that finds NaN says so.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cppProgram, numpyProgram, torchProgram } from '../../web/src/figures/code.ts';
import { sensesCode } from '../../web/src/chapters/meaning/code-senses.ts';
import { wordsCode } from '../../web/src/chapters/meaning/code.ts';
import { modelCode } from '../../web/src/chapters/model/code.ts';
import { pythonLiteral } from '../../web/src/figures/quoting.ts';
import { svgOf } from '../../web/src/figures/picture-svg.ts';
import { expect, test } from '@playwright/test';
import { hostile } from './hostile.ts';

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

/** Saves programs to files, as a visitor does: Python reads the encoding of a file, not of a string. */
function inFolder(
  ending: string,
  codes: readonly string[],
  check: (files: readonly string[]) => void,
): void {
  const folder = mkdtempSync(join(tmpdir(), 'tril-'));
  try {
    const files = codes.map((_, i) => join(folder, `${i}.${ending}`));
    for (const [i, code] of codes.entries()) writeFileSync(files[i], code);
    check(files);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The programs of a figure's state, with this text wherever a visitor's can be. */
const programsOf = (text: string): string[] => {
  const reading = { tokens: [{ id: 1, text }], lens: [[[{ id: 1, text, p: 0.5 }]]], looks: [[[]]] };
  const sampling = { temperature: 1, topK: 0, topP: 1, minP: 0 };
  const next = { bars: [{ id: 1, text, left: 1 }], number: 0.5, drawn: { id: 1, text } };
  const about = { shape: { family: 'llama' } };
  const shown = { reading, next, sampling, seed: 1, about, off: ['2h3'] };
  const senses = { query: { word: text }, paths: [], reads: [], separation: [] };
  const map = [{ word: text, x: 0, y: 1 }];
  const query = {
    word: text,
    axes: [
      [text, 'a'],
      ['b', text],
    ],
    analogies: [[text, text, text]],
  };
  const words = { query, neighbours: [], map, analogies: [[{ word: text, cosine: 1 }]] };
  return [
    numpyProgram(program(text)),
    torchProgram(program(text)),
    modelCode(shown as never, { text } as never),
    sensesCode(senses as never),
    wordsCode(words as never),
  ];
};

test('no text of a visitor breaks a program in Python, or adds a line to it', () => {
  const plain = programsOf('').map((code) => code.split('\n').length);
  const all = hostile.map(programsOf);
  for (const [i, codes] of all.entries()) {
    const lines = codes.map((code) => code.split(/\r\n|[\n\r\f\v\u0085\u2028\u2029]/u).length);
    expect(lines, hostile[i]).toEqual(plain);
    expect(codes.join('')).not.toMatch(/[\0\u202a-\u202e\u2066-\u2069]|\p{Cs}/u);
  }
  inFolder('py', all.flat(), (files) => {
    // Python itself reads the files: their encoding and their syntax.
    const parsed = spawnSync('python3', ['-m', 'py_compile', ...files], { encoding: 'utf8' });
    expect([parsed.status, parsed.stderr]).toEqual([0, '']);
  });
});

test('a text in Python is the text that was typed', () => {
  // Prints code points, since a lone surrogate cannot be printed.
  const code = `texts = ${pythonLiteral(hostile)}\nprint([[ord(one) for one in text] for text in texts])\n`;
  inFolder('py', [code], ([file]) => {
    const { stdout } = spawnSync('python3', [file], { encoding: 'utf8' });
    const points = (text: string) => Array.from(text, (one) => one.codePointAt(0));
    expect(JSON.parse(stdout)).toEqual(hostile.map(points));
  });
});

test('a text in a picture is one text, and all that was typed that XML may hold', async () => {
  const frame = { left: 0, top: 0, width: 1, height: 1 };
  const colour = { hex: '#000000', alpha: 1 };
  const font = { family: '"A", serif', size: 12, style: 'normal', weight: '400' };
  const place = { left: 0, baseline: 0, width: 1, font, colour, struck: false };
  const parts = hostile.map((text) => ({ kind: 'text' as const, text, ...place }));
  const svg = await svgOf({ frame, parts } as never, { about: hostile.join('') });
  const read = `import sys, json, xml.etree.ElementTree as tree
print(json.dumps([one.text or "" for one in tree.parse(sys.argv[1]).iter() if one.tag.endswith("}text")]))`;
  inFolder('svg', [svg], ([file]) => {
    const { stdout, stderr } = spawnSync('python3', ['-c', read, file], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const kept = (text: string) =>
      text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
    // XML reads every line ending as a line feed.
    const ends = (text: string) => kept(text).replace(/\r\n?/gu, '\n');
    expect(JSON.parse(stdout)).toEqual(hostile.map(ends));
  });
});

const inFiles = (ending: string, codes: readonly string[], check: (file: string) => void) =>
  inFolder(ending, codes, (files) => files.forEach(check));

test('no text of a visitor breaks a program in C++, or hides a line of it', () => {
  const all = hostile.map((text) => cppProgram(program(text)));
  inFiles('cc', all, (file) => {
    // The first line without comments is an include: -fpreprocessed leaves includes as they are.
    const options = ['-fpreprocessed', '-dD', '-E', '-P', '-Wall', '-Wextra', '-Werror'];
    const seen = spawnSync('g++', [...options, file], { encoding: 'utf8' });
    expect([seen.status, seen.stderr]).toEqual([0, '']);
    expect(seen.stdout.trimStart().split('\n')[0]).toBe('#include <tril/tril.h>');
    expect(seen.stdout.match(/int main/gu)).toHaveLength(1);
  });
});

test('a program in C++ that finds NaN where the page shows a number says so, wherever it is', () => {
  // The last lines of a program, on arrays of its own: the comparison is the same with and without the core.
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
