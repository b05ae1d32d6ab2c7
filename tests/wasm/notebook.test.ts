// The result of a program: values, lines, errors, and a graph with reasons; and forbidden code.
import { gradients, program, programLanguages, run as runGraph, sources, why } from 'tril/graph';
import { runProgram, type ProgramOptions, type ProgramRun } from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { canRun, runPrograms } from './graph-programs.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const run = (code: string, options: ProgramOptions = {}): ProgramRun =>
  runProgram(tril, code, options);

const attention = `import numpy as np

def softmax(Z):
    E = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)

def self_attention(X, mask, W_KQV, W_out):
    K, Q, V = np.split(X @ W_KQV, 3, axis=-1)
    attn = softmax(K @ Q.swapaxes(-1, -2) / np.sqrt(X.shape[-1]) + mask)
    return attn @ V @ W_out, attn

Y, A = self_attention(X, mask, W_KQV, W_out)
`;

function given() {
  const normal = (shape: number[], seed: number) => tril.randomNormal(shape, { seed });
  const mask = tril.mask.toTensor(tril.mask.causal(), [4, 4]);
  return { X: normal([2, 4, 6], 1), mask, W_KQV: normal([6, 18], 2), W_out: normal([6, 6], 3) };
}

describe('a program', () => {
  it('gives values, with their nodes, and the core computes them', () => {
    withoutLeak(() => {
      const inputs = given();
      const { values, tensors, error } = run(attention, { given: inputs });
      expect(error).toBeNull();
      expect(values['A']).toMatchObject({
        type: 'numpy.ndarray',
        shape: [2, 4, 4],
        dtype: 'float64',
      });
      const [k, q] = tril.split(tril.matmul(inputs.X, inputs.W_KQV), 3, { axis: -1 });
      const scores = tril.divide(tril.matmul(k!, tril.transpose(q!, [0, 2, 1])), Math.sqrt(6));
      const expected = tril.softmax(tril.add(scores, inputs.mask));
      expect(tril.compare(expected, tensors[values['A']!.node!]!).maxAbsolute).toBeLessThan(1e-6);
    });
  });

  it('says of every number why, down to its inputs', () => {
    withoutLeak(() => {
      const { values, graph, tensors } = run(attention, { given: given() });
      const node = values['A']!.node!;
      const reason = why(graph, tensors, node, [0, 2, 1], { depth: 20 });
      expect(reason.text).toMatch(/^\w+\[0, 2, 1\] = \S+ \/ \S+ = 0\.\d+$/u);
      const cells = sources(graph, tensors, node, [0, 2, 1], { deep: true });
      const names = new Set(cells.map((cell) => cell.node));
      expect([...names].filter((name) => !name.startsWith('_')).sort()).toEqual([
        'W_KQV',
        'X',
        'mask',
      ]);
      expect(cells.some((cell) => cell.node === 'X' && cell.index.join() === '0,2,0')).toBe(true);
    });
  });

  it(
    'can be computed again, differentiated, and written in other languages',
    { timeout: 240_000 },
    async () => {
      const codes = tril.scope(() => {
        const { values, graph, tensors } = run(attention, { given: given() });
        const leaves = graph.nodes
          .filter(({ operation }) => operation === 'input')
          .map(({ name }) => name);
        const inputs = Object.fromEntries(leaves.map((name) => [name, tensors[name]!]));
        const node = values['Y']!.node!;
        const again = runGraph(tril, graph, inputs)[node]!;
        expect(again.toArray()).toEqual(tensors[node]!.toArray());
        const found = gradients(tril, graph, tensors, node, ['X', 'W_out']);
        expect(found['X']!.shape).toEqual([2, 4, 6]);
        expect(found['W_out']!.read().every(Number.isFinite)).toBe(true);
        return programLanguages.map((language) =>
          program(graph, tensors, language, { show: [node] }),
        );
      });
      for (const [i, language] of programLanguages.entries()) {
        if (!canRun(language)) continue;
        const [printed] = await runPrograms(language, [codes[i]!]);
        const [, largest] = /largest difference: (\S+)/u.exec(printed!) ?? [];
        expect(Number(largest), `${language}: ${printed}`).toBeLessThan(1e-5);
      }
    },
  );

  it('averages the past by two loops, and each average says of what', () => {
    withoutLeak(() => {
      const code = `import torch
for b in range(4):
    for t in range(8):
        x_prev = x[b, :t + 1]
        x_avg[b, t] = torch.mean(x_prev, 0)
`;
      const x = tril.randomNormal([4, 8, 2], { seed: 5 });
      const { values, graph, tensors, lines, error } = run(code, {
        given: { x, x_avg: tril.zeros([4, 8, 2]) },
      });
      expect(error).toBeNull();
      const node = values['x_avg']!.node!;
      expect(node).toBe('x_avg_2');
      const cells = sources(graph, tensors, node, [1, 2, 0], { deep: true }).filter(
        (cell) => cell.node === 'x',
      );
      expect(cells.map(({ index }) => index.join())).toEqual(['1,0,0', '1,1,0', '1,2,0']);
      const numbers = x.read();
      const mean = (numbers[16]! + numbers[18]! + numbers[20]!) / 3;
      expect(tensors[node]!.read()[(8 + 2) * 2]).toBeCloseTo(mean, 6);
      expect(lines.map(({ line, times }) => [line, times])).toEqual([
        [1, 1],
        [2, 1],
        [3, 4],
        [4, 32],
        [5, 32],
      ]);
      expect(lines.at(-1)!.values).toEqual([{ name: 'x_avg', node, shape: [4, 8, 2] }]);
      expect(graph.nodes.filter(({ operation }) => operation === 'put')).toHaveLength(1);
    });
  });

  it('tells of each line what it bound, how often it ran, and what it printed', () => {
    withoutLeak(() => {
      const code = `import numpy as np
a = np.arange(3)
for i in range(2):
    a = a + i
    print(i)
`;
      const { lines, printed } = run(code);
      expect(printed).toBe('0\n1\n');
      expect(lines[1]).toEqual({
        line: 2,
        times: 1,
        values: [{ name: 'a', node: 'a', shape: [3] }],
        nodes: ['a'],
        printed: '',
      });
      expect(lines[3]).toMatchObject({ line: 4, times: 2, values: [{ name: 'a', node: 'a_3' }] });
      expect(lines[3]!.nodes).toEqual(['a_2', 'a_3']);
      expect(lines[4]).toMatchObject({ line: 5, times: 2, printed: '0\n1\n' });
    });
  });

  it('is given numbers, booleans, texts and nested numbers', () => {
    withoutLeak(() => {
      const { values } = run('c = a.sum() + n\nd = s * 2 if yes else 0', {
        given: {
          a: [
            [1, 2],
            [3, 4],
          ],
          n: 3,
          f: 2.5,
          s: 'ab',
          yes: true,
        },
      });
      expect(values['c']).toMatchObject({ text: '13.0', shape: [], dtype: 'float64' });
      expect(values['d']).toEqual({ type: 'str', text: "'abab'", value: 'abab' });
      expect(values['f']).toEqual({ type: 'float', text: '2.5', value: 2.5 });
      const torch = run('import torch\nb = a.unsqueeze(0)', { given: { a: [1, 2] } });
      expect(torch.values['b']).toMatchObject({ type: 'Tensor', shape: [1, 2], dtype: 'float32' });
      const chosen = run('b = a.unsqueeze(0)', { given: { a: [1, 2] }, library: 'torch' });
      expect(chosen.error).toBeNull();
    });
  });

  it('names its objects in each run alike', () => {
    withoutLeak(() => {
      const code = 'class A:\n    pass\nprint(A(), [A()])';
      const [first, again] = [run(code), run(code)];
      expect(first.printed).toBe('<A object 1> [<A object 2>]\n');
      expect(again.printed).toBe(first.printed);
    });
  });

  it('records no operands of what it computes apart from the graph', () => {
    withoutLeak(() => {
      const { graph, values } = run(
        'import numpy as np\nx = np.arange(6).reshape(2, 3)\ny = x // 3 % np.array([[2], [1]])',
      );
      const operations = graph.nodes.map(({ operation }) => operation);
      expect(operations).toEqual(['input', 'reshape', 'input', 'input', 'input']);
      expect(values['y']!.text).toContain('[0, 0, 0]');
    });
  });

  it('leaves what it was given as it was', () => {
    withoutLeak(() => {
      const x = tril.tensor([1, 2]);
      const { values, tensors } = run('x[0] = 5\nx += 1', { given: { x } });
      expect(x.toArray()).toEqual([1, 2]);
      expect(tensors[values['x']!.node!]!.toArray()).toEqual([6, 3]);
    });
  });

  it('has the same random numbers for the same seed, and others for another', () => {
    withoutLeak(() => {
      const code = (seed: number) =>
        `import numpy as np\nnp.random.seed(${seed})\na = np.random.randn(3)\nb = np.random.randn(3)`;
      const [first, again, other] = [1, 1, 2].map((seed) => run(code(seed)).values);
      expect(again!['a']!.text).toBe(first!['a']!.text);
      expect(first!['b']!.text).not.toBe(first!['a']!.text);
      expect(other!['a']!.text).not.toBe(first!['a']!.text);
    });
  });
});

