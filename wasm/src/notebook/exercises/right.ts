// The right values of a case: of every node of an exercise's graph, or of all that its right program computes.
import { TrilError } from '../../error.js';
import { run, type Graph, type NodeNumbers } from '../../graph/index.js';
import type { Tril } from '../../load.js';
import type { Tensor } from '../../tensor.js';
import type { ProgramLimits } from '../arrays/record.js';
import { read } from './compare.js';
import type { AnyExercise, ExerciseCase, WrittenExercise } from './exercise.js';
import { runCase } from './run.js';
import { resultNodes } from './trial.js';

type Tensors = Readonly<Record<string, Tensor>>;

const asNumbers = (tensors: Tensors): Record<string, NodeNumbers> =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, read(tensor)]));

export const valuesOf = (tril: Tril, graph: Graph, inputs: Tensors): Record<string, NodeNumbers> =>
  asNumbers(run(tril, graph, inputs));

/** The right values of a case. */
export interface Right {
  readonly graph: Graph;
  readonly right: Readonly<Record<string, NodeNumbers>>;
  /** The results, in order. */
  readonly wanted: readonly NodeNumbers[];
}

/** The inputs and limits of the right program. */
interface Given {
  readonly inputs: Tensors;
  readonly limits?: ProgramLimits | undefined;
}

/** @throws TrilError where the right program stops, or returns no arrays */
function ofProgram(
  call: string,
  tril: Tril,
  exercise: WrittenExercise,
  of: ExerciseCase,
  { inputs, limits }: Given,
): Right {
  const made = runCase(tril, exercise, exercise.program, { inputs, of, limits });
  const refuse = (problem: string) =>
    new TrilError(call, 'exercise', `its right program ${problem} (${of.name})`);
  const { error, graph, tensors } = made;
  if (error) {
    const { line, kind, message } = error;
    if (kind === 'NameError' && line > exercise.program.split('\n').length)
      throw refuse(`has no function ${exercise.name}`);
    throw refuse(`stops: line ${line}: ${kind}: ${message}`);
  }
  const nodes = resultNodes(made);
  if (!nodes) throw refuse('returns no array, nor several');
  const right = asNumbers(tensors);
  return { graph, right, wanted: nodes.map((node) => right[node]!) };
}

export function rightOf(
  call: string,
  tril: Tril,
  exercise: AnyExercise,
  of: ExerciseCase,
  given: Given,
): Right {
  if ('program' in exercise) return tril.scope(() => ofProgram(call, tril, exercise, of, given));
  const graph = exercise.graph(of);
  const right = tril.scope(() => valuesOf(tril, graph, given.inputs));
  return { graph, right, wanted: exercise.results.map((name) => right[name]!) };
}
