// Graphs as programs, which run; as costs, against a naive computation that counts; and as formulas.
import { cost, formula, graph, program, programLanguages, run, shapes } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, scaleOf } from './graph-cases.js';
import { canRun, runPrograms } from './graph-programs.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const visible = (nodes: readonly { name: string; operation: string }[]) =>
  nodes.filter((node) => node.operation !== 'input' && !node.name.startsWith('_'));

describe('program', () => {
  it.each(programLanguages)(
    'of %s gives the same digits',
    { timeout: 240_000 },
    async (language) => {
      const made = cases.map((each) =>
        tril.scope(() => {
          const values = run(tril, each.graph, inputsOf(each));
          const show = visible(each.graph.nodes).map(({ name }) => name);
          const scale = Math.max(...show.map((name) => scaleOf([...values[name]!.read()])));
          return { name: each.name, scale, code: program(each.graph, values, language, { show }) };
        }),
      );
      const wrong = tril.scope(() => {
        const values = run(tril, attention, inputsOf(cases[0]!));
        const output = tril.add(values['output']!, 1);
        return program(attention, { ...values, output }, language);
      });
      if (!canRun(language)) return;
      const printed = await runPrograms(language, [...made.map(({ code }) => code), wrong]);
      const found = printed.map((text) => /largest difference: (\S+)/u.exec(text)?.[1]);
      for (const [i, { name, scale, code }] of made.entries()) {
        expect(found[i], `${name}\n${printed[i]}\n${code}`).toBeDefined();
        expect(Number(found[i]), name).toBeLessThan(1e-5 * scale);
      }
      expect(Number(found.at(-1))).toBeCloseTo(1, 4); // or nothing would be found
    },
  );

  it.each(programLanguages)(
    'of %s has zeros where nothing is seen',
    { timeout: 120_000 },
    async (language) => {
      if (!canRun(language)) return;
      const made = graph({ x: ['T', 'S'], seen: ['T', 'S'], v: ['S', 2] }, ({ x, seen, v }, c) => ({
        weights: c.softmax(c.mask(x, seen)),
        none: c.softmax(c.mask(x, { padding: [0] })),
        blend: c.attention(v, v, v, { causal: true, padding: [0] }),
      }));
      const [code] = tril.scope(() => {
        const given = inputsOf({ name: '', graph: made, inputs: { x: [2, 3], v: [3, 2] } });
        const seen = tril.tensor([
          [0, 0, 0],
          [1, 0, 1],
        ]);
        const values = run(tril, made, { ...given, seen });
        expect(values['weights']!.toArray()).toMatchObject([[0, 0, 0], { 1: 0 }]);
        return [program(made, values, language, { show: ['weights', 'none', 'blend'] })];
      });
      const [printed] = await runPrograms(language, [code!]);
      expect(Number(/largest difference: (\S+)/u.exec(printed!)?.[1]), printed).toBeLessThan(1e-6);
    },
  );

  it('writes what has no name in place, and keeps names that a language has', () => {
    tril.scope(() => {
      const values = run(tril, attention, inputsOf(cases[0]!));
      const numpy = program(attention, values, 'NumPy');
      expect(numpy).toContain('\nscores = (Q @ K.T) / np.sqrt(D)\n');
      expect(numpy).toContain('\nD = 2\n');
      const ofQ = program(attention, values, 'NumPy', { show: ['Q'] });
      expect(ofQ).not.toMatch(/W_K|scores/u); // which Q needs not
      const made = graph({ lambda: ['T'] }, ({ lambda }, c) => ({
        softmax: c.softmax(lambda),
        T: c.multiply(lambda, 'T'),
      }));
      const own = run(tril, made, { lambda: tril.tensor([1, 2]) });
      const code = program(made, own, 'NumPy', { show: ['softmax', 'T'] });
      expect(code).toContain('softmax_ = softmax(lambda_, axis=-1)');
      expect(code).toContain('\nT = lambda_ * 2\n');
    });
  });

  it('stays short where many elements are put', () => {
    tril.scope(() => {
      const places = Array.from({ length: 20 }, (_, i) => [i]);
      const made = graph({ x: [20], y: [1] }, ({ x, y }, { put }) => ({
        z: put([x!, ...places.map(() => y!)], { places }),
      }));
      const values = run(tril, made, { x: tril.zeros([20]), y: tril.tensor([1]) });
      for (const language of programLanguages) {
        expect(program(made, values, language).length, language).toBeLessThan(6000);
      }
    });
  });

  it('refuses what is not there', () => {
    withoutLeak(() => {
      const values = run(tril, attention, inputsOf(cases[0]!));
      const refuse = (body: () => unknown, argument: string, says: string) =>
        expectRefused(body, { call: 'program', argument, says });
      refuse(() => program(attention, values, 'R' as 'C++'), 'language', 'there are: NumPy');
      const show = ['weight'];
      refuse(() => program(attention, values, 'C++', { show }), 'show', 'mean "weights"');
      refuse(() => program(attention, values, 'C++', { show: 'Q' as never }), 'show', 'an array');
      const without = { ...values, output: undefined } as never;
      refuse(() => program(attention, without, 'NumPy'), 'output', 'must be a tensor');
      const option = { shows: [] } as never;
      refuse(() => program(attention, values, 'NumPy', option), 'shows', 'mean "show"');
    });
  });
});

