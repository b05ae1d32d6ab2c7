// Gradients of any value by any other, against central differences in doubles.
import { gradients, graph, run, type GraphValues } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { attention, cases, inputsOf, numbersOf, scaleOf, type Case } from './graph-cases.js';
import { compute, type Numbers } from './graph-reference.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const step = 1e-5;

/** The derivative of the sum of `weights` times `of`, by each number of `by`. */
function differences(each: Case, given: GraphValues, of: string, by: string, weights: Numbers) {
  const plain = numbersOf(given);
  const base = compute(each.graph, plain)[by]!;
  const lossAt = (i: number, change: number) => {
    const data = base.data.map((value, k) => (k === i ? value + change : value));
    const values = compute(each.graph, plain, { [by]: { shape: base.shape, data } });
    return values[of]!.data.reduce((sum, value, k) => sum + value * weights.data[k]!, 0);
  };
  return base.data.map((_, i) => (lossAt(i, step) - lossAt(i, -step)) / (2 * step));
}

describe('gradients', () => {
  it.each(cases.map((each) => [each.name, each] as const))('of %s are slopes', (_, each) => {
    withoutLeak(() => {
      const given = inputsOf(each);
      const values = run(tril, each.graph, given);
      const numbers = each.graph.nodes.filter(({ operation }) => operation === 'number');
      const without = new Set([...Object.keys(each.below ?? {}), ...numbers.map((n) => n.name)]);
      const names = each.graph.nodes.map(({ name }) => name).filter((name) => !without.has(name));
      for (const [seed, of] of names.entries()) {
        if (values[of]!.read().some((value) => !Number.isFinite(value))) continue;
        const dOutput = tril.randomNormal(values[of]!.shape, { seed });
        const found = gradients(tril, each.graph, values, of, names, { dOutput });
        expect(Object.keys(found).sort()).toEqual([...names].sort());
        const [weights] = Object.values(numbersOf({ dOutput }));
        for (const by of names) {
          const expected = differences(each, given, of, by, weights!);
          const actual = found[by]!.read();
          expect(found[by]!.shape).toEqual(values[by]!.shape);
          const scale = scaleOf(expected);
          for (const [i, slope] of expected.entries()) {
            expect(Math.abs(actual[i]! - slope), `${of} by ${by} ${i}`).toBeLessThan(1e-4 * scale);
          }
        }
      }
    });
  });

  it('are of the sum where nothing flows in, and 0 where nothing depends', () => {
    withoutLeak(() => {
      const made = graph({ x: [2], y: [2] }, ({ x }, { multiply }) => ({ z: multiply(x, 3) }));
      const values = run(tril, made, { x: tril.tensor([1, 2]), y: tril.tensor([1, 2]) });
      const { x, y, z } = gradients(tril, made, values, 'z', ['x', 'y', 'z']);
      expect([x, y, z].map((each) => each!.toArray())).toEqual([
        [3, 3],
        [0, 0],
        [1, 1],
      ]);
    });
  });

  it('need the inputs alone', () => {
    withoutLeak(() => {
      const given = inputsOf(cases[0]!);
      const values = run(tril, attention, given);
      const [all, again] = [values, given].map((each) => {
        return gradients(tril, attention, each, 'output', ['X'])['X']!;
      });
      expect(again!.toArray()).toEqual(all!.toArray());
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const values = run(tril, attention, inputsOf(cases[0]!));
      const refuse = (body: () => unknown, argument: string, says: string) =>
        expectRefused(body, { call: 'gradients', argument, says });
      const of = (name: string, by: unknown, options = {}) =>
        gradients(tril, attention, values, name, by as string[], options);
      refuse(() => of('outputs', ['X']), 'of', 'mean "output"');
      refuse(() => of('output', ['x']), 'by', 'mean "X"');
      refuse(() => of('output', 'X'), 'by', 'must be an array');
      const dOutput = tril.zeros([2, 2]);
      refuse(
        () => of('output', ['X'], { dOutput }),
        'dOutput',
        'must be a tensor [4, 2], is [2, 2]',
      );
      refuse(() => of('output', ['X'], { seed: 1 }), 'seed', 'unknown option');
      refuse(() => gradients(tril, attention, {}, 'output', ['X']), 'X', 'must be a tensor');
      refuse(() => gradients(1 as never, attention, {}, 'output', ['X']), 'tril', 'loadTril');
    });
  });
});
