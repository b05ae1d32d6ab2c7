// The parts of an exercise: a function to write, the right computation as a graph, and the usual mistakes as edits of it.
import type { Graph, GraphEdit } from '../../graph/index.js';
import type { Tril } from '../../load.js';
import type { Tensor } from '../../tensor.js';

/** Numbers of an input in one case. */
export interface ExerciseInput {
  readonly shape: readonly number[];
  /** The standard deviation of its normal numbers (default 1). */
  readonly scale?: number;
  /** Whether the numbers are a causal mask instead: 0 on the diagonal and below, -inf above. */
  readonly causal?: boolean;
  /** Number of ones in each row of a mask of ones and zeros instead. */
  readonly ones?: readonly number[];
}

/** A case on which the function is tested. */
export interface ExerciseCase {
  /** Its special feature: `5 tokens`, `large scores`. */
  readonly name: string;
  readonly inputs: Readonly<Record<string, ExerciseInput>>;
  /** Plain numbers among the arguments. */
  readonly numbers?: Readonly<Record<string, number>>;
}

/** A common mistake. */
export interface Mistake {
  /** Its permanent name: `no-scale`. */
  readonly id: string;
  /** The mistake in words, as a sentence without its full stop. */
  readonly says: string;
  /** The edits that turn the right graph into that of the mistake. */
  readonly edits: (of: ExerciseCase) => readonly GraphEdit[];
}

/** A function to write, and its tests. */
export interface Exercise {
  /** Its permanent name: `causal`. */
  readonly id: string;
  readonly title: string;
  /** The task of the function. */
  readonly task: string;
  /** The code to begin with. */
  readonly skeleton: string;
  /** Three hints, each more revealing than the one before. */
  readonly hints: readonly [string, string, string];
  /** The name of the function. */
  readonly name: string;
  /** Its arguments in order: inputs and numbers of each case. */
  readonly parameters: readonly string[];
  /** The nodes that it returns: one, or several as a tuple. */
  readonly results: readonly string[];
  readonly cases: readonly ExerciseCase[];
  /** The case with 1024 tokens, on which time and memory are measured. */
  readonly large?: ExerciseCase;
  /** The result of `tril.attention` on these inputs, to compare time and memory. */
  readonly beside?: (tril: Tril, inputs: Readonly<Record<string, Tensor>>) => unknown;
  /** The right computation, with every step as a node of its own. */
  readonly graph: (of: ExerciseCase) => Graph;
  readonly mistakes: readonly Mistake[];
}

/** An exercise written as a program, as a teacher does: the values of its right program are right. */
export interface WrittenExercise extends Pick<
  Exercise,
  'id' | 'title' | 'task' | 'skeleton' | 'name' | 'parameters' | 'cases'
> {
  /** Up to three hints, each more revealing than the one before. */
  readonly hints: readonly string[];
  /** The right program, which contains the function. */
  readonly program: string;
}

/** An exercise of the package, whose right answer is a graph, or a teacher's, whose right answer is a program. */
export type AnyExercise = Exercise | WrittenExercise;

/** The shapes of a case's inputs, as a graph declares them. */
export const shapesOf = (of: ExerciseCase): Record<string, readonly number[]> =>
  Object.fromEntries(Object.entries(of.inputs).map(([name, { shape }]) => [name, shape]));

/** A case whose inputs are normal numbers. */
export const normal = (
  name: string,
  shapes: Readonly<Record<string, readonly number[]>>,
): ExerciseCase => ({
  name,
  inputs: Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, { shape }])),
});

/** The same case with some inputs, by default all, of another size. */
export const scaled = (
  name: string,
  of: ExerciseCase,
  scale: number,
  names: readonly string[] = Object.keys(of.inputs),
): ExerciseCase => ({
  ...of,
  name,
  inputs: {
    ...of.inputs,
    ...Object.fromEntries(names.map((key) => [key, { ...of.inputs[key]!, scale }])),
  },
});

/** An edit that adds a node. */
export const make = (
  name: string,
  operation: string,
  inputs: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): GraphEdit => ({ add: { name, operation, inputs, options } });

/** Options of an operation along an axis that keeps the axis. */
export const along = (axis: number) => ({ axis, keepDims: true });

/** Plain softmax, the beginning of several exercises. */
export const softmaxCode = `import numpy as np

def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
`;
