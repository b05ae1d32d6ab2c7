// What an exercise consists of: a function to be written, the right computation as a graph, and the usual mistakes as edits of it.
import type { Graph, GraphEdit } from '../../graph/index.js';
import type { Tril } from '../../load.js';
import type { Tensor } from '../../tensor.js';

/** Numbers that the function is given in one case. */
export interface ExerciseInput {
  readonly shape: readonly number[];
  /** The standard deviation of its normal numbers (default 1). */
  readonly scale?: number;
  /** In their place: 0 on the diagonal and below, -inf above. */
  readonly causal?: boolean;
  /** In their place: in each row so many ones, and noughts behind them. */
  readonly ones?: readonly number[];
}

/** One case in which the function is tried. */
export interface ExerciseCase {
  /** What is special about it: `5 tokens`, `large scores`. */
  readonly name: string;
  readonly inputs: Readonly<Record<string, ExerciseInput>>;
  /** Plain numbers among the arguments. */
  readonly numbers?: Readonly<Record<string, number>>;
}

/** A mistake that is often made. */
export interface Mistake {
  /** A name that stays: `no-scale`. */
  readonly id: string;
  /** What is wrong, as a sentence without its full stop. */
  readonly says: string;
  /** How the right graph becomes that of the mistake. */
  readonly edits: (of: ExerciseCase) => readonly GraphEdit[];
}

/** A function to be written, and how it is judged. */
export interface Exercise {
  /** A name that stays: `causal`. */
  readonly id: string;
  readonly title: string;
  /** What the function is to do. */
  readonly task: string;
  /** The code that one begins with. */
  readonly skeleton: string;
  /** Three, each says more than the one before. */
  readonly hints: readonly [string, string, string];
  /** The name of the function. */
  readonly name: string;
  /** Its arguments in order: inputs and numbers of each case. */
  readonly parameters: readonly string[];
  /** The nodes that it returns: one, or several as a tuple. */
  readonly results: readonly string[];
  readonly cases: readonly ExerciseCase[];
  /** The same with 1024 tokens, on which time and memory are looked at. */
  readonly large?: ExerciseCase;
  /** What `tril.attention` makes of these, for its time and memory to stand beside. */
  readonly beside?: (tril: Tril, inputs: Readonly<Record<string, Tensor>>) => unknown;
  /** The right computation, with every step as a node of its own. */
  readonly graph: (of: ExerciseCase) => Graph;
  readonly mistakes: readonly Mistake[];
}

/** An exercise that was written as a program, as a teacher writes one: what its right program computes is right. */
export interface WrittenExercise extends Pick<
  Exercise,
  'id' | 'title' | 'task' | 'skeleton' | 'name' | 'parameters' | 'cases'
> {
  /** Up to three, each says more than the one before. */
  readonly hints: readonly string[];
  /** The right program, in which the function stands. */
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

/** Options of what is taken along an axis that stays. */
export const along = (axis: number) => ({ axis, keepDims: true });

/** Softmax as one writes it, which several exercises begin with. */
export const softmaxCode = `import numpy as np

def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
`;
