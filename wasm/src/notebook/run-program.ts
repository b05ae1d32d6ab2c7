import { TrilError } from '../error.js';
import type { Graph, GraphValues } from '../graph/index.js';
import { checkTril } from '../graph/run.js';
import type { Tril } from '../load.js';
import { checkKeys, describe, integerOption } from '../names.js';
import { Tensor } from '../tensor.js';
import { ArrayValue, type Library } from './arrays/array.js';
import { defaultFloat } from './arrays/dtypes.js';
import { arrayOf } from './arrays/make.js';
import { kindOf, Recorder, type ProgramLimits } from './arrays/record.js';
import { Raised } from './language/errors.js';
import { repr } from './language/format.js';
import { Interpreter } from './language/interpret.js';
import { Scope } from './language/scope.js';
import { metered } from './language/work.js';
import {
  Builtin,
  ClassValue,
  Float,
  Func,
  isNumber,
  List,
  Module,
  numberIn,
  Tuple,
  typeName,
  type Value,
} from './language/values.js';
import { builtins } from './library/builtins.js';
import { mathModule } from './library/math.js';
import { torchModules } from './library/nn.js';
import { numpyModules } from './library/numpy.js';
import { torchModule } from './library/torch.js';
import { readProgram } from './parse/statements.js';

/** What a program can be given: a tensor, a number, or nested numbers that become an array. */
export type Given = Tensor | number | boolean | string | readonly Given[];

/** The options of `runProgram`. */
export interface ProgramOptions {
  /** Values that the program finds by name. */
  readonly given?: Readonly<Record<string, Given>>;
  /** Whose arrays `given` are (default: NumPy's, unless the program imports PyTorch alone). */
  readonly library?: 'numpy' | 'torch';
  readonly limits?: ProgramLimits;
}

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

/** What a program made. */
export interface ProgramRun {
  /** The values of the program's names, but for functions, classes and modules. */
  readonly values: Readonly<Record<string, ProgramValue>>;
  readonly printed: string;
  /** The lines that ran, by number. */
  readonly lines: readonly ProgramLine[];
  /** Why the program stopped; null where it came to its end. What was made before is there all the same. */
  readonly error: ProgramError | null;
  /** Every operation on arrays, as a graph for `tril/graph`. */
  readonly graph: Graph;
  /** The tensors of all nodes by name: what `why`, `sources`, `gradients` and `program` take as values. */
  readonly tensors: GraphValues;
}

const defaultLimits: Required<ProgramLimits> = { steps: 1e6, elements: 5e7, depth: 100, code: 1e6 };

function limitsOf(call: string, limits: ProgramLimits = {}): Required<ProgramLimits> {
  checkKeys(call, 'limits', 'limit', limits, Object.keys(defaultLimits));
  const read = Object.entries(defaultLimits).map(([name, fallback]) => {
    return [name, integerOption(call, name, limits[name as 'steps'], fallback, 1)] as const;
  });
  return Object.fromEntries(read) as unknown as Required<ProgramLimits>;
}

function plainValue(call: string, name: string, given: Given): Value {
  if (typeof given === 'number') return Number.isInteger(given) ? given : new Float(given);
  if (typeof given === 'boolean' || typeof given === 'string') return given;
  if (Array.isArray(given))
    return new List((given as Given[]).map((each) => plainValue(call, name, each)));
  const problem = `must be a tensor, a number, a boolean, a string or nested numbers, is ${describe(given)}`;
  throw new TrilError(call, name, problem);
}

function provide(
  call: string,
  recorder: Recorder,
  name: string,
  given: Given,
  library: Library,
): Value {
  const dtype = defaultFloat(library);
  if (given instanceof Tensor) {
    if (given.disposed) throw new TrilError(call, name, 'has been disposed');
    const made = recorder.input(given, name);
    return new ArrayValue(recorder, made, given.shape, dtype, library);
  }
  const value = plainValue(call, name, given);
  if (!(value instanceof List)) return value;
  try {
    const made = arrayOf(recorder, value, library, dtype);
    recorder.name(made.recorded, name);
    return made;
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    throw new TrilError(call, name, error.message);
  }
}

const isShown = (value: Value): boolean =>
  ![Module, Func, Builtin, ClassValue].some((type) => value instanceof type);

/** Characters of all that is written of a program's values, and items of each. */
const room = { text: 1e7, items: 10_000 };
type Room = typeof room;

/** `repr(value)`, as far as it can be written. */
function textOf(value: Value, left: Room): string {
  if (left.text <= 0) return '...';
  try {
    const text = repr(value);
    left.text -= text.length + 20;
    return text;
  } catch (error) {
    left.text -= 1e6;
    if (error instanceof Raised) return '...';
    throw error;
  }
}

function describeValue(recorder: Recorder, value: Value, left: Room, depth = 0): ProgramValue {
  const type = typeName(value);
  if (value instanceof ArrayValue) {
    const { shape, dtype } = value;
    const node = recorder.nameOf(recorder.uncounted(() => value.recorded));
    return { type, text: textOf(value, left), node, shape: [...shape], dtype };
  }
  const text = textOf(value, left);
  if (value === null || typeof value === 'string') return { type, text, value };
  if (isNumber(value))
    return { type, text, value: typeof value === 'boolean' ? value : numberIn(value) };
  if ((value instanceof List || value instanceof Tuple) && depth < 4) {
    left.items -= Math.min(1000, value.items.length);
    if (left.items < 0 || left.text <= 0) return { type, text };
    const items = value.items
      .slice(0, 1000)
      .map((item) => describeValue(recorder, item, left, depth + 1));
    return { type, text, items };
  }
  return { type, text };
}

