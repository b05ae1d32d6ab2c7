// Costs against plain loops over doubles that count their own operations.
import { cost, graph, run, shapes } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, operations } from './graph-cases.js';
import { copies, counted, Counter, graphOf, naive, wholeInputs } from './graph-counted.js';
import { compute, sizeOf, sizeOfShape, type Numbers } from './graph-reference.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

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
    expect(Object.keys(counted).sort()).toEqual([...operations].sort());
    expect([...Object.keys(naive), ...copies].sort()).toEqual([...operations].sort());
  });

  it.each(Object.entries(counted))('of %s is what a naive run counts', (operation, all) => {
    for (const { inputs, options = {} } of all) {
      const made = graphOf(operation, { inputs, options });
      for (const sizes of manySizes) {
        const told = `${JSON.stringify(inputs)} ${JSON.stringify(options)} ${JSON.stringify(sizes)}`;
        const numbers = inputs.map((named, i): Numbers => {
          const shape = named.map((size) => sizeOf(size, sizes));
          const data = Array.from({ length: sizeOfShape(shape) }, (_, k) => ((7 * k + i) % 11) / 4);
          return { shape, data: wholeInputs[operation] === i ? data.map(() => 0) : data };
        });
        const plain = Object.fromEntries(numbers.map((each, i) => [`x${i}`, each]));
        const expected = compute(made, plain, {}, sizes)['y']!;
        const counter = new Counter();
        const found = naive[operation]?.(counter, numbers, options);
        // A loop's count is only valid if its result is right.
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
