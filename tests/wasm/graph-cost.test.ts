// Costs, against plain loops over doubles that count what they do.
import { cost, graph, run, shapes, type Graph } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, operations } from './graph-cases.js';
import { copies, Counter, naive } from './graph-counted.js';
import { compute, sizeOf, sizeOfShape, type Numbers } from './graph-reference.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

type Named = readonly (string | number)[];
interface Counted {
  readonly inputs: readonly Named[];
  readonly options?: Readonly<Record<string, unknown>>;
}

const [matrix, row, column] = [['T', 'D'], ['D'], ['T', 1]] as const;
const of = (options: object, ...inputs: readonly Named[]): Counted => ({
  inputs,
  options: { ...options },
});
const ofOne = [of({}, matrix), of({}, ['B', 'T', 'D']), of({}, row), of({}, [1])];
const ofTwo = [
  ...[of({}, matrix, matrix), of({}, matrix, row), of({}, column, matrix), of({}, column, row)],
  ...[of({}, [1], matrix), of({}, ['B', 1, 'D'], matrix)],
];
const reductions = [{}, { axis: 0 }, { axis: -1 }, { axis: 1, keepDims: true }, { keepDims: true }]
  .map((options) => of(options, ['B', 'T', 'D']))
  .concat(of({}, row), of({ axis: 0 }, matrix));
const along = [
  of({}, matrix),
  of({ axis: 0 }, matrix),
  of({ axis: 1 }, ['B', 'T', 'D']),
  of({}, row),
];
const [queries, keys] = [['B', '2*H', 'T', 'D'] as const, ['B', 'H', 'S', 'D'] as const];
const [three, four] = [['3*D', 'D'] as const, ['D', 'D'] as const];

/** Inputs and options of each operation, from which it is counted. */
const counted: Readonly<Record<string, readonly Counted[]>> = {
  number: [of({ value: 'T + 1' })],
  tri: [of({ rows: 'T' })],
  transpose: [of({}, matrix), of({ axes: [0, 2, 1] }, ['B', 'T', 'D'])],
  reshape: [of({ shape: ['T*D'] }, matrix), of({ shape: ['T', 1, 'D'] }, matrix)],
  slice: [of({ axis: 1, start: 1, stop: 2 }, ['T', 3])],
  concatenate: [of({ axis: 0 }, matrix, ['S', 'D']), of({ axis: -1 }, matrix, column, ['T', 2])],
  take: [of({ axis: 1, indices: [2, 0, 2] }, ['T', 3]), of({ indices: [] }, matrix)],
  put: [of({ places: [[0, 2], [1]] }, [3], [2], [1]), of({ places: [] }, matrix)],
  where: [of({}, matrix, column, row), of({}, [1], matrix, [1])],
  mask: [of({}, matrix), of({}, matrix, column), of({ causal: true, hidden: 0 }, matrix, row)],
  embedding: [of({}, ['T'], [3, 'D']), of({}, ['B', 'T'], [1, 'D'])],
  ...Object.fromEntries(
    ['add', 'subtract', 'multiply', 'divide', 'power', 'maximum', 'minimum', 'equal', 'notEqual']
      .concat('less', 'lessEqual', 'greater', 'greaterEqual')
      .map((name) => [name, ofTwo]),
  ),
  ...Object.fromEntries(
    ['exp', 'log', 'negate', 'sqrt', 'tanh', 'relu', 'gelu', 'silu'].map((name) => [name, ofOne]),
  ),
  ...{ sum: reductions, mean: reductions, max: reductions, min: reductions, argmax: reductions },
  runningAverage: [of({}, matrix), of({ sum: true }, matrix), of({}, ['B', 'T', 'D'])],
  ...{ softmax: along, logSoftmax: along },
  layerNorm: [of({}, matrix), of({}, matrix, row), of({}, matrix, row, row), of({}, row, row)],
  rmsNorm: [of({}, matrix), of({}, ['B', 'T', 'D'], row), of({}, ['T', 'D + 1'])],
  matmul: [
    ...[of({}, matrix, ['D', 'S']), of({}, ['B', 'T', 'D'], ['D', 'S'])],
    of({}, ['B', 1, 'T', 'D'], ['H', 'D', 'S']),
  ],
  linear: [
    of({}, matrix, ['S', 'D']),
    of({}, ['B', 'T', 'D'], ['S', 'D'], ['S']),
    of({}, row, four),
  ],
  crossEntropy: [of({}, ['T', 3], ['T']), of({}, ['B', 'T', 'D + 1'], ['B', 'T'])],
  attention: [
    ...[
      of({}, matrix, ['S', 'D'], ['S', 'H']),
      of({ causal: true }, matrix, ['S', 'D'], ['S', 'D']),
    ],
    of({ kind: 'additive', scale: 0.5 }, matrix, matrix, matrix, ['T', 'T']),
    ...[of({ scale: 2 }, queries, keys, keys), of({}, queries, keys, keys, ['T', 'S'])],
  ],
  multiHeadAttention: [
    ...[
      of({ heads: 1 }, matrix, three, four),
      of({ heads: 1, causal: true }, matrix, three, four, ['3*D']),
    ],
    of({ heads: 2 }, ['B', 'T', '2*D'], ['6*D', '2*D'], ['2*D', '2*D'], ['6*D'], ['2*D']),
  ],
};