describe('limits', () => {
  const stopped = (code: string, kind: string, says: string, limits = {}) =>
    withoutLeak(() => {
      const { error } = run(code, { limits });
      expect(error, code.slice(0, 80)).toMatchObject({ kind });
      expect(error!.message).toContain(says);
    });

  it('say how deep calls are', () => {
    const text = 'maximum recursion depth exceeded: 100 nested calls';
    stopped('def f(x):\n    return f(x)\nf(1)', 'RecursionError', text);
    stopped(
      'class A:\n    def __add__(self, x):\n        return self + x\nA() + 1',
      'RecursionError',
      text,
    );
  });

  it('stop loops that do not end', () => {
    stopped('while True:\n    pass', 'TimeoutError', 'stopped after 1,000,000 steps');
    stopped('x = [i for i in range(10 ** 12)]', 'TimeoutError', 'stopped after 1,000 steps', {
      steps: 1000,
    });
    stopped(
      'def f():\n    g()\ndef g():\n    f()\nf()',
      'RecursionError',
      'maximum recursion depth',
      {},
    );
    stopped('x = sum(range(10 ** 15))', 'TimeoutError', 'stopped after 1,000 steps', {
      steps: 1000,
    });
    stopped('x = list(zip(range(10 ** 15), range(10 ** 15)))', 'TimeoutError', 'stopped', {
      steps: 1000,
    });
    stopped('x = max(range(10 ** 15))', 'TimeoutError', 'stopped', { steps: 1000 });
    stopped(
      'while True:\n    print("x" * 1000)',
      'MemoryError',
      'a program may print a million characters',
    );
  });

  it('count each array once', () => {
    for (const code of [
      'np.zeros(60)',
      'np.full((6, 10), 2)',
      'np.arange(60)',
      'np.linspace(0, 1, 60)',
      'np.eye(6, 10)',
      'np.random.randn(60)',
      'np.random.randint(0, 3, (6,)) // 2',
      'np.ones(40) // 2',
      'np.tile(np.ones(10), 6)',
      'np.ones(20)[list(range(20)) * 3]',
      'np.broadcast_to(np.ones(1), (60,))',
    ]) {
      const { error } = tril.scope(() =>
        run(`import numpy as np\nx = ${code}`, { limits: { elements: 100 } }),
      );
      expect(error, code).toBeNull();
    }
  });

  it('stop before too much memory is taken', () => {
    const np = 'import numpy as np\n';
    stopped(
      `${np}np.zeros((1000, 1000, 1000))`,
      'MemoryError',
      'an array of 1,000,000,000 numbers',
    );
    stopped(`${np}np.arange(10 ** 9)`, 'MemoryError', 'all arrays together may have 50,000,000');
    stopped(`${np}a = np.ones((10 ** 5, 1))\na @ a.T`, 'MemoryError', '10,000,000,000 numbers');
    stopped(`${np}a = np.ones((10 ** 5, 1))\na + a.T`, 'MemoryError', '10,000,000,000 numbers');
    stopped(
      `${np}a = np.ones(100)\nfor i in range(100):\n    a = a + 1`,
      'MemoryError',
      'may have 5,000',
      { elements: 5000 },
    );
    stopped(`${np}np.tile(np.ones(1000), 10 ** 6)`, 'MemoryError', 'stopped');
    stopped(`${np}np.eye(10 ** 5)`, 'MemoryError', 'stopped');
    stopped(`${np}np.broadcast_to(np.ones(1), (10 ** 9,))`, 'MemoryError', 'stopped');
    stopped('x = "a" * 10 ** 9', 'MemoryError', 'a million');
    stopped('x = [0] * 10 ** 9', 'MemoryError', 'a million');
    stopped('x = f"{1:1000000000}"', 'MemoryError', '100,000 wide');
    stopped('x = 10 ** 400', 'OverflowError', '53 bits');
  });

  it('stop long and deep code', () => {
    stopped('x = 1\n'.repeat(200_000), 'MemoryError', 'a program may have 1,000,000 characters');
    for (const deep of [
      `x = ${'('.repeat(200)}1${')'.repeat(200)}`,
      `x = ${'1 + '.repeat(300)}1`,
      `x = ${'-'.repeat(300)}1`,
      `f${'(1)'.repeat(300)}`,
    ]) {
      stopped(deep, 'RecursionError', 'deep');
    }
    // The grammar rejects deeper nesting.
    for (const deep of ['(', '[', '-', '1 + ', 'f(', 'if x:\n']) {
      const { error } = tril.scope(() => run(`x = ${deep.repeat(5000)}`));
      expect(error!.kind).toMatch(/^(?:Recursion|Syntax)Error$/u);
    }
    stopped('a = []\na.append(a)\nb = []\nb.append(b)\nc = a == b', 'RecursionError', 'recursion');
  });
});

