import { TrilError } from '../error.js';
import { checkKeys, checkName, describe } from '../names.js';
import { cppProgram } from './program-cpp.js';
import { pythonProgram } from './program-python.js';
import { unfoldAll } from './unfold.js';
import type { Source } from './program-source.js';
import { bind, find, isHidden, isInput, numbersOf, planOf, sized } from './plan.js';
import type { Graph, GraphNumbers, Step } from './plan.js';

/** The languages of programs. */
export const programLanguages = ['NumPy', 'PyTorch', 'C++'] as const;
/** One of `programLanguages`. */
export type ProgramLanguage = (typeof programLanguages)[number];

/** The options of `program`. */
export interface ProgramOptions {
  /** The values that the program computes and compares with the given values (default: the last value with a name). */
  readonly show?: readonly string[];
}

/**
 * Writes a complete program that computes values of a graph, with the numbers of its inputs, for NumPy, PyTorch or
 * Tril's own C++. The program prints the largest difference from `values`, the result of `run`:
 * `largest difference: 1.2e-07`.
 *
 * @throws TrilError for an unknown language or node, and for missing values
 *
 * @example
 * ```ts
 * import { graph, program, run } from 'tril/graph';
 *
 * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
 * const values = run(tril, gram, { X: tril.tensor([[1, 2], [3, 4]]) });
 * program(gram, values, 'NumPy').includes('\nG = X @ X.T\n'); // true
 * program(gram, values, 'C++').includes('batched_matmul(X.view(), _2.view(), {}, G.view());'); // true
 * program(gram, values, 'R' as 'C++'); // throws TrilError: program: language: unknown language "R"
 * ```
 */
export function program(
  graph: Graph,
  values: GraphNumbers,
  language: ProgramLanguage,
  options: ProgramOptions = {},
): string {
  const call = 'program';
  checkName(call, 'language', 'language', language, programLanguages);
  checkKeys(call, 'options', 'option', options, ['show']);
  const plan = planOf(call, unfoldAll(call, graph));
  const sizes = bind(call, plan, values);
  const steps = [...plan.values()];
  const named = steps.filter((step) => !isInput(step) && !isHidden(step));
  const last = (named.length > 0 ? named : steps).slice(-1).map(({ node }) => node.name);
  const show: unknown = options.show ?? last;
  if (!Array.isArray(show)) {
    throw new TrilError(call, 'show', `must be an array of names, is ${describe(show)}`);
  }
  const shown = show.map((name: string) => find(call, 'show', plan, name));
  const needed = new Set<Step>(shown);
  // This set grows during its iteration.
  for (const step of needed) for (const each of step.inputs) needed.add(each);
  const source: Source = {
    ...{ sizes, shown, steps: steps.filter((step) => needed.has(step)) },
    sized: (step) => sized(call, step, sizes),
    numbers: ({ node }) => numbersOf(call, values, node.name).data,
  };
  for (const step of shown) source.numbers(step);
  return language === 'C++' ? cppProgram(source) : pythonProgram(source, language);
}