/** Operations of floating point, done one by one and counted. */
class Counter {
  flops = 0;
  each = (...sizes: number[]) => {
    const count = sizes.reduce((a, b) => a * b, 1);
    return { do: (flops: number) => (this.flops += count * flops) };
  };
}

describe('cost', () => {
  it('is a formula in the sizes, and a number', () => {
    const found = cost(attention);
    expect(found.flops).toBe('6*C*D*T + 4*D*T*T + 1 + 6*T*T');
    expect(found.inputBytes).toBe('4*C*T + 12*C*D');
    expect(found.outputBytes).toBe('4*D*T');
    expect(found.nodes['weights']).toEqual({ flops: '5*T*T', bytes: '8*T*T' });
    const sizes = { T: 7, C: 5, D: 3 };
    const counter = new Counter();
    counter.each(3, 7, 3, 5).do(2); // Q, K and V: a product and a sum
    counter.each(7, 7, 3).do(2);
    counter.each(1).do(1); // sqrt
    counter.each(7, 7).do(1);
    counter.each(7, 7).do(5); // compare, subtract, exp, add, divide
    counter.each(7, 3, 7).do(2);
    expect(cost(attention, sizes).flops).toBe(counter.flops);
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

describe('formula', () => {
  it('sets a line, and all of them', () => {
    expect(formula(attention, 'scores')).toBe('\\mathrm{scores} = \\frac{Q K^{\\top}}{\\sqrt{D}}');
    expect(formula(attention, 'Q')).toBe('Q = X W_{Q}');
    expect(formula(attention, 'X')).toBe('X');
    expect(formula(attention).split('\n')).toHaveLength(8);
    const made = graph({ x: ['T'], y1: ['T'] }, ({ x, y1 }, c) => ({
      z: c.multiply(c.add(x, y1), c.subtract(x, c.subtract(y1, 'T + 1'))),
    }));
    expect(formula(made, 'z')).toBe(
      'z = \\left(x + y_{1}\\right) \\odot \\left(x - \\left(y_{1} - \\left(T + 1\\right)\\right)\\right)',
    );
  });

  it('has balanced brackets in every case', () => {
    for (const each of cases) {
      const tex = formula(each.graph);
      let depth = 0;
      for (const letter of tex.replaceAll('\\\\', '')) {
        depth += letter === '{' ? 1 : letter === '}' ? -1 : 0;
        expect(depth).toBeGreaterThanOrEqual(0);
      }
      expect(depth, tex).toBe(0);
      expect(tex.split('\\left').length).toBe(tex.split('\\right').length);
    }
    expectRefused(() => formula(attention, 'score'), {
      ...{ call: 'formula', argument: 'node', says: 'mean "scores"' },
    });
  });
});
