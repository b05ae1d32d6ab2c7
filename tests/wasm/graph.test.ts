// Declaring a graph, its shapes, and its computation.
import { graph, run, shapes, type Graph, type GraphValues } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, numbersOf, scaleOf } from './graph-cases.js';
import { compute } from './graph-reference.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const inputs = (): GraphValues => inputsOf(cases[0]!);
const normal = (shape: readonly number[], seed: number) => tril.randomNormal(shape, { seed });

function expectComputed(made: Graph, given: GraphValues): void {
  const found = numbersOf(run(tril, made, given));
  const expected = compute(made, numbersOf(given));
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, { shape, data }] of Object.entries(expected)) {
    expect(found[name]!.shape, name).toEqual(shape);
    const scale = scaleOf(data);
    for (const [i, value] of data.entries()) {
      const difference = found[name]!.data[i]! - value;
      if (!Object.is(found[name]!.data[i], value) && found[name]!.data[i] !== value) {
        expect(Math.abs(difference), `${name} ${i}`).toBeLessThan(1e-5 * scale);
      }
    }
  }
}

describe('graph', () => {
  it('is plain data, in the order of computing, and hides what has no name', () => {
    expect(JSON.parse(JSON.stringify(attention))).toEqual(attention);
    expect(attention.nodes.map(({ name }) => name)).toEqual([
      ...['X', 'W_Q', 'W_K', 'W_V', 'Q', 'K', 'V', '_8', '_9', '_10', '_11'],
      ...['scores', 'weights', 'output'],
    ]);
    expect(attention.nodes.at(-1)).toEqual({
      ...{ name: 'output', operation: 'matmul', inputs: ['weights', 'V'], options: {} },
    });
  });

  it('leaves out what nothing with a name is made of', () => {
    const made = graph({ x: [2] }, ({ x }, { exp, log }) => {
      log(x);
      return { y: exp(x) };
    });
    expect(made.nodes.map(({ name }) => name)).toEqual(['x', 'y']);
  });

  it('holds lists that cannot be changed, those inside of others too', () => {
    const places = [[0], [1]];
    const made = graph({ x: [2], y: [1] }, ({ x, y }, { put }) => ({
      z: put([x, y, y], { places }),
    }));
    const held = made.nodes.at(-1)!.options.places as number[][];
    places[0]![0] = 5;
    expect(held).toEqual([[0], [1]]);
    expect(() => (held[0]![0] = 5)).toThrow(TypeError);
  });

  it('says at the call what does not fit', () => {
    const says = 'graph: matmul.b: C columns meet D rows; a is X [T, C], b is W [D, C]';
    expectRefused(
      () => graph({ X: ['T', 'C'], W: ['D', 'C'] }, ({ X, W }, c) => ({ y: c.matmul(X, W) })),
      { call: 'graph', argument: 'matmul.b', says },
    );
    expectRefused(() => graph({ x: ['T'], y: ['S'] }, ({ x, y }, { add }) => ({ z: add(x, y) })), {
      call: 'graph',
      argument: 'add.y',
      says: '[T] and [S] do not broadcast',
    });
    expectRefused(
      () => graph({ x: ['T'] }, ({ x }, { softmax }) => ({ y: softmax(x, { axis: 1 }) })),
      { call: 'graph', argument: 'softmax.axis', says: 'there is no axis 1; x is x [T]' },
    );
    expectRefused(
      () => graph({ x: ['T'] }, ({ x }, { softmax }) => ({ y: softmax(x, { axes: 1 } as object) })),
      { call: 'graph', argument: 'axes', says: 'did you mean "axis"' },
    );
    expectRefused(() => graph({ x: ['T'] }, ({ x }) => ({ y: x })), {
      ...{ call: 'graph', argument: 'y', says: 'is x already' },
    });
    expectRefused(() => graph({ x: ['T +'] }, ({ x }) => ({ x })), {
      ...{ call: 'graph', argument: 'x.shape', says: 'cannot be read as a size' },
    });
    expectRefused(() => graph({ x: ['T'] }, 3 as never), {
      ...{ call: 'graph', argument: 'build', says: 'must be a function' },
    });
    expectRefused(() => graph({ 'a b': [1] }, () => ({})), {
      ...{ call: 'graph', argument: 'nodes', says: 'names are of letters' },
    });
  });
});

