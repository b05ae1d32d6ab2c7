// Reads reasons back: evaluates their sentences as JavaScript, and compares their cells with `sources`.
import {
  sources,
  why,
  type Cell,
  type Graph,
  type GraphValues,
  type Reason,
  type ReasonCell,
} from 'tril/graph';
import { expect } from 'vitest';
import { scaleOf } from './graph-cases.js';
import { erf } from './graph-reference.js';

/** The result of a reason's sentence, evaluated as JavaScript. */
export function valueOf(text: string): number {
  const [, sentence = ''] = text.split(' = ');
  const expression = sentence
    .replaceAll(/\be\^\((-[^()]+)\)/gu, 'exp($1)')
    .replaceAll(/\be\^([\d.]+(?:e[+-]?\d+)?)/gu, 'exp($1)')
    .replaceAll('e^', 'E **')
    .replaceAll(/\binf\b/gu, 'Infinity');
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const mean = (...values: readonly number[]) => sum(values) / values.length;
  const square = (...values: readonly number[]) => mean(...values.map((each) => each * each));
  const functions = {
    ...{ exp: Math.exp, log: Math.log, sqrt: Math.sqrt, tanh: Math.tanh, max: Math.max },
    ...{
      min: Math.min,
      argmax: (...values: readonly number[]) => values.indexOf(Math.max(...values)),
    },
    ...{ E: Math.E, erf, mean, mean_square: square },
    variance: (...values: readonly number[]) =>
      square(...values.map((each) => each - mean(...values))),
  };
  // eslint-disable-next-line no-new-func -- sentences of the package under test, with numbers of the test's own
  const read = new Function(...Object.keys(functions), `return ${expression || '0'}`);
  return Number(read(...Object.values(functions)));
}

export const nameOf = ({ node, index }: Cell) => `${node} ${index.join()}`;
const cellsOf = (reason: Reason) => [...new Set(reason.terms.flat().map(nameOf))].sort();

/** Expects a reason to add up to its value, and its cells to be its sources, except for masked ones. */
export function expectReason(
  graph: Graph,
  values: GraphValues,
  name: string,
  index: readonly number[],
): void {
  const reason = why(graph, values, name, index, { digits: 17, most: 1000 });
  const scale = scaleOf(reason.terms.flat().map(({ value }) => value));
  if (Number.isFinite(reason.value)) {
    const difference = Math.abs(valueOf(reason.text) - reason.value);
    expect(difference, reason.text).toBeLessThan(1e-5 * scale ** 2);
  }
  const found = sources(graph, values, name, index).map(nameOf);
  const cells = cellsOf(reason);
  expect(cells).toEqual(expect.arrayContaining(found));
  // Cells left out are hidden: a score of -inf, a product with 0, or a value made only of these.
  const left = reason.terms.filter((term) => !term.every((cell) => found.includes(nameOf(cell))));
  const isHidden = ({ value }: ReasonCell) => value === 0 || value === -Infinity;
  if (found.length === 0 && cells.length > 0) expect([0, -Infinity]).toContain(reason.value);
  else
    expect(
      left.every((term) => term.some(isHidden)),
      reason.text,
    ).toBe(true);
}
