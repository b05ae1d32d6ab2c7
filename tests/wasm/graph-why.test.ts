// Sources and reasons: against each other, and against the effect of nudging doubles.
import { graph, program, run, sources, unfold, why, whyText } from 'tril/graph';
import type { Graph, GraphValues } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, numbersOf } from './graph-cases.js';
import { compute, indicesOf } from './graph-reference.js';
import { expectReason, nameOf } from './graph-sentences.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

describe.each(cases.map((each) => [each.name, each] as const))('of %s', (_, each) => {
  it('reasons add up to the value, and are made of its sources', () => {
    withoutLeak(() => {
      const values = run(tril, each.graph, inputsOf(each));
      for (const { name, operation } of each.graph.nodes) {
        if (operation === 'input' || operation === 'number') continue;
        for (const index of indicesOf(values[name]!.shape)) {
          expectReason(each.graph, values, name, index);
        }
      }
    });
  });

  it('sources are the cells whose nudging moves it', () => {
    withoutLeak(() => {
      const given = inputsOf(each);
      const values = run(tril, each.graph, given);
      const plain = numbersOf(given);
      const moved = new Map<string, Set<string>>();
      for (const [name, { shape, data }] of Object.entries(plain)) {
        if (each.below?.[name] !== undefined) continue;
        const base = compute(each.graph, plain);
        for (const [i, index] of indicesOf(shape).entries()) {
          for (const step of [-9, 0.3, 9]) {
            const nudged = { shape, data: data.map((x, k) => (k === i ? x + step : x)) };
            const after = compute(each.graph, { ...plain, [name]: nudged });
            for (const [node, { shape: made, data: old }] of Object.entries(base)) {
              indicesOf(made).forEach((at, k) => {
                const cell = `${node} ${at.join()}`;
                if (!moved.has(cell)) moved.set(cell, new Set());
                if (after[node]!.data[k] === old[k]) return;
                moved.get(cell)!.add(`${name} ${index.join()}`);
              });
            }
          }
        }
      }
      for (const { name, operation } of each.graph.nodes) {
        if (operation === 'input' || operation === 'number') continue;
        for (const index of indicesOf(values[name]!.shape)) {
          const deep = sources(each.graph, values, name, index, { deep: true })
            .filter((cell) => each.below?.[cell.node] === undefined)
            .map((cell) => `${cell.node} ${cell.index.join()}`);
          const cell = `${name} ${index.join()}`;
          const expected = [...(moved.get(cell) ?? [])].sort();
          // Softmax ignores an offset common to all its scores, and any change of a single score.
          if (/^fused|hides$/u.test(each.name))
            expect(deep).toEqual(expect.arrayContaining(expected));
          else expect(deep.sort(), cell).toEqual(expected);
        }
      }
    });
  });
});

describe('sources', () => {
  it('leaves out what a mask hides', () => {
    withoutLeak(() => {
      const each = cases.find(({ name }) => name === 'what a mask hides')!;
      const values = run(tril, each.graph, inputsOf(each));
      const namesOf = (node: string, index: readonly number[]) =>
        sources(each.graph, values, node, index).map(nameOf);
      expect(namesOf('masked', [0, 1])).toEqual([]);
      expect(namesOf('weights', [1, 0])).toEqual(['masked 1,0', 'masked 1,1']);
      expect(namesOf('weights', [0, 1])).toEqual([]);
      expect(namesOf('logs', [0, 0])).toEqual(['masked 0,0']);
      expect(namesOf('blend', [0, 1])).toEqual(['weights 0,0', 'v 0,1']);
      expect(namesOf('products', [0, 1])).toEqual([]);
      expect(namesOf('sums', [1, 0])).toEqual(['products 1,0', 'products 1,1']);
      expect(namesOf('dScores', [0, 2])).toEqual([]);
      expect(namesOf('dV', [2, 1]).slice(1)).toEqual(['d 2,1']);
      expect(namesOf('dX', [0, 1])).toEqual(['dScores 0,0', 'x 0,1']);
    });
  });

  it('leaves them out inside of what is fused', () => {
    withoutLeak(() => {
      for (const each of cases.filter(({ name }) => name.startsWith('fused attention'))) {
        const given = inputsOf(each);
        const [fused, small] = [each.graph, unfold(each.graph)].map((made) => {
          return [made, run(tril, made, given)] as const;
        }) as [readonly [Graph, GraphValues], readonly [Graph, GraphValues]];
        const names = each.graph.nodes.filter(({ operation }) => operation === 'attention');
        for (const { name } of names) {
          for (const index of indicesOf(fused[1][name]!.shape)) {
            const [one, other] = [fused, small].map(([made, values]) =>
              sources(made, values, name, index, { deep: true }).map(nameOf).sort(),
            );
            expect(one, `${each.name}: ${name} ${index}`).toEqual(other);
          }
        }
      }
    });
  });
});

