// Errors of programs: Python's types, with the line, and a hint for fixing them.
import { runProgram, type ProgramOptions, type ProgramRun } from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { tril, withoutLeak } from './helpers.js';

const run = (code: string, options: ProgramOptions = {}): ProgramRun =>
  runProgram(tril, code, options);

describe('an error', () => {
  const errorOf = (code: string, options: ProgramOptions = {}) =>
    tril.scope(() => run(code, options).error);

  it('of a product says what would mend it', () => {
    const says = (code: string) =>
      errorOf(`import numpy as np\nimport torch\nQ = np.ones((5, 6))\n${code}`);
    expect(says('S = Q @ Q')).toEqual({
      ...{ kind: 'ValueError', line: 4 },
      message: '[5, 6] @ [5, 6]: 6 columns meet 5 rows. Did you mean `Q.T`?',
    });
    expect(says('S = np.ones((2, 5, 6)) @ Q')!.message).toContain('Did you mean `Q.T`?');
    expect(says('S = Q @ (Q + 1)')!.message).toContain('Did you mean `(Q + 1).T`?');
    expect(says('S = Q @ np.ones((2, 3))')!.message).toBe(
      '[5, 6] @ [2, 3]: 6 columns meet 2 rows.',
    );
    expect(says('T = torch.ones(2, 5, 6)\nS = T @ T')).toEqual({
      ...{ kind: 'RuntimeError', line: 5 },
      message: '[2, 5, 6] @ [2, 5, 6]: 6 columns meet 5 rows. Did you mean `T.transpose(-2, -1)`?',
    });
  });

  it('of a batch that was turned round whole, says which axes were meant', () => {
    const product = (library: string, made: string) =>
      errorOf(`import ${library}\nK = ${library}.${made}((3, 4, 2))\nK @ K.T`)!.message;
    expect(product('numpy', 'ones')).toMatch(/Did you mean `K\.swapaxes\(-1, -2\)`\?$/u);
    expect(product('torch', 'ones')).toMatch(/Did you mean `K\.transpose\(-2, -1\)`\?$/u);
  });

  it('keeps the values of lines before it', () => {
    withoutLeak(() => {
      const { values, lines, error } = run(
        'import numpy as np\na = np.ones(2)\nb = a * 2\nc = b + missing',
      );
      expect(error).toEqual({
        kind: 'NameError',
        line: 4,
        message: "name 'missing' is not defined",
      });
      expect(Object.keys(values)).toEqual(['a', 'b']);
      expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    });
  });

  it('has the words of NumPy and Python', () => {
    const says = (code: string) =>
      errorOf(`import numpy as np\na = np.ones((2, 3))\n${code}`)!.message;
    expect(says('a + np.ones(4)')).toBe(
      'operands could not be broadcast together with shapes (2,3) (4,) ',
    );
    expect(says('a.reshape(4, 2)')).toBe('cannot reshape array of size 6 into shape (4,2)');
    expect(says('a[2]')).toBe('index 2 is out of bounds for axis 0 with size 2');
    expect(says('a.sum(axis=2)')).toBe('axis 2 is out of bounds for array of dimension 2');
    expect(says('a.foo')).toBe(
      "'numpy.ndarray' object has no attribute 'foo', at least not in the subset that runs here",
    );
    expect(says('b, c, d = a')).toBe('not enough values to unpack (expected 3, got 2)');
    expect(says('def f(x):\n    return x\nf()')).toBe(
      "f() missing 1 required positional argument: 'x'",
    );
    expect(says('a[0] = [1, 2]')).toBe(
      'could not broadcast input array from shape (2,) into shape (3,)',
    );
    expect(says('a.unsqueeze(0)')).toContain('PyTorch tensors have it');
  });

  it('tells of what the subset does not have, with its line', () => {
    const all = {
      'try:\n    x = 1\nexcept ValueError:\n    pass': 'try is not in the subset',
      'async def f():\n    pass': 'async is not in the subset',
      'def f():\n    yield 1': 'yield is not in the subset',
      'x = 3j': 'the complex number 3j is not in the subset',
      'd = {None: 1}\ndel d.x':
        'del of anything but a name or an item of a list or a dictionary is not in the subset',
      'with open("a") as f:\n    pass': "name 'open' is not defined",
      'match 1:\n    case 1: pass': 'match is not in the subset',
      'import os': "No module named 'os' in the subset that runs here; there are: numpy",
      'from numpy import fft': "cannot import name 'fft' from 'numpy'",
      'x = b"a"': 'a string of bytes is not in the subset',
      'class A(int):\n    pass': 'is not in the subset',
      '@staticmethod\nclass A:\n    pass': 'the decorator @staticmethod is not in the subset',
      'class A(metaclass=type):\n    pass':
        'metaclass among the bases of a class is not in the subset',
      'class A:\n    @classmethod\n    def f(cls):\n        pass': 'the decorator @classmethod',
      'class A:\n    @property\n    @staticmethod\n    def f(x):\n        pass': '@staticmethod',
      'class A:\n    def __hash__(self):\n        return 1\nx = {A(): 1}': '__hash__ is not in',
      'a = [1, 2]\na[0:1] = [3]': 'assignment to a slice of a list is not in the subset',
      'a = [1, 2]\ndel a[0:1]': 'is not in the subset',
      'import numpy as np\nx = np.ones(2)\nnp.exp(x, out=x)': "unexpected keyword argument 'out'",
      'x = "{a.b}".format(a=1)': '{a.b} in a text to format is not in the subset',
      'print(1, file=2)': "unexpected keyword argument 'file'",
    };
    for (const [code, says] of Object.entries(all)) {
      const error = errorOf(`y = 1\n${code}`);
      expect(error?.message, code).toContain(says);
      expect(error!.line, code).toBeGreaterThan(1);
    }
  });
});