describe('runProgram', () => {
  it('refuses wrong arguments', () => {
    const refuse = (args: unknown[], argument: string, says: string) =>
      expectRefused(() => (runProgram as (...all: unknown[]) => unknown)(...args), {
        call: 'runProgram',
        argument,
        says,
      });
    refuse([3, 'x = 1'], 'tril', 'loadTril');
    refuse([tril, 3], 'code', 'must be a string');
    refuse([tril, 'x', 3], 'options', 'must be an object');
    refuse([tril, 'x', { givens: {} }], 'givens', 'did you mean "given"');
    refuse([tril, 'x', { given: 3 }], 'given', 'must be an object');
    refuse([tril, 'x', { given: { 'a b': 1 } }], 'given', 'letters, digits');
    refuse([tril, 'x', { given: { a: undefined } }], 'a', 'must be a tensor');
    refuse([tril, 'x', { given: { a: [[1], [1, 2]] } }], 'a', 'inhomogeneous');
    refuse([tril, 'x', { limits: { step: 1 } }], 'step', 'did you mean "steps"');
    refuse([tril, 'x', { limits: { steps: 0 } }], 'steps', 'at least 1');
    refuse([tril, 'x', { library: 'jax' }], 'library', '"numpy" or "torch"');
    const gone = tril.tensor([1]);
    gone.dispose();
    refuse([tril, 'x', { given: { gone } }], 'gone', 'disposed');
  });

  it('has errors of Python for methods that are called on anything', () => {
    for (const code of [
      'ValueError.__init__(3)',
      'nn.Sequential.__len__(None)',
      'nn.Sequential.append([], 1)',
      'nn.Module.register_buffer(3, "a", 1)',
      'nn.Linear.forward(3, torch.ones(2))',
      'nn.functional.mse_loss(3, 3)',
      'nn.functional.sigmoid(3)',
      '{1}.update(3)',
      '{}.update(3)',
    ]) {
      const { error } = tril.scope(() => run(`import torch\nimport torch.nn as nn\n${code}`));
      expect(error, code).toMatchObject({ kind: 'TypeError', line: 3 });
    }
  });

  it('knows nothing of JavaScript', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      for (const code of [
        name,
        `x = [1]\nx.${name}`,
        `'a'.${name}`,
        `import numpy as np\nnp.${name}`,
        `import numpy as np\nnp.ones(1).${name}`,
        `{}.${name}`,
      ]) {
        expect(tril.scope(() => run(code).error)?.kind, code).toMatch(/^(?:Name|Attribute)Error$/u);
      }
    }
  });
});
