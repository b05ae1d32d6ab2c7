// Whether a function is right; if not, which mistake it makes, and on which line.
import { TrilError } from '../../error.js';
import { edit, run, type Graph } from '../../graph/index.js';
import type { Tril } from '../../load.js';
import { checkKeys, checkName, describe } from '../../names.js';
import type { Tensor } from '../../tensor.js';
import type { ProgramLimits } from '../arrays/record.js';
import { runProgram, type ProgramError, type ProgramRun } from '../run-program.js';
import type { Exercise, ExerciseCase, Mistake } from './exercise.js';
import { exercises } from './index.js';

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

interface Numbers {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** One case, with what is right and what the program made of it. */
interface Trial {
  readonly of: ExerciseCase;
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly graph: Graph;
  readonly right: Readonly<Record<string, Numbers>>;
  readonly made: ProgramRun;
  readonly found: readonly Numbers[];
}

const read = (tensor: Tensor): Numbers => ({ shape: tensor.shape, data: tensor.read() });

/**
 * Beyond any rounding of sums this short in float32, a hundred times as large as that of the values that pass; below what any
 * of the usual mistakes changes.
 */
const tolerance = 1e-4;

const sameShape = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

/** The largest difference, as a part of the largest right number; infinite where shapes or what is no number differ. */
function distance(found: Numbers, right: Numbers): number {
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

const isClose = (found: Numbers, right: Numbers) => distance(found, right) <= tolerance;

function inputsOf(tril: Tril, of: ExerciseCase): Record<string, Tensor> {
  const entries = Object.entries(of.inputs).map(([name, { shape, scale = 1, causal }], i) => {
    const size = [...shape];
    const made = causal
      ? tril.mask.toTensor(tril.mask.causal(), size)
      : tril.multiply(tril.randomNormal(size, { seed: 100 + i }), scale);
    return [name, made] as const;
  });
  return Object.fromEntries(entries);
}

const valuesOf = (tril: Tril, graph: Graph, inputs: Readonly<Record<string, Tensor>>) =>
  Object.fromEntries(
    Object.entries(run(tril, graph, inputs)).map(([name, tensor]) => [name, read(tensor)]),
  );

const given = (name: string) => `_given_${name}`;

/** The program, with a call of its function behind it. */
function runCase(
  tril: Tril,
  exercise: Exercise,
  code: string,
  { inputs, of }: { inputs: Readonly<Record<string, Tensor>>; of: ExerciseCase },
  limits: ProgramLimits | undefined,
): ProgramRun {
  const args = exercise.parameters.map((name) => of.numbers?.[name] ?? given(name));
  const all = Object.entries(inputs).map(([name, tensor]) => [given(name), tensor] as const);
  return runProgram(tril, `${code}\n_result = ${exercise.name}(${args.join(', ')})\n`, {
    given: Object.fromEntries(all),
    ...(limits && { limits }),
  });
}

/** The arrays that the function returned; null where it returned something else. */
function resultsOf({ values, tensors }: ProgramRun, count: number): readonly Numbers[] | null {
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

/** The line on which a value was made first; undefined where it was not. */
function lineOf({ made }: Trial, wanted: Numbers): number | undefined {
  const lineOfNode = new Map(made.lines.flatMap(({ line, nodes }) => nodes.map((n) => [n, line])));
  // Of ones and noughts there are many.
  if (new Set(wanted.data).size < 3 && wanted.data.length > 2) return undefined;
  for (const { name } of made.graph.nodes) {
    const line = lineOfNode.get(name);
    if (line === undefined || line < 1) continue;
    if (isClose(read(made.tensors[name]!), wanted)) return line;
  }
  return undefined;
}

/** What a mistake would have made of a case; null where shapes do not allow it. */
function mistaken(
  tril: Tril,
  trial: Trial,
  mistake: Mistake,
): { graph: Graph; values: Record<string, Numbers> } | null {
  try {
    const graph = edit(trial.graph, mistake.edits(trial.of));
    return { graph, values: valuesOf(tril, graph, trial.inputs) };
  } catch (error) {
    if (error instanceof TrilError) return null;
    throw error;
  }
}

/** The nodes that the results of a changed graph have, by their old names where these were left out. */
function resultNodes(trial: Trial, graph: Graph, mistake: Mistake, exercise: Exercise): string[] {
  const names = new Set(graph.nodes.map(({ name }) => name));
  return exercise.results.map((name) => {
    let now = name;
    for (const each of mistake.edits(trial.of)) {
      if (!('remove' in each) || each.remove !== now) continue;
      now = each.instead ?? trial.graph.nodes.find((node) => node.name === now)!.inputs[0]!;
    }
    return names.has(now) ? now : name;
  });
}

/** Where a step was left out, the line before it; else that of the first value that is another one, or of the result. */
function lineOfMistake(
  trial: Trial,
  mistake: Mistake,
  graph: Graph,
  values: Readonly<Record<string, Numbers>>,
): number | undefined {
  const [first] = mistake.edits(trial.of);
  if (first && 'remove' in first) {
    const node = trial.graph.nodes.find(({ name }) => name === first.remove)!;
    const line = lineOf(trial, trial.right[first.instead ?? node.inputs[0]!]!);
    if (line !== undefined) return line;
  }
  const changed = graph.nodes.find(({ name }) => {
    return !trial.right[name] || !isClose(values[name]!, trial.right[name]);
  });
  const line = changed && lineOf(trial, values[changed.name]!);
  return line ?? lineOf(trial, trial.found[0]!);
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
    const wrong = tril.scope(() => {
      const made = mistaken(tril, trial, mistake);
      return made && { value: made };
    });
    if (!wrong) continue;
    const { graph, values } = wrong.value;
    const expected = resultNodes(trial, graph, mistake, exercise).map((name) => values[name]!);
    if (!expected.every((each, i) => isClose(trial.found[i]!, each))) return null;
    const right = rightOf(trial, exercise);
    if (shown || expected.every((each, i) => isClose(each, right[i]!))) continue;
    const line = lineOfMistake(trial, mistake, graph, values);
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

/** Where a result departs: the first line behind all that agree with a step of the right computation. */
function asDifferent(trial: Trial): Verdict {
  const known = Object.values(trial.right);
  const agrees = (node: string) => {
    const value = read(trial.made.tensors[node]!);
    return known.some((each) => isClose(value, each));
  };
  const lines = trial.made.lines.filter(({ line, nodes }) => line > 0 && nodes.length > 0);
  const last = lines.map(({ nodes }) => agrees(nodes.at(-1)!)).lastIndexOf(true);
  const line = (lines[last + 1] ?? lines.at(-1))?.line;
  const until = lines[last];
  const where = line === undefined ? '' : `Line ${line} is the first that leads away. `;
  const before = until ? `Up to line ${until.line} a step of the right way is there.` : '';
  return {
    kind: 'different',
    message: `The result is another one (${trial.of.name}). ${where}${before}`.trim(),
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
  if (typeof (tril as Tril | undefined)?.scope !== 'function') {
    throw new TrilError(call, 'tril', `must be what loadTril gives, is ${describe(tril)}`);
  }
  if (typeof code !== 'string') {
    throw new TrilError(call, 'code', `must be a string, is ${describe(code)}`);
  }
  checkKeys(call, 'options', 'option', options, ['limits']);
  const ids = exercises.map(({ id }) => id);
  if (typeof exercise === 'string') checkName(call, 'exercise', 'exercise', exercise, ids);
  else if (typeof exercise?.graph !== 'function' || !Array.isArray(exercise.cases)) {
    const problem = `must be the id of one or an exercise, is ${describe(exercise)}`;
    throw new TrilError(call, 'exercise', problem);
  }
  const chosen =
    typeof exercise === 'string' ? exercises.find(({ id }) => id === exercise)! : exercise;
  let verdict: Verdict | undefined;
  tril.scope(() => {
    const trials: Trial[] = [];
    for (const of of chosen.cases) {
      const inputs = inputsOf(tril, of);
      const made = runCase(tril, chosen, code, { inputs, of }, options.limits);
      const stopped = asStopped(chosen, of, made, code);
      if (stopped) {
        // What went wrong before says more.
        const earlier = judge(tril, chosen, trials);
        verdict = earlier.kind === 'right' ? stopped : earlier;
        return;
      }
      const found = resultsOf(made, chosen.results.length)!;
      const graph = chosen.graph(of);
      trials.push({ ...{ of, inputs, graph, made, found }, right: valuesOf(tril, graph, inputs) });
    }
    verdict = judge(tril, chosen, trials);
  });
  return verdict!;
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
