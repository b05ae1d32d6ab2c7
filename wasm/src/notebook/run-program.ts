import { TrilError } from '../error.js';
import { checkTril } from '../graph/run.js';
import type { Tril } from '../load.js';
import { checkKeys, describe, integerOption } from '../names.js';
import { Tensor } from '../tensor.js';
import { ArrayValue, type Library } from './arrays/array.js';
import { defaultFloat } from './arrays/dtypes.js';
import { arrayOf } from './arrays/make.js';
import { Recorder, type ProgramLimits } from './arrays/record.js';
import { Raised } from './language/errors.js';
import { Interpreter } from './language/interpret.js';
import { Scope } from './language/scope.js';
import { metered } from './language/work.js';
import { Float, List, type Value } from './language/values.js';
import { builtins } from './library/builtins.js';
import { mathModule } from './library/math.js';
import { torchModules } from './library/nn.js';
import { numpyModules } from './library/numpy.js';
import { torchModule } from './library/torch.js';
import { readProgram } from './parse/statements.js';
import type { NotebookProgram } from './ipynb.js';
import type { LineValue, ProgramError, ProgramLine, ProgramRun } from './program-run.js';
import { describeShown, errorOf, runCells, type Part, type RanCell } from './run-cells.js';
import { describeValue, isShown, room, type Room } from './written-values.js';

/** A value given to a program: a tensor, a number, or nested numbers that become an array. */
export type Given = Tensor | number | boolean | string | readonly Given[];

/** The options of `runProgram`. */
export interface ProgramOptions {
  /** Values that the program finds by name. */
  readonly given?: Readonly<Record<string, Given>>;
  /** Library of the arrays of `given` (default: NumPy, unless the program imports PyTorch alone). */
  readonly library?: 'numpy' | 'torch';
  readonly limits?: ProgramLimits;
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

/**
 * Runs a program in a subset of Python with NumPy's and PyTorch's names: read by a grammar and interpreted, without
 * eval. Every operation on arrays is computed by the core and recorded, so that `why`, `sources`, `gradients`,
 * `program` and the other readers of `tril/graph` work on every value. Each cell of a `notebookProgram` runs on its
 * own: an error stops its cell, and the cells after it run on, as in Jupyter. A program's own errors are in `error`,
 * with Python's kind and the line. All tensors, including the given ones, are yours to dispose, or a scope's.
 *
 * @throws TrilError for wrong arguments; never for errors of the program
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
export function runProgram(
  tril: Tril,
  code: string | NotebookProgram,
  options: ProgramOptions = {},
): ProgramRun {
  const call = 'runProgram';
  checkTril(call, tril);
  const { text, parts } = partsOf(call, code);
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
    /^\s*(?:import|from)\s+torch\b/m.test(text) && !/^\s*(?:import|from)\s+numpy\b/m.test(text);
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
    let cells: RanCell[] | undefined;
    const left = { ...room };
    try {
      if (text.length > limits.code) {
        const max = limits.code.toLocaleString('en');
        throw new Raised('MemoryError', `a program may have ${max} characters`, 1);
      }
      if (parts) {
        cells = metered(recorder, () => runCells(interpreter, program, parts, left));
        error = cells.find((cell) => cell.error)?.error ?? null;
      } else {
        const read = readProgram(text);
        metered(recorder, () => interpreter.run(read, program));
      }
    } catch (thrown) {
      error = errorOf(thrown, recorder.line);
    }
    const made = metered(recorder, () => results(interpreter, recorder, program, left));
    if (!parts) return { ...made, error };
    const described = (cells ?? []).map(({ shown, ...cell }) =>
      shown ? { ...cell, value: describeShown(shown, recorder.nameOf) } : cell,
    );
    return { ...made, error, cells: described };
  });
}

/** The text of a program, and its cells if it is a notebook's. */
function partsOf(
  call: string,
  code: string | NotebookProgram,
): { text: string; parts?: readonly Part[] } {
  if (typeof code === 'string') return { text: code };
  const cells: unknown = code?.cells;
  if (typeof code?.code !== 'string' || !Array.isArray(cells)) {
    const problem = `must be a string or what notebookProgram gives, is ${describe(code)}`;
    throw new TrilError(call, 'code', problem);
  }
  const lines = code.code.split('\n');
  const parts = code.cells.map(({ line, lines: count }): Part => {
    const text = lines.slice(line - 1, line - 1 + count).join('\n');
    return { line, lines: count, code: text };
  });
  return { text: code.code, parts };
}

/** The results of a program. Values that would exceed the limits are left out. */
function results(
  interpreter: Interpreter,
  recorder: Recorder,
  program: Scope,
  left: Room,
): Omit<ProgramRun, 'error' | 'cells'> {
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
