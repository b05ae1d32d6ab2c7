// Work in built-in functions instead of a program's loops: it is counted, and stops the program as loops do.
import { runProgram, type ProgramRun } from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { tril, withoutLeak } from './helpers.js';

const limits = { steps: 20_000, elements: 200_000 };

/** A program that runs forever and keeps its results. */
const kept = (made: string, before = ''): string =>
  `${before}\nkept = []\nwhile True:\n    kept.append(${made})`;
/** A program that runs forever and keeps nothing. */
const again = (made: string, before = ''): string => `${before}\nwhile True:\n    ${made}`;

const np = 'import numpy as np';
const long = 'x = list(range(1000))\ny = list(range(1000))';
const text = "s = 'ab' * 5000\nt = 'ab' * 4999 + 'c' * 2";
const sets = 'x = set(range(1000))\ny = set(range(500, 1500))';
const twins = `${'x = (1, 2)\ny = (1, 2)\n'}for i in range(60):\n    x = (x, x)\n    y = (y, y)\n`;

/** Programs that stop for lack of memory. */
const memory = [
  again("s.split('b')", text),
  kept('[0] * 1000'),
  kept('[0] * 10 ** 6'),
  kept('(0,) * 1000'),
  kept('x + y', long),
  kept('x[1:]', long),
  kept('x[::-1]', long),
  kept('x.copy()', long),
  kept('[*range(10)] * 100'),
  'd = {}\nx = list(range(1000))\nfor i in range(10 ** 6):\n    d[i] = x * 100',
  'x = [0] * 100\nfor i in range(100):\n    x = x + x',
  kept('np.arange(1000)', np),
  again('x.sum()', `${np}\nx = np.arange(10 ** 5)`),
  again('x.max(axis=0)', `${np}\nx = np.ones((100, 100))`),
  again('x.argmax()', `${np}\nx = np.ones(10 ** 4)`),
  again('x.mean()', `${np}\nx = np.ones(10 ** 4)`),
  again('x @ x', `${np}\nx = np.ones((100, 100))`),
  again('x @ y', `${np}\nx = np.ones((1, 10 ** 4))\ny = np.ones((10 ** 4, 1))`),
  'import numpy as np\nx = np.ones((300, 300)) @ np.ones((300, 300))',
  `${np}\nx = np.zeros((10 ** 9, 0)).tolist()`,
  `import torch\nx = torch.nn.functional.one_hot(torch.tensor([1]), 10 ** 9)`,
  "x = 'a' * 10 ** 9",
  "x = ('a' * 10 ** 5).replace('a', 'b' * 10 ** 5)",
  "x = ('a' * 10 ** 5).join(['b'] * 1000)",
  "x = ('{0}' * 1000).format('a' * 10 ** 5)",
  "print(*['a' * 10 ** 5] * 1000)",
  'x = f"{1:>1000000000}"',
  'x = f"{1e30:.1000000000f}"',
  "x = '{:1000000000}'.format(1)",
  'x = f"{1:{10 ** 9}}"',
];

/** Programs that stop after too many steps. */
const time = [
  again('(x == x).tolist() and x[0] in x', `${np}\nx = np.ones(1000)`),
  kept('list(d.items())', 'd = {i: i for i in range(500)}'),
  again('x.tolist()', `${np}\nx = np.ones(1000)`),
  again('np.sort(x)', `${np}\nx = np.ones(1000)`),
  'x = list(range(10 ** 9))',
  'x = sum(range(10 ** 9))',
  "x = 'a' in range(10 ** 9)",
  'x = max(range(10 ** 9))',
  'x = sorted(range(10 ** 9))',
  'a, *b = range(10 ** 9)',
  'x = any(i < 0 for i in range(10 ** 9))',
  'import numpy as np\nx = np.array(range(10 ** 7))',
  again('x == y', long),
  again('x != y', long),
  again('x < y', long),
  again('-1 in x', long),
  again('x.index(999)', long),
  again('x.count(1)', long),
  again('sorted(x)', long),
  again('x.sort()', long),
  again('sum(x)', long),
  again('max(x)', long),
  again('any(x[:1]) or all(x)', long),
  again('x.insert(0, 1)', long),
  again('x.reverse()', long),
  again('x.extend(y)', long),
  again('str(x)', long),
  again('f"{x}"', long),
  again('x == y', twins),
  again('{x: 1}', twins),
  again('isinstance(1, x)', 'x = (str, str)\nfor i in range(60):\n    x = (x, x)'),
  kept('x | y', sets),
  again('x & y', sets),
  again('x - y', sets),
  again('x == y', 'x = set(range(1000))\ny = set(range(1000))'),
  kept('dict(d)', 'd = {i: i for i in range(100)}'),
  kept('{**d}', 'd = {i: i for i in range(100)}'),
  again("s.replace('a', 'c')", text),
  again("s.count('b')", text),
  again("s.find('c')", text),
  again("'c' in s", text),
  again("','.join(s)", text),
  again("x.join(['a', 'b'])", "x = ', ' * 10000"),
  again('s.upper()', text),
  again("s.strip('ab')", text),
  again('s == t', text),
  again('s < t', text),
  again('s[1:]', text),
  again('s[::-1]', text),
  again('s + t', text),
  again('s * 2', text),
  again('d[s]', `${text}\nd = {s: 1}`),
  kept("s[0] + '\\U0001F600'", `${text}\ns = s + '\\U0001F600'`),
  again('len(s)', `${text}\ns = s + '\\u4e00'`),
  again('print(s, end="") if False else str(s) + s', text),
  again('str(x)', `${np}\nx = np.ones((6, 6, 6, 6))`),
  again('np.median(x)', `${np}\nx = np.ones(1000)`),
  again('np.unique(x)', `${np}\nx = np.ones(1000)`),
  `${np}\nx = []\nfor i in range(30):\n    x = [x] * 30\n    y = np.array(x)`,
  again('x = x + 1', `${np}\nx = 1.0`),
];

