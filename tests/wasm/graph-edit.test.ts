// Editing graphs, and unfolding fused operations.
import { edit, formula, graph, program, run, shapes, sources, unfold, why } from 'tril/graph';
import type { Graph, GraphEdit } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, numbersOf, scaleOf } from './graph-cases.js';
import { compute } from './graph-reference.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const nameOf = (made: Graph, operation: string) =>
  made.nodes.find((node) => node.operation === operation)!.name;

/** The correct graph and its mistakes: each gives the result of doubles, which differs from the correct graph's. */
const mistakes: Readonly<Record<string, readonly GraphEdit[]>> = {
  'no scale': [{ remove: 'scores' }],
  'scale by d': [{ rewire: 'scores', input: 'y', to: nameOf(attention, 'number') }],
  'softmax down the columns': [{ replace: 'weights', options: { axis: 0 } }],
  'K and Q exchanged': [
    { rewire: nameOf(attention, 'transpose'), input: 'x', to: 'Q' },
    { rewire: '_9', input: 'a', to: 'K' },
  ],
  'mask after softmax': [
    { add: { name: 'hidden', operation: 'mask', inputs: ['weights'], options: {} } },
    { add: { name: 'zeroed', operation: 'exp', inputs: ['hidden'], options: {} } },
    { rewire: 'output', input: 'a', to: 'zeroed' },
  ],
  'no softmax': [{ remove: 'weights' }],
  'values of keys': [{ rewire: 'output', input: 'b', to: 'K' }],
};

describe('edit', () => {
  it.each(Object.entries(mistakes))('makes a mistake of the right graph: %s', (_, edits) => {
    withoutLeak(() => {
      const before = JSON.stringify(attention);
      const wrong = edit(attention, JSON.parse(JSON.stringify(edits)) as typeof edits);
      expect(JSON.stringify(attention)).toBe(before);
      const given = inputsOf(cases[0]!);
      const [right, found] = [attention, wrong].map((each) => run(tril, each, given));
      expect(tril.compare(right!['output']!, found!['output']!).maxAbsolute).toBeGreaterThan(1e-3);
      const { data } = compute(wrong, numbersOf(given))['output']!;
      for (const [i, value] of data.entries()) {
        expect(Math.abs(found!['output']!.read()[i]! - value)).toBeLessThan(1e-5 * scaleOf(data));
      }
    });
  });

  it('leaves out what has no name and is read by nobody any more', () => {
    const made = edit(attention, [{ remove: 'scores' }]);
    expect(made.nodes.map(({ operation }) => operation)).not.toContain('sqrt');
    expect(formula(made, 'weights')).toBe(
      '\\mathrm{weights} = \\mathrm{softmax}\\left(Q K^{\\top}\\right)',
    );
    const inner = edit(attention, [{ remove: 'weights', instead: 'scores' }]);
    expect(shapes(inner)).toMatchObject({ output: ['T', 'D'] });
  });

  it('refuses what cannot be', () => {
    const refuse = (edits: unknown, argument: string, says: string) =>
      expectRefused(() => edit(attention, edits as GraphEdit[]), { call: 'edit', argument, says });
    refuse([{ remove: 'score' }], 'remove', 'mean "scores"');
    refuse([{ remove: 'X' }], 'remove', 'has no input to read in its place');
    refuse([{ rewire: 'output', input: 'c', to: 'K' }], 'input', 'unknown input "c"');
    refuse([{ rewire: 'output', input: 'b', to: 'k' }], 'to', 'unknown node "k"');
    refuse([{ replace: 'weights', operation: 'softmux' }], 'weights', 'mean "softmax"');
    refuse([{ replace: 'weights', options: { axis: 2 } }], 'weights.axis', 'no axis 2');
    refuse([{ rewire: 'Q', input: 'a', to: 'output' }], 'Q.inputs', 'it is made of itself');
    refuse([{ remov: 'weights' }], 'edits', 'each must be one of replace');
    refuse([{ remove: 'weights', with: 'Q' }], 'with', 'unknown field');
    refuse('remove', 'edits', 'must be an array');
  });
});

