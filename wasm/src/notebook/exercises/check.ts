// Whether a function is right; if not, which mistake it makes, and on which line.
import { TrilError } from '../../error.js';
import { edit, run, type Graph, type GraphEdit, type NodeNumbers } from '../../graph/index.js';
import { checkTril } from '../../graph/run.js';
import type { Tril } from '../../load.js';
import { checkKeys } from '../../names.js';
import type { Tensor } from '../../tensor.js';
import type { ProgramLimits } from '../arrays/record.js';
import type { ProgramError, ProgramRun } from '../run-program.js';
import type { Exercise, ExerciseCase, Mistake } from './exercise.js';
import { checkCode, exerciseOf, inputsOf, runCase } from './run.js';

/** What `checkExercise` found. */
export interface Verdict {
  /**
   * `right`; `mistake`, one of the usual ones; `shape` and `different`, results that are wrong in a way that has no name;
   * `missing`, no such function, or nothing that it returns; `error`, a program that stops.
   */
  readonly kind: 'right' | 'mistake' | 'shape' | 'different' | 'missing' | 'error';
  /** The whole of it, as a sentence. */
  readonly message: string;
  /** Of `right`: to how many digits, as float32 has them. */
  readonly digits?: number;
  /** Of `mistake`: its name. */
  readonly mistake?: string;
  /** The line that it comes from, counted from 1, where that is known. */
  readonly line?: number;
  /** The case that shows it. */
  readonly case?: string;
  /** Of `error`. */
  readonly error?: ProgramError;
}

/** The options of `checkExercise`. */
export interface CheckOptions {
  readonly limits?: ProgramLimits;
}

/** One case, with what is right and what the program made of it. */
interface Trial {
  readonly of: ExerciseCase;
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly graph: Graph;
  readonly right: Readonly<Record<string, NodeNumbers>>;
  readonly made: ProgramRun;
  readonly found: readonly NodeNumbers[];
}

const read = (tensor: Tensor): NodeNumbers => ({ shape: tensor.shape, data: tensor.read() });

/**
 * As a part of the largest number. Rounding in float32 stays ten times below; each of the usual mistakes
 * changes a result by a tenth and more.
 */
const tolerance = 1e-4;

const sameShape = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

/** The largest difference, as a part of the largest right number; infinite where shapes or what is no number differ. */
function distance(found: NodeNumbers, right: NodeNumbers): number {
  if (!sameShape(found.shape, right.shape)) return Infinity;
  let [most, largest] = [0, 0];
  for (const [i, y] of right.data.entries()) {
    const x = found.data[i]!;
    if (Object.is(x, y)) continue;
    if (!Number.isFinite(x) || !Number.isFinite(y)) return Infinity;
    most = Math.max(most, Math.abs(x - y));
  }
  for (const y of right.data) if (Number.isFinite(y)) largest = Math.max(largest, Math.abs(y));
  return most === 0 ? 0 : most / (largest || 1);
}

const isClose = (found: NodeNumbers, right: NodeNumbers) => distance(found, right) <= tolerance;

const valuesOf = (tril: Tril, graph: Graph, inputs: Readonly<Record<string, Tensor>>) =>
  Object.fromEntries(
    Object.entries(run(tril, graph, inputs)).map(([name, tensor]) => [name, read(tensor)]),
  );

/** The arrays that the function returned; null where it returned something else. */
function resultsOf({ values, tensors }: ProgramRun, count: number): readonly NodeNumbers[] | null {
  const result = values._result;
  const all = count === 1 ? [result] : (result?.items ?? []);
  const arrays = all.flatMap((each) =>
    each?.node === undefined ? [] : [{ shape: each.shape!, data: tensors[each.node]!.read() }],
  );
  return arrays.length === count ? arrays : null;
}

const rightOf = ({ right }: Trial, { results }: Exercise) => results.map((name) => right[name]!);
const isRight = (trial: Trial, exercise: Exercise) =>
  rightOf(trial, exercise).every((each, i) => isClose(trial.found[i]!, each));

/** The values that the program has computed, in order, each with its line. */
function valuesByLine({ made }: Trial): readonly { line: number; value: NodeNumbers }[] {
  const lineOf = new Map(made.lines.flatMap(({ line, nodes }) => nodes.map((n) => [n, line])));
  return made.graph.nodes.flatMap(({ name }) => {
    const line = lineOf.get(name) ?? 0;
    return line > 0 ? [{ line, value: read(made.tensors[name]!) }] : [];
  });
}