describe('each operation', () => {
  const refused: readonly (readonly [string, Parameters<typeof graph>[1], string, string])[] = [
    ['linear', ({ x, w }, c) => ({ y: c.linear(x!, w!) }), 'weight', 'must have two axes'],
    ['linear', ({ x, m }, c) => ({ y: c.linear(m!, x!) }), 'weight', 'D columns meet rows of S'],
    ['linear', ({ x, w }, c) => ({ y: c.linear(x!, x!, w!) }), 'bias', 'must be [T]'],
    ['reshape', ({ x }, c) => ({ y: c.reshape(x!, ['T']) }), 'shape', 'T elements of D*T'],
    ['slice', ({ x }, c) => ({ y: c.slice(x!, { start: 2, stop: 1 }) }), 'stop', 'before start'],
    ['slice', ({ x }, c) => ({ y: c.slice(x!, { start: -1 }) }), 'start', 'at least 0'],
    [
      'slice',
      ({ x }, c) => ({ y: c.slice(x!, { stop: 'T + 1' }) }),
      'stop',
      'after the end of the axis',
    ],
    ['slice', ({ x }, c) => ({ y: c.split(x!, 2, { axis: 2 })[0] }), 'axis', 'no axis 2'],
    [
      'concatenate',
      ({ x, m }, c) => ({ y: c.concatenate([x!, m!]) }),
      'tensors[1]',
      'axis 0 alone',
    ],
    ['concatenate', (_, c) => ({ y: c.concatenate([]) }), 'inputs', 'is given 0 inputs'],
    ['transpose', ({ x }, c) => ({ y: c.transpose(x!, [0, 0]) }), 'axes', 'every axis once'],
    ['sum', ({ x }, c) => ({ y: c.sum(x!, { axis: -3 }) }), 'axis', 'there is no axis -3'],
    ['mask', ({ w }, c) => ({ y: c.mask(w!) }), 'x', 'at least two axes'],
    ['mask', ({ w, x }, c) => ({ y: c.mask(w!, x!) }), 'seen', 'no more axes than x'],
    ['runningAverage', ({ w }, c) => ({ y: c.runningAverage(w!) }), 'x', 'at least two axes'],
    ['tri', (_, c) => ({ y: c.tri('T +') }), 'rows', 'cannot be read as a size'],
    ['mask', ({ x }, c) => ({ y: c.mask(x!, { hidden: '0' as never }) }), 'hidden', 'a number'],
    ['layerNorm', ({ x, m }, c) => ({ y: c.layerNorm(x!, m!) }), 'weight', 'must be [D]'],
    ['rmsNorm', ({ x, m }, c) => ({ y: c.rmsNorm(x!, m!) }), 'weight', 'must be [D]'],
    ['embedding', ({ x, w }, c) => ({ y: c.embedding(x!, w!) }), 'table', 'must have two axes'],
    ['crossEntropy', ({ x, w }, c) => ({ y: c.crossEntropy(x!, w!) }), 'targets', 'must be [T]'],
    ['matmul', ({ x, w }, c) => ({ y: c.matmul(x!, w!) }), 'b', 'at least two axes'],
    [
      'layerNorm',
      ({ x, w }, c) => ({ y: c.layerNorm(x!, null as never, w!) }),
      'bias',
      'before it',
    ],
    ['softmax', ({ x }, c) => ({ y: c.softmax(x!, 1 as never) }), 'options', 'must be an object'],
    ['exp', (_, c) => ({ y: c.exp(null as never) }), 'x', 'must be a value of this graph'],
  ];

  it.each(refused)('refuses what does not fit: %s', (name, build, argument, says) => {
    const body = () => graph({ x: ['T', 'D'], w: ['D'], m: ['D', 'S'] }, build);
    expectRefused(body, { call: 'graph', argument: `${name}.${argument}`, says });
  });

  it('refuses numbers that its values forbid', () => {
    withoutLeak(() => {
      const made = graph({ ids: ['T'], table: ['V', 'C'] }, ({ ids, table }, { embedding }) => ({
        y: embedding(ids, table),
      }));
      const table = normal([3, 2], 1);
      for (const id of [3, 0.5]) {
        const ids = tril.tensor([id]);
        expectRefused(() => run(tril, made, { ids, table }), {
          ...{ call: 'run', argument: 'y', says: 'embedding: ids:' },
        });
      }
      const halved = graph({ x: ['C'] }, ({ x }, { split }) => ({ y: split(x, 2)[0] }));
      const x = tril.tensor([1, 2, 3]);
      expectRefused(() => run(tril, halved, { x }), {
        ...{ call: 'run', argument: 'y', says: 'is [C/2], but C/2 is 1.5' },
      });
    });
  });
});