describe('unfold', () => {
  it.each(cases.filter(({ name }) => name.startsWith('fused')).map(({ name }) => name))(
    'gives the same values: %s',
    (name) => {
      withoutLeak(() => {
        const each = cases.find((one) => one.name === name)!;
        const given = inputsOf(each);
        const whole = unfold(each.graph);
        expect(whole.nodes.map(({ operation }) => operation)).not.toContain('attention');
        const [fused, small] = [each.graph, whole].map((one) => run(tril, one, given));
        for (const value of Object.keys(fused!)) {
          expect(tril.compare(fused![value]!, small![value]!).maxAbsolute).toBeLessThan(1e-5);
        }
      });
    },
  );

  it('opens one node, one step down', () => {
    const { graph: made } = cases.find(({ name }) => name === 'fused heads')!;
    const once = unfold(made, 'y');
    expect(once.nodes.filter(({ operation }) => operation === 'attention')).toHaveLength(1);
    expect(shapes(once)).toMatchObject({ y_q: ['B', 2, 'T', 'C/2'], y: ['B', 'T', 'C'] });
    expect(once.nodes.at(-1)!.operation).toBe('multiHeadAttention');
    expectRefused(() => unfold(made, 'x'), {
      ...{ call: 'unfold', argument: 'node', says: 'x is input, which is not fused' },
    });
    expectRefused(() => unfold(made, 'a'), { call: 'unfold', argument: 'node', says: 'unknown' });
  });

  it('shows the weights, and why they are so', () => {
    withoutLeak(() => {
      const each = cases.find(({ name }) => name === 'fused attention')!;
      const opened = unfold(each.graph, 'causal');
      const values = run(tril, opened, inputsOf(each));
      const { text, terms } = why(opened, values, 'causal_weights', [0, 0, 1]);
      expect(text).toMatch(/^causal_weights\[0, 0, 1\] = e\^\(-inf\) \/ \(e\^.* = 0$/u);
      expect(terms.flat().map(({ node }) => node)).toEqual(Array(5).fill('causal_masked'));
      const found = sources(each.graph, values, 'causal', [1, 0, 2]);
      // Masked keys are not among its sources.
      const names = ['q 1,0,0', 'q 1,0,1', 'k 1,0,0', 'k 1,0,1', 'v 1,0,2'];
      expect(found.map(({ node, index }) => `${node} ${index}`).sort()).toEqual(names.sort());
      expect(program(each.graph, values, 'NumPy')).toContain('causal = causal_weights @ v\n');
    });
  });

  it('refuses what does not fit into fused operations', () => {
    const q = ['H', 'T', 'D'];
    const refuse = (build: Parameters<typeof graph>[1], argument: string, says: string) =>
      expectRefused(() => graph({ q, k: ['H', 'S', 'E'], x: ['T', 'C'], w: ['C', 'C'] }, build), {
        call: 'graph',
        argument,
        says,
      });
    refuse(({ q, k }, c) => ({ y: c.attention(q!, k!, k!) }), 'attention.k', 'the axes of q');
    refuse(({ q, k }, c) => ({ y: c.attention(q!, q!, k!) }), 'attention.v', 'the axes of k');
    const wrong: readonly (readonly [object, string, string])[] = [
      [{ scale: '2' }, 'scale', 'must be a number'],
      [{ kind: 'added' }, 'kind', 'unknown kind "added"; there are: boolean, additive'],
      [{ window: 3 }, 'window', 'must be an object'],
      [{ window: { left: -1 } }, 'window.left', 'whole number of at least 0'],
      [{ window: { before: 1 } }, 'before', 'unknown option'],
      [{ strided: { local: 1 } }, 'strided.stride', 'whole number of at least 1'],
      [{ padding: [1, 2] }, 'padding', 'has 2 lengths for 1 batches'],
      [{ padding: [0.5] }, 'padding', 'whole number'],
      [{ scales: 1 }, 'scales', 'mean "scale"'],
    ];
    for (const [options, argument, says] of wrong) {
      const name =
        argument === 'before' || argument === 'scales' ? argument : `attention.${argument}`;
      refuse(({ q }, c) => ({ y: c.attention(q!, q!, q!, options) }), name, says);
    }
    const few = { q: [3, 'T', 'D'], k: [2, 'T', 'D'] } as const;
    expectRefused(() => graph(few, ({ q, k }, c) => ({ y: c.attention(q, k, k) })), {
      call: 'graph',
      argument: 'attention.k',
      says: 'a number of heads that divides those of q; q is q [3, T, D], k is k [2, T, D]',
    });
    const heads = (count: number) => ({ heads: count });
    const name = 'multiHeadAttention';
    refuse(
      ({ x, w }, c) => ({ y: c[name](x!, w!, w!, heads(2)) }),
      `${name}.in_proj_weight`,
      '3*C',
    );
    const W = ['3*C', 'C'];
    expectRefused(
      () =>
        graph({ x: ['T', 'C'], W, O: ['C', 'C'] }, ({ x, W, O }, c) => ({
          y: c[name](x, W, O, heads(0)),
        })),
      { call: 'graph', argument: `${name}.heads`, says: 'at least 1' },
    );
  });
});