const manySizes = [
  ...[
    { B: 2, H: 2, T: 3, S: 4, D: 2 },
    { B: 1, H: 1, T: 1, S: 1, D: 1 },
    { B: 2, H: 1, T: 1, S: 3, D: 4 },
  ],
  ...[
    { B: 2, H: 1, T: 0, S: 2, D: 3 },
    { B: 1, H: 2, T: 2, S: 0, D: 1 },
    { B: 1, H: 1, T: 3, S: 1, D: 0 },
  ],
  { B: 0, H: 1, T: 2, S: 2, D: 2 },
];

describe('the cost', () => {
  it('is tested of every operation', () => {
    expect(Object.keys(counted).sort()).toEqual(operations.toSorted());
    expect([...Object.keys(naive), ...copies].sort()).toEqual(operations.toSorted());
  });

  it.each(Object.entries(counted))('of %s is what a naive run counts', (operation, all) => {
    for (const { inputs, options = {} } of all) {
      const given = inputs.map((shape, i) => {
        return { name: `x${i}`, operation: 'input', inputs: [], options: { shape } };
      });
      const y = { name: 'y', operation, inputs: given.map(({ name }) => name), options };
      const made: Graph = { nodes: [...given, y] };
      for (const sizes of manySizes) {
        const told = `${JSON.stringify(inputs)} ${JSON.stringify(options)} ${JSON.stringify(sizes)}`;
        const isWhole = (i: number) =>
          (operation === 'embedding' && i === 0) || (operation === 'crossEntropy' && i === 1);
        const numbers = inputs.map((named, i): Numbers => {
          const shape = named.map((size) => sizeOf(size, sizes));
          const data = Array.from({ length: sizeOfShape(shape) }, (_, k) => ((7 * k + i) % 11) / 4);
          return { shape, data: isWhole(i) ? data.map(() => 0) : data };
        });
        const plain = Object.fromEntries(numbers.map((each, i) => [`x${i}`, each]));
        const expected = compute(made, plain, {}, sizes)['y']!;
        const counter = new Counter();
        const found = naive[operation]?.(counter, numbers, options);
        // Only what computes the right thing counts what is to be counted.
        if (found) expect(found.shape, told).toEqual(expected.shape);
        for (const [k, value] of found?.data.entries() ?? []) {
          const other = expected.data[k]!;
          const isSame = value === other || Object.is(value, other);
          expect(isSame || Math.abs(value - other) < 1e-9, `${told}: ${value} ${other}`).toBe(true);
        }
        const { flops, nodes } = cost(made, sizes);
        expect(flops, told).toBe(counter.flops);
        const formulas = cost(made);
        expect(sizeOf(formulas.flops, sizes), `${told} ${formulas.flops}`).toBeCloseTo(flops, 9);
        if (operation.endsWith('ttention')) continue; // of several nodes
        const all = [...numbers, expected].reduce((sum, { data }) => sum + data.length, 0);
        expect(nodes['y'], told).toEqual({ flops, bytes: 4 * all });
        expect(sizeOf(formulas.nodes['y']!.bytes, sizes), told).toBe(4 * all);
      }
    }
  });
});