/** The number of values, including nested ones, and the number of characters in their texts. */
function sizeOf(values: ProgramRun['values'] | readonly unknown[]): [number, number] {
  let [count, characters] = [0, 0];
  for (const value of Object.values(values) as { text: string; items?: readonly unknown[] }[]) {
    const [inner, written] = sizeOf(value.items ?? []);
    count += 1 + inner;
    characters += value.text.length + written;
  }
  return [count, characters];
}

describe('work of what is built in', () => {
  const check = (code: string, kind: string, says: string) =>
    withoutLeak(() => {
      const { error, tensors, values } = runProgram(tril, code, { limits });
      expect(error, code).toMatchObject({ kind });
      expect(error!.message, code).toMatch(new RegExp(says, 'u'));
      const numbers = Object.values(tensors).reduce((sum, { size }) => sum + size, 0);
      expect(numbers, code).toBeLessThanOrEqual(limits.elements);
      const [count, characters] = sizeOf(values);
      expect(count, code).toBeLessThan(1e6);
      expect(characters, code).toBeLessThan(1.2e7);
    });

  for (const code of memory)
    it(`that takes memory stops ${JSON.stringify(code)}`, () =>
      check(code, 'MemoryError', 'may have|wide'));

  for (const code of time)
    it(`that takes time stops ${JSON.stringify(code)}`, () =>
      check(code, 'TimeoutError', 'stopped after 20,000 steps'));

  it('counts as it grows', () => {
    // The number of rounds within the limits.
    const rounds = (size: number): number => {
      const code = `x = list(range(${size}))\ny = x.copy()\nn = 0\nwhile x == y:\n    n += 1`;
      return tril.scope(() => runProgram(tril, code, { limits }).values['n']!.value as number);
    };
    expect(rounds(1000) / rounds(2000)).toBeCloseTo(2, 0);
    expect(rounds(2000)).toBeGreaterThan(100);
  });

  it('counts the same each time', () => {
    const code = kept('x == y', long);
    const lines = () => tril.scope(() => runProgram(tril, code, { limits }).lines);
    expect(lines()).toEqual(lines());
  });
});

describe('values of a program that is over', () => {
  it('are written within the limits, too', () => {
    withoutLeak(() => {
      const loop =
        'class A:\n    def __repr__(self):\n        while True:\n            pass\na = A()';
      const { error, values } = runProgram(tril, loop, { limits });
      expect(error).toBeNull();
      expect(values['a']!.text).toBe('...');
    });
  });

  it('take no more text than ten million characters', () => {
    const code = "s = 'a' * 900_000\nx = [s] * 1000\ny = [s] * 1000\nz = 'a' * 900_000";
    const { error, values } = runProgram(tril, code);
    expect(error).toBeNull();
    expect(sizeOf(values)[1]).toBeLessThan(1.2e7);
    expect(values['s']!.text).toHaveLength(900_002);
  });

  it('are there when a program was stopped', () => {
    withoutLeak(() => {
      const code = `${np}\nx = np.zeros(4)\ny = x[1:]\nx[1] = 2\nwhile True:\n    pass`;
      const { error, values } = runProgram(tril, code, { limits });
      expect(error!.kind).toBe('TimeoutError');
      expect(values['y']!.text).toBe('array([2., 0., 0.])');
    });
  });
});
