// Programs with their results in real Python, NumPy and PyTorch, and the comparison of the results here with them.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Tril } from 'tril';
import { runProgram, type ProgramRun, type ProgramValue } from 'tril/notebook';

interface ExpectedArray {
  readonly type: 'numpy' | 'Tensor';
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly numbers: readonly (number | string)[];
}
interface ExpectedItems {
  readonly type: 'list' | 'tuple';
  readonly items: readonly Expected[];
}
interface ExpectedText {
  readonly type: string;
  readonly text: string;
}
type Expected = ExpectedArray | ExpectedItems | ExpectedText;

export interface Golden {
  readonly name: string;
  readonly code: string;
  readonly printed: string;
  readonly values: Readonly<Record<string, Expected>>;
  readonly error: { readonly kind: string; readonly line: number } | null;
}

const folder = join(import.meta.dirname, '..', 'golden', 'notebook');

export function readGoldens(): Golden[] {
  type Made = Readonly<Record<string, Omit<Golden, 'name' | 'code'>>>;
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Made;
  const files = readdirSync(folder).filter((file) => file.endsWith('.py'));
  return files.flatMap((file) => {
    const parts = readFileSync(join(folder, file), 'utf8').split('# --- ').slice(1);
    return parts.map((part) => {
      const [title = ''] = part.split('\n', 1);
      const name = `${file.replace('.py', '')}: ${title}`;
      const code = `${part.slice(title.length + 1).trimEnd()}\n`;
      return { name, code, ...expected[name]! };
    });
  });
}

const number = (value: number | string): number =>
  typeof value === 'number'
    ? value
    : Number(value.replace('inf', 'Infinity').replace('nan', 'NaN'));

/** Whether two numbers are equal up to the rounding of float32, in an array whose largest number is `scale`. */
const isClose = (a: number, b: number, scale: number): boolean =>
  Object.is(a, b) || a === b || Math.abs(a - b) <= 1e-6 + 4e-6 * Math.max(scale, Math.abs(b));

/** Numbers with four decimals or more, which may be rounded: they split a text into its parts. */
const long = /\d\.\d{4,}/;

/** Whether two texts are the same except for the last digits of long numbers, and the spaces that align these. */
export function isSameText(a: string, b: string): boolean {
  if (a === b) return true;
  if (!long.test(a + b)) return false;
  const [left, right] = [a, b].map((text) =>
    text.replace(/\d+\.\d+(?:e[+-]\d+)?/g, '#').replace(/\s+/g, ' '),
  );
  if (left !== right) return false;
  const [x, y] = [a, b].map((text) => [...text.matchAll(/-?\d+\.\d+(?:e[+-]\d+)?/g)].map(Number));
  return x!.every((value, i) => isClose(value, y![i]!, 1));
}

function valueProblem(
  run: ProgramRun,
  value: ProgramValue | undefined,
  expected: Expected,
): string | undefined {
  if (!value) return 'is missing';
  if ('items' in expected) {
    if (value.type !== expected.type && value.type !== 'torch.Size')
      return `is ${value.type}, not ${expected.type}`;
    if (value.items?.length !== expected.items.length) return 'has another length';
    for (const [i, item] of expected.items.entries()) {
      const problem = valueProblem(run, value.items[i], item);
      if (problem) return `[${i}] ${problem}`;
    }
    return undefined;
  }
  if ('text' in expected) {
    return isSameText(value.text, expected.text) && value.type === expected.type
      ? undefined
      : `is ${value.text}, not ${expected.text}`;
  }
  if (value.node === undefined) {
    const isSame =
      value.value !== undefined &&
      expected.shape.length === 0 &&
      isClose(Number(value.value), number(expected.numbers[0]!), 1);
    return isSame ? undefined : `is ${value.text}, not an array`;
  }
  if ((value.type === 'Tensor') !== (expected.type === 'Tensor')) return `is of ${value.type}`;
  if (value.dtype !== expected.dtype) return `is of ${value.dtype}, not ${expected.dtype}`;
  if (value.shape!.join() !== expected.shape.join())
    return `is [${value.shape}], not [${expected.shape}]`;
  const found = run.tensors[value.node]!.read();
  const wanted = expected.numbers.map(number);
  const scale = Math.max(...wanted.filter(Number.isFinite).map(Math.abs), 1e-6);
  const wrong = wanted.findIndex((each, i) => !isClose(found[i]!, each, scale));
  return wrong < 0 ? undefined : `has ${found[wrong]} at ${wrong}, not ${wanted[wrong]}`;
}

/** The differences of a program's results here. */
export function problemsOf(tril: Tril, golden: Golden): string[] {
  return tril.scope(() => {
    const run = runProgram(tril, golden.code);
    const problems: string[] = [];
    const [found, wanted] = [run.error, golden.error].map(
      (error) => error && `${error.kind} in line ${error.line}`,
    );
    // The reported position of a syntax error may differ by a line.
    const isNear =
      found?.startsWith('Syntax') && Math.abs(run.error!.line - golden.error!.line) <= 1;
    if (found !== wanted && !isNear)
      problems.push(`error: ${found} (${run.error?.message}), not ${wanted}`);
    if (!isSameText(run.printed, golden.printed))
      problems.push(`printed:\n${run.printed}\nnot:\n${golden.printed}`);
    for (const [name, expected] of Object.entries(golden.values)) {
      const problem = valueProblem(run, run.values[name], expected);
      if (problem) problems.push(`${name} ${problem}`);
    }
    return problems;
  });
}