/** What a mistake would have made of a case; null where shapes do not allow it. */
function mistaken(
  tril: Tril,
  trial: Trial,
  edits: readonly GraphEdit[],
): { graph: Graph; values: Record<string, NodeNumbers> } | null {
  return tril.scope(() => {
    try {
      const graph = edit(trial.graph, edits);
      return { graph, values: valuesOf(tril, graph, trial.inputs) };
    } catch (error) {
      if (error instanceof TrilError) return null;
      throw error;
    }
  });
}

/** What is read where a node was left out. */
const insteadOf = (graph: Graph, { remove, instead }: { remove: string; instead?: string }) =>
  instead ?? graph.nodes.find(({ name }) => name === remove)!.inputs[0]!;

/** The node that an edited graph has for a result. */
function resultNode(graph: Graph, edits: readonly GraphEdit[], result: string): string {
  let name = result;
  for (const each of edits) {
    if ('remove' in each && each.remove === name) name = insteadOf(graph, each);
  }
  return name;
}

/** Where a step was left out, the line before it; else that of the first value that is another one, or of the result. */
function lineOfMistake(
  trial: Trial,
  edits: readonly GraphEdit[],
  { graph, values }: { graph: Graph; values: Readonly<Record<string, NodeNumbers>> },
): number | undefined {
  const [first] = edits;
  const changed = graph.nodes.find(({ name }) => {
    return !trial.right[name] || !isClose(values[name]!, trial.right[name]);
  });
  const wanted = [
    first && 'remove' in first ? trial.right[insteadOf(trial.graph, first)] : undefined,
    changed && values[changed.name],
    trial.found[0],
  ];
  const made = valuesByLine(trial);
  for (const value of wanted) {
    // Of ones and noughts there are many.
    if (!value || (new Set(value.data).size < 3 && value.data.length > 2)) continue;
    const line = made.find((each) => isClose(each.value, value))?.line;
    if (line !== undefined) return line;
  }
  return undefined;
}

/** The verdict where all cases are as a mistake has them. */
function asMistake(
  tril: Tril,
  exercise: Exercise,
  trials: readonly Trial[],
  mistake: Mistake,
): Verdict | null {
  let shown: Verdict | null = null;
  for (const trial of trials) {
    const edits = mistake.edits(trial.of);
    const wrong = mistaken(tril, trial, edits);
    if (!wrong) continue;
    const expected = exercise.results.map(
      (name) => wrong.values[resultNode(trial.graph, edits, name)]!,
    );
    if (!expected.every((each, i) => isClose(trial.found[i]!, each))) return null;
    const right = rightOf(trial, exercise);
    if (shown || expected.every((each, i) => isClose(each, right[i]!))) continue;
    const line = lineOfMistake(trial, edits, wrong);
    shown = {
      kind: 'mistake',
      message: `${line === undefined ? '' : `Line ${line}: `}${mistake.says}.`,
      mistake: mistake.id,
      ...(line !== undefined && { line }),
      case: trial.of.name,
    };
  }
  return shown;
}

/** Where a result departs: at the first line behind all that agree with a step of the right computation. */
function asDifferent(trial: Trial): Verdict {
  const known = Object.values(trial.right);
  /** Of each line whether its last value agrees. */
  const lines = new Map(
    valuesByLine(trial).map(({ line, value }) => [
      line,
      known.some((each) => isClose(value, each)),
    ]),
  );
  const inOrder = [...lines].sort(([a], [b]) => a - b);
  const last = inOrder.map(([, agrees]) => agrees).lastIndexOf(true);
  const line = (inOrder[last + 1] ?? inOrder.at(-1))?.[0];
  const until = inOrder[last]?.[0];
  const where =
    until === undefined || until === line
      ? ''
      : ` Line ${until} still has a value of the right computation, line ${line} has none.`;
  return {
    kind: 'different',
    message: `The result is wrong (${trial.of.name}).${where}`,
    ...(line !== undefined && { line }),
    case: trial.of.name,
  };
}

const inWords = (shape: readonly number[]) => `[${shape.join(', ')}]`;

