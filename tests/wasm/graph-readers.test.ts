// Graphs as programs that run, and as formulas.
import { formula, graph, program, programLanguages, run, shapes } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, scaleOf } from './graph-cases.js';
import { counted, graphOf, wholeInputs } from './graph-counted.js';
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
      expect(ofQ).not.toMatch(/W_K|scores/u); // which Q does not need
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

  it.each(['NumPy', 'PyTorch'] as const)(
    'of %s has brackets around what is written in place, in every operation',
    { timeout: 120_000 },
    async (language) => {
      if (!canRun(language)) return;
      const made = Object.entries(counted).flatMap(([operation, all]) =>
        all.flatMap((each) =>
          (each.inputs.length > 0 ? ['negate', 'add'] : []).map((inner) => {
            const { nodes } = graphOf(operation, each);
            const inputs = nodes.filter((node) => node.operation === 'input');
            const hidden = inputs.map(({ name }) => ({
              ...{ name: `_${name}`, operation: inner, options: {} },
              inputs: inner === 'add' ? [name, name] : [name],
            }));
            const y = { ...nodes.at(-1)!, inputs: hidden.map(({ name }) => name) };
            const of = { nodes: [...inputs, ...hidden, y] };
            return tril.scope(() => {
              const given = Object.entries(shapes(of, { B: 2, H: 1, T: 3, S: 2, D: 2 }));
              const tensors = given
                .filter(([name]) => name.startsWith('x'))
                .map(([name, shape], i) => {
                  const isWhole = wholeInputs[operation] === i;
                  const x = isWhole ? tril.zeros(shape) : tril.randomNormal(shape, { seed: i });
                  return [name, x] as const;
                });
              const values = run(tril, of, Object.fromEntries(tensors));
              const scale = scaleOf([...values['y']!.read()]);
              return { operation, scale, code: program(of, values, language, { show: ['y'] }) };
            });
          }),
        ),
      );
      const printed = await runPrograms(
        language,
        made.map(({ code }) => code),
      );
      for (const [i, { operation, scale, code }] of made.entries()) {
        const found = /largest difference: (\S+)/u.exec(printed[i]!);
        expect(Number(found?.[1]), `${operation}\n${printed[i]}\n${code}`).toBeLessThan(
          1e-5 * scale,
        );
      }
    },
  );

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