function errorOf(error: unknown, line: number): ProgramError {
  if (error instanceof Raised)
    return { kind: error.kind, line: error.line ?? line, message: error.message };
  // The engine's own: a stack that is full, or an array or a string that is too long.
  const { name, message } = error as Error;
  if (name === 'RangeError') {
    return /call stack|recursion/i.test(message)
      ? { kind: 'RecursionError', line, message: 'maximum recursion depth exceeded' }
      : { kind: 'MemoryError', line, message };
  }
  if (error instanceof TrilError) return { kind: kindOf(error), line, message: error.message };
  throw error;
}

/**
 * Runs a program in a subset of Python with NumPy's and PyTorch's names: read by a grammar and interpreted, without eval. Every
 * operation on arrays is computed by the core and recorded, so that `why`, `sources`, `gradients`, `program` and the other readers
 * of `tril/graph` work on every value. A program's own mistakes are in `error`, by Python's kind, with the line. Tensors are yours
 * to dispose, or a scope's; those that were given are among them.
 *
 * @throws TrilError for wrong arguments; never for what a program does
 *
 * @example
 * ```ts
 * import { runProgram } from 'tril/notebook';
 *
 * const X = tril.tensor([[1, 2], [3, 4]]);
 * const { values, error } = runProgram(tril, 'Y = X @ X.T\nZ = Y + W', { given: { X } });
 * values.Y!.shape; // [2, 2]
 * error; // { kind: 'NameError', line: 2, message: "name 'W' is not defined" }
 * runProgram(tril, 3 as never); // throws TrilError: runProgram: code: must be a string
 * ```
 */
export function runProgram(tril: Tril, code: string, options: ProgramOptions = {}): ProgramRun {
  const call = 'runProgram';
  checkTril(call, tril);
  if (typeof code !== 'string')
    throw new TrilError(call, 'code', `must be a string, is ${describe(code)}`);
  checkKeys(call, 'options', 'option', options, ['given', 'library', 'limits']);
  const limits = limitsOf(call, options.limits);
  const given = options.given ?? {};
  checkKeys(call, 'given', 'value', given, Object.keys(given));
  for (const name of Object.keys(given)) {
    if (/^[A-Za-z_]\w*$/.test(name)) continue;
    throw new TrilError(
      call,
      'given',
      `names are of letters, digits and _; one is ${describe(name)}`,
    );
  }
  const { library } = options;
  if (library !== undefined && library !== 'numpy' && library !== 'torch') {
    throw new TrilError(call, 'library', `must be "numpy" or "torch", is ${describe(library)}`);
  }
  const usesTorchAlone =
    /^\s*(?:import|from)\s+torch\b/m.test(code) && !/^\s*(?:import|from)\s+numpy\b/m.test(code);
  const own = library ?? (usesTorchAlone ? 'torch' : 'numpy');
  return tril.scope(() => {
    const recorder = new Recorder(tril, limits);
    const interpreter = new Interpreter(recorder, (machine) => {
      const torch = torchModules(machine, torchModule(machine));
      const all = [...numpyModules(machine), ...torch, mathModule(machine)];
      return new Map(all.map((module) => [module.name, module]));
    });
    const built = new Scope(undefined);
    for (const [name, value] of builtins(interpreter)) built.names.set(name, value);
    const program = new Scope(built);
    for (const [name, value] of Object.entries(given)) {
      program.names.set(name, provide(call, recorder, name, value, own));
    }
    let error: ProgramError | null = null;
    try {
      if (code.length > limits.code) {
        const max = limits.code.toLocaleString('en');
        throw new Raised('MemoryError', `a program may have ${max} characters`, 1);
      }
      const read = readProgram(code);
      metered(recorder, () => interpreter.run(read, program));
    } catch (thrown) {
      error = errorOf(thrown, recorder.line);
    }
    return { ...metered(recorder, () => results(interpreter, recorder, program)), error };
  });
}

/** All that a program has made. What cannot be made any more, since too much was, is left out. */
function results(
  interpreter: Interpreter,
  recorder: Recorder,
  program: Scope,
): Omit<ProgramRun, 'error'> {
  recorder.restart();
  const recordedOf = (array: ArrayValue) => recorder.uncounted(() => array.recorded);
  const lines = [...interpreter.lines].map(([line, { times, names, printed }]) => {
    const values = [...names].map(([name, { array, bound }]): LineValue => {
      const recorded = bound instanceof ArrayValue ? recordedOf(bound) : bound;
      recorder.name(recorded, name);
      return { name, node: recorder.nameOf(recorded), shape: [...array.shape] };
    });
    return { line, times, values, printed };
  });
  const shown = [...program.names].filter(([, value]) => isShown(value));
  for (const [name, value] of shown)
    if (value instanceof ArrayValue) recorder.name(recordedOf(value), name);
  const left = { ...room };
  const values = shown.map(([name, value]) => {
    left.items = room.items;
    return [name, describeValue(recorder, value, left)] as const;
  });
  const nodes = recorder.nodesByLine();
  return {
    values: Object.fromEntries(values),
    printed: interpreter.printed,
    lines: lines
      .map((each): ProgramLine => ({ ...each, nodes: nodes.get(each.line) ?? [] }))
      .sort((a, b) => a.line - b.line),
    ...recorder.finish(),
  };
}