function judge(tril: Tril, exercise: Exercise, trials: readonly Trial[]): Verdict {
  const wrong = trials.find((trial) => !isRight(trial, exercise));
  if (!wrong) {
    const all = trials.flatMap((trial) =>
      rightOf(trial, exercise).map((each, i) => distance(trial.found[i]!, each)),
    );
    const digits = Math.min(7, Math.floor(-Math.log10(Math.max(...all, 1e-9))));
    return {
      kind: 'right',
      message: `Right, to ${digits} digits, in ${trials.length} cases.`,
      digits,
    };
  }
  for (const mistake of exercise.mistakes) {
    const verdict = asMistake(tril, exercise, trials, mistake);
    if (verdict) return verdict;
  }
  const right = rightOf(wrong, exercise);
  const at = right.findIndex(({ shape }, i) => !sameShape(shape, wrong.found[i]!.shape));
  if (at < 0) return asDifferent(wrong);
  const [is, must] = [wrong.found[at]!, right[at]!].map(({ shape }) => inWords(shape));
  const which = exercise.results.length > 1 ? `Result ${at + 1}` : 'The result';
  const message = `${which} must have the shape ${must}, has ${is} (${wrong.of.name}).`;
  return { kind: 'shape', message, case: wrong.of.name };
}

/**
 * Judges a function that was written for an exercise: it is run on numbers of several shapes and sizes and compared with the right
 * computation. If it is wrong as one of the usual mistakes is, which are edits of the right graph, the verdict names that and the
 * line. `exercise` is one of `exercises` by its id, or one of your own.
 *
 * @throws TrilError for wrong arguments; never for what the code does
 *
 * @example
 * ```ts
 * import { checkExercise } from 'tril/notebook';
 *
 * const code = `import numpy as np
 * def softmax(z):
 *     e = np.exp(z)
 *     return e / e.sum(axis=-1, keepdims=True)`;
 * const { kind, mistake, line } = checkExercise(tril, 'softmax', code);
 * [kind, mistake, line]; // ['mistake', 'overflow', 3]
 * checkExercise(tril, 'casual', code); // throws TrilError: checkExercise: exercise: unknown exercise "casual"; did you mean "causal"?
 * ```
 */
export function checkExercise(
  tril: Tril,
  exercise: string | Exercise,
  code: string,
  options: CheckOptions = {},
): Verdict {
  const call = 'checkExercise';
  checkTril(call, tril);
  checkCode(call, code);
  checkKeys(call, 'options', 'option', options, ['limits']);
  const chosen = exerciseOf(call, exercise);
  return tril.scope(() => {
    const trials: Trial[] = [];
    for (const tried of chosen.cases) {
      const inputs = inputsOf(tril, tried);
      const made = runCase(tril, chosen, code, { inputs, of: tried, limits: options.limits });
      const stopped = asStopped(chosen, tried, made, code);
      if (stopped) {
        // What went wrong before says more.
        const earlier = judge(tril, chosen, trials);
        return earlier.kind === 'right' ? stopped : earlier;
      }
      const found = resultsOf(made, chosen.results.length)!;
      const graph = chosen.graph(tried);
      trials.push({
        ...{ of: tried, inputs, graph, made, found },
        right: valuesOf(tril, graph, inputs),
      });
    }
    return judge(tril, chosen, trials);
  });
}

/** The verdict on a program that stops, or returns no arrays. */
function asStopped(
  exercise: Exercise,
  of: ExerciseCase,
  made: ProgramRun,
  code: string,
): Verdict | undefined {
  const { error } = made;
  const { name, results } = exercise;
  const ownLines = code.split('\n').length;
  if (error?.kind === 'NameError' && error.line > ownLines) {
    return { kind: 'missing', message: `There is no function ${name} yet.` };
  }
  if (error) {
    const line = Math.min(error.line, ownLines);
    const message = `Line ${line}: ${error.kind}: ${error.message} (${of.name}).`;
    return { kind: 'error', message, line, case: of.name, error };
  }
  if (resultsOf(made, results.length)) return undefined;
  const type = made.values._result?.type ?? 'NoneType';
  const wanted = results.length === 1 ? 'an array' : `${results.length} arrays`;
  const message = `${name} must return ${wanted}, and returns ${type === 'NoneType' ? 'nothing' : type}.`;
  return { kind: 'missing', message };
}
