// Properties of all graphs, tested on random graphs of every operation.
import { cost, edit, formula, gradients, program, programLanguages } from 'tril/graph';
import { run, shapes, unfold, type Graph, type Node } from 'tril/graph';
import { describe, expect, it } from 'vitest';
import { numbersOf, operations, scaleOf } from './graph-cases.js';
import { canRun, runPrograms } from './graph-programs.js';
import { randomGraph, seeds, tensorsOf, wholes, type Data } from './graph-random.js';
import { compute, indicesOf } from './graph-reference.js';
import { expectReason } from './graph-sentences.js';
import { tril, withoutLeak } from './helpers.js';

const namesIn = ({ nodes }: Graph) => nodes.map(({ operation }) => operation);

/**
 * The choices that depend on a graph's numbers: where they differ between two points, there is no slope between these.
 */
function choicesOf({ nodes }: Graph, values: Data): string {
  const chosen = nodes.map(({ name, operation, inputs }) => {
    const decides = { where: inputs[0], mask: inputs[1], attention: inputs[3] }[operation];
    if (decides) return values[decides]!.data.map((value) => value === 0);
    return /qual|less|greater|argmax/u.test(operation) ? values[name]!.data : [];
  });
  return JSON.stringify(chosen);
}

/** Whether the operation needs an array as its only input: a NumPy number is not one. */
const isFunction = ({ inputs }: Node) => inputs.length === 1;
const readsNumber = ({ nodes }: Graph, { inputs }: Node) =>
  nodes.some(({ name, operation }) => operation === 'number' && inputs.includes(name));

