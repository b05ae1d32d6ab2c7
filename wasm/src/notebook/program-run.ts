// What a run of a program gives.
import type { Graph, GraphValues } from '../graph/index.js';

/** A value of a program. */
export interface ProgramValue {
  /** Python's name of its type: `int`, `list`, `numpy.ndarray`, `Tensor`. */
  readonly type: string;
  /** As Python's `repr` writes it. */
  readonly text: string;
  /** Of an array: its node in the graph, which is its tensor's name, too. */
  readonly node?: string;
  /** Of an array: `[]` for a single number, which is `[1]` in the graph. */
  readonly shape?: readonly number[];
  /** Of an array: its type as NumPy says it. The numbers are float32 all the same. */
  readonly dtype?: 'float64' | 'float32' | 'int64' | 'bool';
  /** Of a number, a boolean, a string or None. */
  readonly value?: number | boolean | string | null;
  /** Of a list or a tuple. */
  readonly items?: readonly ProgramValue[];
}

/** An array that a line has bound to a name. */
export interface LineValue {
  readonly name: string;
  readonly node: string;
  readonly shape: readonly number[];
}

/** What happened on a line; of lines that ran several times the last values. */
export interface ProgramLine {
  /** Counted from 1. */
  readonly line: number;
  /** How many times its statements ran. */
  readonly times: number;
  readonly values: readonly LineValue[];
  /** The nodes of all that was computed on it, in order. */
  readonly nodes: readonly string[];
  /** What it printed, all times together. */
  readonly printed: string;
}

/** Why a program stopped. */
export interface ProgramError {
  /** Python's kind: `ValueError`, `NameError`, `SyntaxError`; `NotImplementedError` for what the subset does not have. */
  readonly kind: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** What a cell of a notebook made. */
export interface ProgramCell {
  /** The line of the program on which it begins, counted from 1. */
  readonly line: number;
  readonly lines: number;
  /** All that it printed. */
  readonly printed: string;
  /** The value of its last line, where that is an expression that does not end in `;`, as notebooks show it. */
  readonly value?: Pick<ProgramValue, 'type' | 'text' | 'node' | 'shape' | 'dtype' | 'value'>;
  /** Why it stopped; null where it came to its end. The cells behind it run all the same. */
  readonly error: ProgramError | null;
}

/** What a program made. */
export interface ProgramRun {
  /** The values of the program's names, but for functions, classes and modules. */
  readonly values: Readonly<Record<string, ProgramValue>>;
  readonly printed: string;
  /** The lines that ran, by number. */
  readonly lines: readonly ProgramLine[];
  /** Why the program stopped; null where it came to its end. What was made before is there all the same. Of a notebook the first error. */
  readonly error: ProgramError | null;
  /** Of a notebook: what each of its cells made. Where the limits stopped one, those behind it did not run, and are not here. */
  readonly cells?: readonly ProgramCell[];
  /** Every operation on arrays, as a graph for `tril/graph`. */
  readonly graph: Graph;
  /** The tensors of all nodes by name: what `why`, `sources`, `gradients` and `program` take as values. */
  readonly tensors: GraphValues;
}
