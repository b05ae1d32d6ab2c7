// One case of an exercise, with what is right and what a program made of it.
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

/** The nodes of the arrays that the function returned; null where it returned something else. */
export function resultNodes({ values }: ProgramRun, count: number): readonly string[] | null {
  const result = values._result;
  const all = count === 1 ? [result] : (result?.items ?? []);
  const nodes = all.flatMap((each) => each?.node ?? []);
  return nodes.length === count ? nodes : null;
}

/** A value that a program has computed. */
export interface Computed {
  readonly node: string;
  readonly line: number;
  readonly value: NodeNumbers;
}

/** More values of one program are not compared. */
const most = 4000;

/** The values that the program has computed, in order, each with its line. */
export function computedOf({ made }: Trial): readonly Computed[] {
  const lineOf = new Map(made.lines.flatMap(({ line, nodes }) => nodes.map((n) => [n, line])));
  return made.graph.nodes
    .filter(({ name }) => (lineOf.get(name) ?? 0) > 0)
    .slice(0, most)
    .map(({ name }) => ({ node: name, line: lineOf.get(name)!, value: read(made.tensors[name]!) }));
}