describe('shapes', () => {
  it('are in sizes by name, and in numbers', () => {
    expect(shapes(attention)).toMatchObject({ Q: ['T', 'D'], scores: ['T', 'T'], _10: [1] });
    const sizes = { T: 5, C: 8, D: 3 };
    expect(shapes(attention, sizes)).toMatchObject({ Q: [5, 3], output: [5, 3] });
    expectRefused(() => shapes(attention, { T: 5, C: 8 }), {
      ...{ call: 'shapes', argument: 'W_Q', says: 'is [C, D], but there is no D' },
    });
  });

  it('refuses what is no graph', () => {
    const node = { name: 'x', operation: 'input', inputs: [], options: { shape: [2] } };
    const refuse = (nodes: unknown, argument: string, says: string) =>
      expectRefused(() => shapes({ nodes } as Graph), { call: 'shapes', argument, says });
    refuse(3, 'nodes', 'must be an array');
    refuse([node, node], 'x', 'is the name of two nodes');
    refuse([{ ...node, operation: 'inputt' }], 'x', 'did you mean "input"');
    refuse([{ ...node, inputs: ['y'] }], 'x.inputs', 'unknown node "y"');
    refuse([{ ...node, inputs: 'y' }], 'x.inputs', 'must be an array of names');
    refuse([{ ...node, operation: 'exp', options: {} }], 'x.inputs', 'exp takes x, and is given 0');
    const made = (name: string, from: string) => ({
      name,
      operation: 'exp',
      inputs: [from],
      options: {},
    });
    refuse([made('a', 'b'), made('b', 'a')], 'a.inputs', 'it is made of itself: a, b, a');
    refuse([{ ...node, options: { shape: [] } }], 'x.shape', 'at least one axis');
  });
});

describe('run', () => {
  it.each(cases.map((each) => [each.name, each] as const))(
    'computes what doubles do: %s',
    (_, each) => {
      withoutLeak(() => expectComputed(each.graph, inputsOf(each)));
    },
  );

  it('gives what the core gives', () => {
    withoutLeak(() => {
      const given = inputs();
      const { Q, K, V, output } = run(tril, attention, given);
      const direct = tril.attention(Q!, K!, V!, { method: 'full' }).output;
      expect(tril.compare(output!, direct).maxAbsolute).toBeLessThan(1e-6);
    });
  });

  it('takes a graph from JSON', () => {
    withoutLeak(() => expectComputed(JSON.parse(JSON.stringify(attention)) as Graph, inputs()));
  });

  it('puts thousands of rows as one operation', () => {
    withoutLeak(() => {
      const places = Array.from({ length: 4000 }, (_, row) => [2 * row, 2 * row + 1]);
      const made = graph({ x: [4000, 2], y: [2] }, ({ x, y }, { put }) => ({
        z: put([x!, ...places.map(() => y!)], { places }),
      }));
      const { z } = run(tril, made, { x: tril.zeros([4000, 2]), y: tril.tensor([1, 2]) });
      expect(z!.read()).toEqual(Float32Array.from({ length: 8000 }, (_, i) => 1 + (i % 2)));
    });
  });

  it('takes any names that are words', () => {
    withoutLeak(() => {
      const made = graph({ constructor: ['valueOf', 'T'] }, (values, { multiply }) => ({
        toString: multiply(values['constructor'], 'valueOf'),
      }));
      const constructor = tril.tensor([[1, 2]]);
      expect(run(tril, made, { constructor })['toString']!.toArray()).toEqual([[1, 2]]);
      expectRefused(() => run(tril, made, {}), {
        ...{ call: 'run', argument: 'constructor', says: 'must be a tensor' },
      });
      expectRefused(
        () => graph(JSON.parse('{"__proto__":[1]}') as Record<string, [1]>, () => ({})),
        {
          ...{ call: 'graph', argument: 'nodes', says: 'do not begin with __' },
        },
      );
    });
  });

  it('refuses inputs that do not fit, and holds nothing', () => {
    withoutLeak(() => {
      const given = inputs();
      const refuse = (changed: object, argument: string, says: string) =>
        expectRefused(() => run(tril, attention, { ...given, ...changed }), {
          ...{ call: 'run', argument, says },
        });
      refuse({ X: undefined }, 'X', 'must be a tensor');
      refuse({ Y: given['X'] }, 'Y', 'unknown input');
      const wide = normal([9, 2], 5);
      refuse({ W_K: wide }, 'W_K', 'must be [C, D], is [9, 2]; C = 3, D = 2');
      const deep = normal([1, 4, 3], 5);
      refuse({ X: deep }, 'X', 'must be [T, C], is [1, 4, 3]');
      expectRefused(() => run({} as never, attention, given), {
        ...{ call: 'run', argument: 'tril', says: 'must be what loadTril gives' },
      });
    });
  });
});