describe('any graph', () => {
  it('is of all operations', () => {
    const met = new Set(seeds.flatMap((seed) => namesIn(randomGraph(seed).graph)));
    expect([...met].sort()).toEqual([...operations, 'input'].sort());
  });

  it.each(seeds)('is computed as in doubles, and its shapes are known before: %i', (seed) => {
    withoutLeak(() => {
      const { graph, sizes, given } = randomGraph(seed);
      const inSizes = shapes(graph, sizes);
      const values = numbersOf(run(tril, graph, tensorsOf(given)));
      for (const { name, inputs } of graph.nodes) {
        // Each value from the package's own inputs of it, so that choices depend on the same numbers.
        const { [name]: found, ...others } = values;
        const { shape, data } = compute(graph, given, others, sizes)[name]!;
        expect(found!.shape, name).toEqual(shape);
        expect(inSizes[name], name).toEqual(shape);
        const scale = scaleOf([...data, ...inputs.flatMap((input) => values[input]!.data)]);
        for (const [i, value] of data.entries()) {
          const other = found!.data[i]!;
          const isClose = other === value || Math.abs(other - value) < 1e-5 * scale;
          expect(isClose, `${name}: ${other} ${value}`).toBe(true);
        }
      }
    });
  });

  it.each(seeds)('says why, of the cells that are its sources: %i', (seed) => {
    withoutLeak(() => {
      const { graph, given } = randomGraph(seed);
      const values = run(tril, graph, tensorsOf(given));
      for (const { name, operation } of graph.nodes) {
        if (operation === 'input' || operation === 'number') continue;
        const cells = indicesOf(values[name]!.shape);
        const some = [...new Set([0, cells.length >> 1, cells.length - 1])];
        for (const cell of some) if (cells[cell]) expectReason(graph, values, name, cells[cell]);
      }
    });
  });

  it('has the slope of doubles along a random direction, through every operation', () => {
    const through = new Set<string>();
    for (const seed of seeds) {
      withoutLeak(() => {
        const { graph, sizes, given, values, lead } = randomGraph(seed);
        const names = Object.keys(given).filter((name) => !wholes[name]);
        const tensors = run(tril, graph, tensorsOf(given));
        const directions = Object.fromEntries(
          names.map((name, i) => [
            name,
            tril.randomNormal(given[name]!.shape, { seed: 99 * seed + i }).read(),
          ]),
        );
        const at = (step: number) => {
          const moved = names.map((name) => {
            const data = given[name]!.data.map((value, k) => value + step * directions[name]![k]!);
            return [name, { ...given[name]!, data }] as const;
          });
          return compute(graph, { ...given, ...Object.fromEntries(moved) }, {}, sizes);
        };
        const [before, after] = [at(-1e-5), at(1e-5)];
        const choices = [before, after, values, numbersOf(tensors)].map((each) =>
          choicesOf(graph, each),
        );
        if (new Set(choices).size > 1) return;
        for (const { name: of, operation } of graph.nodes) {
          if (of !== lead && through.has(operation)) continue;
          const { shape, data } = values[of]!;
          if (data.length === 0) continue;
          const weights = tril.randomNormal(shape, { seed }).read();
          data.forEach((value, i) => (weights[i]! *= Number.isFinite(value) ? 1 : 0));
          const sum = (all: Data) =>
            weights.reduce((total, weight, i) => total + (weight && weight * all[of]!.data[i]!), 0);
          const slope = (sum(after) - sum(before)) / 2e-5;
          const dOutput = tril.tensor([...shape], weights);
          const found = gradients(tril, graph, tensors, of, names, { dOutput });
          let [along, scale] = [0, 1];
          for (const name of names) {
            found[name]!.read().forEach((value, k) => {
              along += value * directions[name]![k]!;
              scale += Math.abs(value * directions[name]![k]!);
            });
          }
          expect(Math.abs(along - slope), `${seed} ${of}`).toBeLessThan(1e-3 * scale);
          through.add(operation);
        }
      });
    }
    expect([...through].sort()).toEqual([...operations, 'input'].sort());
  });

  it('is the same where what is fused is unfolded', () => {
    let count = 0;
    for (const seed of seeds) {
      withoutLeak(() => {
        const { graph, given } = randomGraph(seed);
        const opened = unfold(graph);
        if (opened.nodes.length === graph.nodes.length) return;
        count += 1;
        const [fused, small] = [graph, opened].map((each) => run(tril, each, tensorsOf(given)));
        for (const { name } of graph.nodes) {
          const { data } = numbersOf({ x: fused![name]! })['x']!;
          for (const [i, value] of small![name]!.read().entries()) {
            const isClose = value === data[i] || Math.abs(value - data[i]!) < 1e-4 * scaleOf(data);
            expect(isClose, `${seed} ${name}: ${value} ${data[i]}`).toBe(true);
          }
        }
      });
    }
    expect(count).toBeGreaterThan(4);
  });

  it('is the same from JSON, costs nothing below 0, and has a formula', () => {
    for (const seed of seeds) {
      const { graph, sizes } = randomGraph(seed);
      const again = JSON.parse(JSON.stringify(graph)) as Graph;
      expect(shapes(again)).toEqual(shapes(graph));
      expect(edit(graph, [])).toEqual(edit(again, []));
      expect(formula(again)).toBe(formula(graph));
      const { flops, bytes } = cost(graph, sizes);
      expect(Math.min(flops, bytes)).toBeGreaterThanOrEqual(0);
      expect(Number.isInteger(flops)).toBe(true);
    }
  });

  it.each(programLanguages)('runs as a program of %s', { timeout: 240_000 }, async (language) => {
    if (!canRun(language)) return;
    const some = language === 'C++' ? seeds.slice(0, 16) : seeds; // which takes long to compile
    const made = some.flatMap((seed) =>
      tril.scope(() => {
        const { graph: one, sizes, given } = randomGraph(seed);
        if (Object.values(sizes).includes(0)) return []; // NumPy has no maximum of an empty array
        if (one.nodes.some((node) => isFunction(node) && readsNumber(one, node))) return [];
        const values = run(tril, one, tensorsOf(given));
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