describe('cost', () => {
  it('is a formula in the sizes, and a number', () => {
    const found = cost(attention);
    expect(found.flops).toBe('6*C*D*T + 4*D*T*T + 1 + 6*T*T');
    expect(found.inputBytes).toBe('4*C*T + 12*C*D');
    expect(found.outputBytes).toBe('4*D*T');
    expect(found.nodes['weights']).toEqual({ flops: '5*T*T', bytes: '8*T*T' });
    const sizes = { T: 7, C: 5, D: 3 };
    const [products, scores] = [3 * 7 * 3 * 5 + 2 * 7 * 7 * 3, 7 * 7];
    expect(cost(attention, sizes).flops).toBe(2 * products + 1 + 6 * scores);
    const { inputBytes, outputBytes, bytes } = cost(attention, sizes);
    expect([inputBytes, outputBytes, bytes]).toEqual([4 * (35 + 45), 4 * 21, 4 * (35 + 45 + 21)]);
  });

  it('holds what run holds', () => {
    withoutLeak(() => {
      const given = inputsOf(cases[0]!);
      const before = tril.memory().bytes;
      run(tril, attention, given);
      const { outputBytes, heldBytes } = cost(attention, { T: 4, C: 3, D: 2 });
      expect(outputBytes + heldBytes).toBe(tril.memory().bytes - before);
    });
  });

  it('counts as tril.cost does', () => {
    const flopsOf = (operation: string, sizes: Record<string, number>, inputs: object) => {
      const made = graph(inputs as Record<string, string[]>, (values, calls) => ({
        y: (calls as never as Record<string, (...all: unknown[]) => never>)[operation]!(
          ...Object.values(values),
        ),
      }));
      return cost(made, sizes).flops;
    };
    const sizes = { N: 7, C: 5, F: 3 };
    expect(flopsOf('matmul', sizes, { a: ['N', 'C'], b: ['C', 'F'] })).toBe(
      tril.cost.matmul({ rows: 7, depth: 5, cols: 3 }).flops,
    );
    expect(flopsOf('linear', sizes, { x: ['N', 'C'], W: ['F', 'C'], b: ['F'] })).toBe(
      tril.cost.linear({ rows: 7, in: 5, out: 3 }).flops,
    );
    expect(flopsOf('layerNorm', sizes, { x: ['N', 'C'], w: ['C'], b: ['C'] })).toBe(
      tril.cost.layerNorm({ rows: 7, width: 5 }).flops,
    );
    expect(flopsOf('layerNorm', sizes, { x: ['N', 'C'] })).toBe(
      tril.cost.layerNorm({ rows: 7, width: 5, affine: false }).flops,
    );
    for (const activation of ['relu', 'gelu', 'silu'] as const) {
      expect(flopsOf(activation, sizes, { x: ['N', 'C'] })).toBe(
        tril.cost.activation({ count: 35, activation }).flops,
      );
    }
    expect(flopsOf('softmax', sizes, { x: ['N', 'C'] })).toBe(
      tril.cost.softmax({ rows: 7, length: 5 }).flops,
    );
  });

  it('has a number for every size', () => {
    for (const each of cases) {
      const sizes: Record<string, number> = {};
      for (const [name, shape] of Object.entries(each.inputs)) {
        for (const [axis, size] of shapes(each.graph)[name]!.entries())
          sizes[size] ??= shape[axis]!;
      }
      expect(cost(each.graph, sizes).flops, each.name).toBeGreaterThanOrEqual(0);
    }
    expectRefused(() => cost(attention, { T: 1 }), {
      ...{ call: 'cost', argument: 'X', says: 'there is no C' },
    });
    expectRefused(() => cost({ nodes: 1 } as never), {
      ...{ call: 'cost', argument: 'nodes', says: 'must be an array' },
    });
  });
});
