// The result of a program's run.
import type { Graph, GraphValues } from '../graph/index.js';

/** A value of a program. */
export interface ProgramValue {
  /** Python's name of its type: `int`, `list`, `numpy.ndarray`, `Tensor`. */
  readonly type: string;
  /** Its text by Python's `repr`. */
  readonly text: string;
  /** For an array: its node in the graph, which is also its tensor's name. */
  readonly node?: string;
  /** For an array: its shape; `[]` for a single number, which is `[1]` in the graph. */
  readonly shape?: readonly number[];
  /** For an array: its type as NumPy names it. The numbers are always float32. */
  readonly dtype?: 'float64' | 'float32' | 'int64' | 'bool';
  /** For a number, a boolean, a string or None: its value. */
  readonly value?: number | boolean | string | null;
  /** For a list or a tuple: its items. */
  readonly items?: readonly ProgramValue[];
}

/** An array that a line has bound to a name. */
export interface LineValue {
  readonly name: string;
  readonly node: string;
  readonly shape: readonly number[];
}

/** The record of a line; values are those of its last run. */
export interface ProgramLine {
  /** Number of the line, from 1. */
  readonly line: number;
  /** Number of runs of its statements. */
  readonly times: number;
  readonly values: readonly LineValue[];
  /** The nodes computed on it, in order. */
  readonly nodes: readonly string[];
  /** Its output, of all runs together. */
  readonly printed: string;
}

/** The error that stopped a program. */
export interface ProgramError {
  /** Python's kind: `ValueError`, `NameError`, `SyntaxError`; `NotImplementedError` for features outside the subset. */
  readonly kind: string;
  /** Line of the error, counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** The record of a notebook's cell. */
export interface ProgramCell {
  /** The line of the program on which it begins, counted from 1. */
  readonly line: number;
  readonly lines: number;
  /** Its output. */
  readonly printed: string;
  /** The value of its last line, if that is an expression without a final `;`, as in notebooks. */
  readonly value?: Pick<ProgramValue, 'type' | 'text' | 'node' | 'shape' | 'dtype' | 'value'>;
  /** The error that stopped it; null where it ended normally. The cells after it run all the same. */
  readonly error: ProgramError | null;
}

/** The result of a program. */
export interface ProgramRun {
  /** The values of the program's names, without functions, classes and modules. */
  readonly values: Readonly<Record<string, ProgramValue>>;
  readonly printed: string;
  /** The lines that ran, by number. */
  readonly lines: readonly ProgramLine[];
  /** The error that stopped the program, in a notebook the first one; null where it ended normally. Earlier results are kept. */
  readonly error: ProgramError | null;
  /** For a notebook: the record of each cell. Where the limits stopped one, the cells after it did not run, and are missing. */
  readonly cells?: readonly ProgramCell[];
  /** Every operation on arrays, as a graph for `tril/graph`. */
  readonly graph: Graph;
  /** The tensors of all nodes by name: the values for `why`, `sources`, `gradients` and `program`. */
  readonly tensors: GraphValues;
}
