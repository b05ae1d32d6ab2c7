// The code of an exercise on the numbers of one of its cases.
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
  /** Which of the exercise's cases, counted from 0 (default 0). */
  readonly case?: number;
  /** On 1024 tokens instead, for exercises that have such a case (default false). */
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

/** What the program finds an input as: a name that it does not give to anything itself. The input's node has the plain one. */
const nameOf = (name: string) => `__${name}`;

/** The program, with a call of its function behind it. */
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
  // A bracket that stays open reaches into the call, of which nobody knows.
  const isOpen = made.error?.kind === 'SyntaxError' && made.error.line > code.split('\n').length;
  return isOpen ? runProgram(tril, code, options) : made;
}

/**
 * Runs code that was written for an exercise as `checkExercise` does, on one case, so that every line's values can be looked at.
 * The case's inputs are nodes by the names of the function's arguments; what the function returned is `values._result`. The call
 * of the function stands in the line after the last. Tensors are yours to dispose, or a scope's.
 *
 * @throws TrilError for wrong arguments; never for what the code does
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
