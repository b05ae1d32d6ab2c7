// Runs the code of an exercise on one of its cases.
import { TrilError } from '../../error.js';
import { checkTril } from '../../graph/run.js';
import type { Tril } from '../../load.js';
import { booleanOption, checkKeys, checkName, describe, integerOption } from '../../names.js';
import type { Tensor } from '../../tensor.js';
import type { ProgramLimits } from '../arrays/record.js';
import type { ProgramRun } from '../program-run.js';
import { runProgram } from '../run-program.js';
import type {
  AnyExercise,
  Exercise,
  ExerciseCase,
  ExerciseInput,
  WrittenExercise,
} from './exercise.js';
import { exercises } from './index.js';

/** The options of `runExercise`. */
export interface RunExerciseOptions {
  /** Number of the exercise's case, counted from 0 (default 0). */
  readonly case?: number;
  /** Whether to run on 1024 tokens instead, for exercises that have such a case (default false). */
  readonly large?: boolean;
  readonly limits?: ProgramLimits;
}

export function exerciseOf(call: string, exercise: string | AnyExercise): AnyExercise {
  if (typeof exercise === 'string') {
    const ids = exercises.map(({ id }) => id);
    checkName(call, 'exercise', 'exercise', exercise, ids);
    return exercises[ids.indexOf(exercise)]!;
  }
  const isOwn =
    typeof (exercise as Partial<Exercise> | null)?.graph === 'function' ||
    typeof (exercise as Partial<WrittenExercise> | null)?.program === 'string';
  if (isOwn && Array.isArray(exercise.cases)) return exercise;
  const problem = `must be the id of one or an exercise, is ${describe(exercise)}`;
  throw new TrilError(call, 'exercise', problem);
}

export function checkCode(call: string, code: unknown): void {
  if (typeof code === 'string') return;
  throw new TrilError(call, 'code', `must be a string, is ${describe(code)}`);
}

function inputOf(tril: Tril, { shape, scale = 1, causal, ones }: ExerciseInput, seed: number) {
  const size = [...shape];
  if (causal) return tril.mask.toTensor(tril.mask.causal(), size);
  if (!ones) return tril.multiply(tril.randomNormal(size, { seed }), scale);
  const width = size.at(-1)!;
  const row = (count: number) => Array.from({ length: width }, (_, i) => Number(i < count));
  return tril.tensor(size, Float32Array.from(ones.flatMap(row)));
}

export function inputsOf(tril: Tril, of: ExerciseCase): Record<string, Tensor> {
  const entries = Object.entries(of.inputs).map(
    ([name, input], i) => [name, inputOf(tril, input, 100 + i)] as const,
  );
  return Object.fromEntries(entries);
}

interface Trying {
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly of: ExerciseCase;
  readonly limits?: ProgramLimits | undefined;
}

/** The name of an input in the program, one that the program does not assign itself. The input's node has the plain name. */
const nameOf = (name: string) => `__${name}`;

/** Runs the program, followed by a call of its function. */
export function runCase(
  tril: Tril,
  exercise: AnyExercise,
  code: string,
  { inputs, of, limits }: Trying,
): ProgramRun {
  const args = exercise.parameters.map((name) => of.numbers?.[name] ?? nameOf(name));
  const all = Object.entries(inputs).map(([name, tensor]) => [nameOf(name), tensor] as const);
  const options = { given: Object.fromEntries(all), ...(limits && { limits }) };
  const called = `${code}\n_result = ${exercise.name}(${args.join(', ')})\n`;
  const made = runProgram(tril, called, options);
  // An unclosed bracket extends into the call, which the user has not written.
  const isOpen = made.error?.kind === 'SyntaxError' && made.error.line > code.split('\n').length;
  return isOpen ? runProgram(tril, code, options) : made;
}

/**
 * Runs code that was written for an exercise as `checkExercise` does, on one case, so that every line's values can be looked at.
 * The case's inputs are nodes named after the function's arguments; the returned value is `values._result`. The line after the
 * last calls the function. Tensors are yours to dispose, or a scope's.
 *
 * @throws TrilError for wrong arguments; never for errors of the code
 *
 * @example
 * ```ts
 * import { runExercise } from 'tril/notebook';
 *
 * const code = `def attention(Q, K, V):
 *     scores = Q @ K.T
 *     return scores @ V`;
 * const { lines, values } = runExercise(tril, 'attention', code);
 * lines[1]!.values; // [{ name: 'scores', node: 'scores', shape: [5, 5] }]
 * values._result!.shape; // [5, 4]
 * runExercise(tril, 'attention', code, { case: 9 }); // throws TrilError: runExercise: case: there are 4 cases, from 0
 * ```
 */
export function runExercise(
  tril: Tril,
  exercise: string | AnyExercise,
  code: string,
  options: RunExerciseOptions = {},
): ProgramRun {
  const call = 'runExercise';
  checkTril(call, tril);
  checkCode(call, code);
  checkKeys(call, 'options', 'option', options, ['case', 'large', 'limits']);
  const chosen = exerciseOf(call, exercise);
  const small = chosen.cases[integerOption(call, 'case', options.case, 0, 0)];
  const isLarge = booleanOption(call, 'large', options.large, false);
  const of = isLarge ? ('large' in chosen ? chosen.large : undefined) : small;
  if (isLarge && !of) throw new TrilError(call, 'large', `${chosen.id} has no such case`);
  if (!of) throw new TrilError(call, 'case', `there are ${chosen.cases.length} cases, from 0`);
  return tril.scope(() =>
    runCase(tril, chosen, code, { inputs: inputsOf(tril, of), of, limits: options.limits }),
  );
}