describe('why', () => {
  it('opens downwards', () => {
    withoutLeak(() => {
      const given = {
        X: tril.tensor([
          [1, 0],
          [0, 1],
        ]),
        ...{
          W_Q: tril.tensor([[1], [2]]),
          W_K: tril.tensor([[1], [-1]]),
          W_V: tril.tensor([[3], [4]]),
        },
      };
      const values = run(tril, attention, given);
      expect(whyText(why(attention, values, 'weights', [1, 0], { depth: 4 })).split('\n')).toEqual([
        'weights[1, 0] = e^2 / (e^2 + e^(-2)) = 0.982',
        '  scores[1, 0] = 2 / sqrt(1) = 2',
        '    matmul[1, 0] = 2 * 1 = 2',
        '      Q[1, 0] = 0 * 1 + 1 * 2 = 2',
        '      transpose[0, 0] = 1',
        '    sqrt = sqrt(1) = 1',
        '      D = 1',
        '  scores[1, 1] = (-2) / sqrt(1) = -2',
        '    matmul[1, 1] = 2 * (-1) = -2',
        '      transpose[0, 1] = -1',
      ]);
    });
  });

  it('has its numbers in pieces, and is said of numbers as of tensors', () => {
    withoutLeak(() => {
      const values = run(tril, attention, inputsOf(cases[0]!));
      const numbers = Object.fromEntries(
        Object.entries(values).map(([name, x]) => [name, { shape: x.shape, data: x.read() }]),
      );
      for (const node of ['Q', 'scores', 'weights', 'X']) {
        const reason = why(attention, numbers, node, [1, 0]);
        expect(reason).toEqual(why(attention, values, node, [1, 0]));
        expect(sources(attention, numbers, node, [1, 0])).toEqual(
          sources(attention, values, node, [1, 0]),
        );
        const cells = reason.parts.filter((part) => typeof part !== 'string');
        expect(cells).toEqual(reason.terms.flat());
      }
      const { parts } = why(attention, numbers, 'weights', [1, 0]);
      const e = ['e^', 'e^('];
      const signs = parts.filter((part) => typeof part === 'string');
      expect(e).toContain(signs[0]);
      expect(signs.at(-1)).toMatch(/^\)+$/u);
      expect(program(attention, numbers, 'NumPy')).toBe(program(attention, values, 'NumPy'));
      const short = { ...numbers, X: { shape: [4, 3], data: new Float32Array(11) } };
      const says = 'has 11 numbers of [4, 3]';
      const wrong = { call: 'why', argument: 'X', says };
      expectRefused(() => why(attention, short, 'Q', [0, 0]), wrong);
    });
  });

  it('leaves out the middle of long sums', () => {
    withoutLeak(() => {
      const made = graph({ a: [1, 9], b: [9, 1] }, ({ a, b }, c) => ({
        y: c.softmax(c.matmul(a, b)),
      }));
      const [a, b] = [tril.reshape(tril.arange(1, 10), [1, 9]), tril.add(tril.zeros([9, 1]), 1)];
      const values = run(tril, made, { a, b });
      expect(why(made, values, '_3', [0, 0], { most: 3 }).text).toBe(
        'matmul[0, 0] = 1 * 1 + 2 * 1 + ... + 9 * 1 = 45',
      );
    });
  });

  it('refuses what is not there', () => {
    withoutLeak(() => {
      const values = run(tril, attention, inputsOf(cases[0]!));
      const refuse = (body: () => unknown, call: string, argument: string, says: string) =>
        expectRefused(body, { call, argument, says });
      const must = 'must be a cell of scores, is [4, 0]; its shape is [4, 4]';
      refuse(() => why(attention, values, 'scores', [4, 0]), 'why', 'index', must);
      refuse(() => sources(attention, values, 'scores', [0]), 'sources', 'index', 'is [0]');
      refuse(() => why(attention, values, 'scores', 3 as never), 'why', 'index', 'is 3');
      refuse(() => sources(attention, values, 'scoores', [0]), 'sources', 'node', '"scores"');
      const without = { ...values, Q: undefined } as never;
      refuse(() => why(attention, without, '_9', [0, 0]), 'why', 'Q', 'must be a tensor');
      refuse(() => why(attention, {}, 'scores', [0, 0]), 'why', 'X', 'must be a tensor');
      for (const X of ['abc', 3, {}, { data: [1], shape: [1] }, { data: 'a' }, null]) {
        const other = { ...values, X } as never;
        refuse(() => why(attention, other, 'scores', [0, 0]), 'why', 'X', 'must be a tensor');
      }
      const wrong = { depth: 0 };
      refuse(() => why(attention, values, 'scores', [0, 0], wrong), 'why', 'depth', 'at least 1');
      const deep = { deep: 1 } as never;
      refuse(() => sources(attention, values, 'Q', [0, 0], deep), 'sources', 'deep', 'true or');
    });
  });
});
