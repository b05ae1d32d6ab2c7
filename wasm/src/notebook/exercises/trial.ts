// One case of an exercise, with the right values and those of a program.
import type { Graph, NodeNumbers } from '../../graph/index.js';
import type { Tensor } from '../../tensor.js';
import type { ProgramRun } from '../program-run.js';
import { read } from './compare.js';
import type { ExerciseCase } from './exercise.js';

export interface Trial {
  readonly of: ExerciseCase;
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly graph: Graph;
  readonly right: Readonly<Record<string, NodeNumbers>>;
  /** The right results, in order. */
  readonly wanted: readonly NodeNumbers[];
  readonly made: ProgramRun;
  /** The nodes that the program returned, and their values. */
  readonly nodes: readonly string[];
  readonly found: readonly NodeNumbers[];
}

/**
 * The nodes of the value that an exercise's function returned: an array, or a list or tuple of several; null for other values.
 *
 * @example
 * ```ts
 * import { resultNodes, runExercise } from 'tril/notebook';
 *
 * resultNodes(runExercise(tril, 'softmax', 'def softmax(z):\n    y = z * 2\n    return y')); // ['y']
 * resultNodes(runExercise(tril, 'softmax', 'def softmax(z):\n    return 3')); // null
 * ```
 */
export function resultNodes({ values }: ProgramRun): readonly string[] | null {
  const result = values._result;
  const all = result?.items ?? (result ? [result] : []);
  const isOne = result?.items?.length === 1;
  const nodes = all.flatMap(({ node }) => node ?? []);
  return nodes.length > 0 && nodes.length === all.length && !isOne ? nodes : null;
}

/** A value computed by a program. */
export interface Computed {
  readonly node: string;
  readonly line: number;
  readonly value: NodeNumbers;
}

/** Maximum number of compared values of one program. */
const most = 4000;

/** The values computed by the program, in order, each with its line. */
export function computedOf({ made }: Trial): readonly Computed[] {
  const lineOf = new Map(made.lines.flatMap(({ line, nodes }) => nodes.map((n) => [n, line])));
  return made.graph.nodes
    .filter(({ name }) => (lineOf.get(name) ?? 0) > 0)
    .slice(0, most)
    .map(({ name }) => ({ node: name, line: lineOf.get(name)!, value: read(made.tensors[name]!) }));
}
