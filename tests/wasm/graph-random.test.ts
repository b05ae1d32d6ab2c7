// Properties of all graphs, on random ones: sizes of 0 and 1, broadcasting, values that are read many times.
import { cost, edit, formula, gradients, graph, program, programLanguages } from 'tril/graph';
import { run, shapes, sources, why, type Calls, type Graph, type Value } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { numbersOf, scaleOf } from './graph-cases.js';
import { canRun, runPrograms } from './graph-programs.js';
import { compute, indicesOf } from './graph-reference.js';
import { tril, withoutLeak } from './helpers.js';

/** Whole numbers below `n`, the same for the same seed. */
function dice(seed: number): (n: number) => number {
  let state = seed * 2654435761 + 1;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const sizes = ['T', 'S', 'D'] as const;

/** A graph of matrices of up to three named sizes, each step of any values before it whose shapes fit. */
function randomGraph(seed: number): Graph {
  const roll = dice(seed);
  const inputs = {
    ...{ x: ['T', 'D'], y: ['S', 'D'], row: ['D'], column: ['T', 1], stack: [2, 'T', 'S'] },
  };
  return graph(inputs, (given, c) => {
    const pool: Value[] = Object.values(given);
    const pick = () => pool[roll(pool.length)]!;
    const steps: ((c: Calls) => Value)[] = [
      (c) => c.add(pick(), pick()),
      (c) => c.subtract(pick(), pick()),
      (c) => c.multiply(pick(), c.divide(pick(), 2)),
      (c) => c.matmul(pick(), pick()),
      (c) => c.matmul(pick(), c.transpose(pick())),
      (c) => c.linear(pick(), pick()),
      (c) => c.softmax(pick(), { axis: -1 - roll(2) }),
      (c) => c.logSoftmax(pick()),
      (c) => c.transpose(pick()),
      (c) => c.tanh(pick()),
      (c) => c.gelu(c.divide(pick(), 'T + 1')),
      (c) => c.sum(pick(), { axis: roll(2), keepDims: roll(2) === 0 }),
      (c) => c.concatenate([pick(), pick()], { axis: roll(2) }),
      (c) => c.layerNorm(pick()),
      (c) => c.mask(pick()),
      (c) => {
        const hidden = roll(3);
        const window = { left: roll(3), right: roll(2) };
        return c.mask(pick(), hidden > 0 ? { window, hidden: -hidden } : { window });
      },
      (c) => c.negate(pick()),
      (c) => {
        const [key, mask] = [pick(), roll(2) === 0 ? pick() : undefined];
        const scale = roll(2) === 0 ? {} : { scale: roll(5) / 4 };
        const kind = roll(2) === 0 ? 'additive' : 'boolean';
        return c.attention(pick(), key, pick(), mask, { ...scale, kind, causal: roll(2) === 0 });
      },
    ];
    const named: Record<string, Value> = {};
    for (let tries = 0; tries < 400 && pool.length < 14; ++tries) {
      try {
        const made = steps[roll(steps.length)]!(c);
        pool.push(made);
        if (roll(3) > 0) named[`v${pool.length}`] = made;
      } catch {
        // Shapes did not fit.
      }
    }
    const last = pool.at(-1)!;
    const others = Object.entries(named).filter(([, value]) => value !== last);
    return { ...Object.fromEntries(others), last };
  });
}

const seeds = [...Array(40).keys()].map((i) => i + 1);

function inputsOf(made: Graph, seed: number) {
  const roll = dice(seed + 1000);
  const numbers: Record<string, number> = {};
  // 0 and 1 in a half of all cases; fused attention of nothing is refused.
  const least = made.nodes.some(({ operation }) => operation === 'attention') ? 1 : 0;
  for (const size of sizes) numbers[size] = [least, 1, 1, 2, 3, 4][roll(6)]!;
  const inSizes = shapes(made, numbers);
  const names = made.nodes.filter(({ operation }) => operation === 'input');
  const given = names.map(({ name }, i) => {
    return [name, tril.randomNormal(inSizes[name]!, { seed: seed * 10 + i })] as const;
  });
  return { numbers, inSizes, given: Object.fromEntries(given) };
}

const isClose = (found: number, expected: number, scale: number) =>
  Object.is(found, expected) || found === expected || Math.abs(found - expected) < 2e-5 * scale;

describe('any graph', () => {
  it.each(seeds)('is computed as in doubles, and its shapes are known before: %i', (seed) => {
    withoutLeak(() => {
      const made = randomGraph(seed);
      const { given, inSizes } = inputsOf(made, seed);
      const values = run(tril, made, given);
      const expected = compute(made, numbersOf(given));
      for (const [name, { shape, data }] of Object.entries(expected)) {
        expect(values[name]!.shape, name).toEqual(shape);
        expect(inSizes[name], name).toEqual(shape);
        const [found, scale] = [values[name]!.read(), scaleOf(data)];
        for (const [i, value] of data.entries()) {
          if (Number.isNaN(value) || Number.isNaN(found[i])) continue; // inf - inf, by the order of sums
          expect(isClose(found[i]!, value, scale), `${name}: ${found[i]} ${value}`).toBe(true);
        }
      }
    });
  });

  it.each(seeds)('says why, of the cells that are its sources: %i', (seed) => {
    withoutLeak(() => {
      const made = randomGraph(seed);
      const values = run(tril, made, inputsOf(made, seed).given);
      for (const { name } of made.nodes) {
        const index = indicesOf(values[name]!.shape).at(-1);
        if (!index) continue;
        const { text, value, terms } = why(made, values, name, index);
        expect(value).toBe(values[name]!.read().at(-1));
        expect(text.length).toBeGreaterThan(0);
        // Without what a mask hides.
        const isOpen = (term: (typeof terms)[number]) =>
          !term.some((cell) => cell.value === 0 || cell.value === -Infinity);
        const cells = terms.flat().map((cell) => `${cell.node} ${cell.index}`);
        const open = terms
          .filter(isOpen)
          .flat()
          .map((cell) => `${cell.node} ${cell.index}`);
        const found = sources(made, values, name, index).map(
          (cell) => `${cell.node} ${cell.index}`,
        );
        expect(cells).toEqual(expect.arrayContaining(found));
        if (value !== 0 && value !== -Infinity) expect(found).toEqual(expect.arrayContaining(open));
      }
    });
  });

  it.each(seeds)('has the slope of doubles along a random direction: %i', (seed) => {
    withoutLeak(() => {
      const made = randomGraph(seed);
      const { given } = inputsOf(made, seed);
      const plain = numbersOf(given);
      const expected = compute(made, plain)['last']!.data;
      if (!expected.every(Number.isFinite)) return;
      const names = Object.keys(given);
      const found = gradients(tril, made, run(tril, made, given), 'last', names);
      const directions = names.map((name, i) => {
        return tril.randomNormal(given[name]!.shape, { seed: 7 * seed + i });
      });
      const along = (step: number) => {
        const moved = names.map((name, i) => {
          const way = directions[i]!.read();
          const data = plain[name]!.data.map((value, k) => value + step * way[k]!);
          return [name, { ...plain[name]!, data }] as const;
        });
        const { data } = compute(made, Object.fromEntries(moved))['last']!;
        return data.reduce((sum, value) => sum + value, 0);
      };
      const slope = (along(1e-5) - along(-1e-5)) / 2e-5;
      let [sum, scale] = [0, 1];
      names.forEach((name, i) => {
        const way = directions[i]!.read();
        found[name]!.read().forEach((value, k) => {
          sum += value * way[k]!;
          scale += Math.abs(value * way[k]!);
        });
      });
      if (Number.isFinite(slope)) expect(Math.abs(sum - slope)).toBeLessThan(1e-3 * scale);
    });
  });

  it('is the same from JSON, costs nothing below 0, and has a formula', () => {
    for (const seed of seeds) {
      const made = randomGraph(seed);
      const again = JSON.parse(JSON.stringify(made)) as Graph;
      expect(shapes(again)).toEqual(shapes(made));
      expect(edit(made, [])).toEqual(edit(again, []));
      expect(formula(again)).toBe(formula(made));
      const { flops, bytes } = cost(made, { T: 2, S: 3, D: 4 });
      expect(Math.min(flops, bytes)).toBeGreaterThanOrEqual(0);
      expect(Number.isInteger(flops)).toBe(true);
    }
  });

  it.each(programLanguages)('runs as a program of %s', { timeout: 240_000 }, async (language) => {
    if (!canRun(language)) return;
    const made = seeds.slice(0, 12).flatMap((seed) =>
      tril.scope(() => {
        const one = randomGraph(seed);
        const given = inputsOf(one, seed);
        if (Object.values(given.numbers).includes(0)) return []; // NumPy has no maximum of nothing
        const values = run(tril, one, given.given);
        const finite = one.nodes.filter(({ name }) => values[name]!.read().every(Number.isFinite));
        const show = finite.map(({ name }) => name).filter((name) => !name.startsWith('_'));
        const scale = Math.max(...show.map((name) => scaleOf([...values[name]!.read()])));
        return [{ seed, scale, code: program(one, values, language, { show }) }];
      }),
    );
    const printed = await runPrograms(
      language,
      made.map(({ code }) => code),
    );
    for (const [i, { seed, scale, code }] of made.entries()) {
      const found = /largest difference: (\S+)/u.exec(printed[i]!);
      expect(found, `${seed}\n${printed[i]}\n${code}`).not.toBeNull();
      expect(Number(found![1]), `${seed}`).toBeLessThan(2e-5 * scale);
    }
  });
});
