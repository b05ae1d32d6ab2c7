// Checks whether a function is right, and if not, which mistake it makes, and on which line.
import { checkTril } from '../../graph/run.js';
import type { Tril } from '../../load.js';
import { booleanOption, checkKeys } from '../../names.js';
import type { ProgramLimits } from '../arrays/record.js';
import type { ProgramRun } from '../program-run.js';
import { distance, isClose, read, sameShape } from './compare.js';
import { departing, type Departure } from './departure.js';
import type { AnyExercise, ExerciseCase } from './exercise.js';
import { asMistake } from './mistaken.js';
import { rightOf } from './right.js';
import { checkCode, exerciseOf, inputsOf, runCase } from './run.js';
import { resultNodes, type Trial } from './trial.js';
import type { Verdict } from './verdict.js';

/** The options of `checkExercise`. */
export interface CheckOptions {
  readonly limits?: ProgramLimits;
  /** Whether to return the run on the first case, too (default false). Its tensors are yours to dispose, or a scope's. */
  readonly withRun?: boolean;
}

const isRight = ({ wanted, found }: Trial) => wanted.every((each, i) => isClose(found[i]!, each));

/** A number as Python writes it, in a few digits. */
const digits = (x: number) =>
  Number.isFinite(x)
    ? String(Number(x.toPrecision(5)))
    : Number.isNaN(x)
      ? 'nan'
      : x > 0
        ? 'inf'
        : '-inf';

/** The verdict on a result that differs from the right one, with the place. */
function asDifferent(trial: Trial): Verdict {
  const { line, until, departure } = departing(trial);
  const where =
    line === undefined
      ? ''
      : until === undefined || until === line
        ? ` Line ${line} departs from the right computation.`
        : ` Line ${until} still has a value of the right computation, line ${line} has none.`;
  const what = departure && `${departure.line === undefined ? ` of ${resultName(departure)}` : ''}`;
  const element = departure
    ? ` Element ${inWords(departure.place)}${what} is ${digits(departure.found)}, must be ${digits(departure.wanted)}.`
    : '';
  return {
    kind: 'different',
    message: `The result is wrong (${trial.of.name}).${where}${element}`,
    ...(line !== undefined && { line }),
    case: trial.of.name,
    ...(departure && { departure }),
  };
}

const resultName = ({ result }: Departure) =>
  result === undefined ? 'the result' : `result ${result}`;
const inWords = (shape: readonly number[]) => `[${shape.join(', ')}]`;

function judge(tril: Tril, exercise: AnyExercise, trials: readonly Trial[]): Verdict {
  const wrong = trials.find((trial) => !isRight(trial));
  if (!wrong) {
    const all = trials.flatMap((trial) =>
      trial.wanted.map((each, i) => distance(trial.found[i]!, each)),
    );
    const digits = Math.min(7, Math.floor(-Math.log10(Math.max(...all, 1e-9))));
    return {
      kind: 'right',
      message: `Right, to ${digits} digits, in ${trials.length} ${trials.length === 1 ? 'case' : 'cases'}.`,
      digits,
    };
  }
  if (!('program' in exercise)) {
    for (const mistake of exercise.mistakes) {
      const verdict = asMistake(tril, exercise, trials, mistake);
      if (verdict) return verdict;
    }
  }
  const right = wrong.wanted;
  const at = right.findIndex(({ shape }, i) => !sameShape(shape, wrong.found[i]!.shape));
  if (at < 0) return asDifferent(wrong);
  const [is, must] = [wrong.found[at]!, right[at]!].map(({ shape }) => inWords(shape));
  const which = right.length > 1 ? `Result ${at + 1}` : 'The result';
  const message = `${which} must have the shape ${must}, has ${is} (${wrong.of.name}).`;
  return { kind: 'shape', message, case: wrong.of.name };
}

/**
 * Judges a function that was written for an exercise: it is run on inputs of several shapes and sizes and compared with
 * the right computation. If its values match one of the usual mistakes, which are edits of the right graph, the verdict
 * names the mistake and the line; otherwise it gives the first value that differs from the right one. `exercise` is one
 * of `exercises` by its id, or one of your own.
 *
 * @throws TrilError for wrong arguments; never for errors of the code
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
  exercise: string | AnyExercise,
  code: string,
  options: CheckOptions = {},
): Verdict {
  const call = 'checkExercise';
  checkTril(call, tril);
  checkCode(call, code);
  checkKeys(call, 'options', 'option', options, ['limits', 'withRun']);
  const { limits } = options;
  const withRun = booleanOption(call, 'withRun', options.withRun, false);
  const chosen = exerciseOf(call, exercise);
  return tril.scope(() => {
    const trials: Trial[] = [];
    let first: ProgramRun | undefined;
    const end = (verdict: Verdict): Verdict =>
      withRun && first ? { ...verdict, run: first } : verdict;
    for (const of of chosen.cases) {
      const inputs = inputsOf(tril, of);
      const right = rightOf(call, tril, chosen, of, { inputs, limits });
      const made = runCase(tril, chosen, code, { inputs, of, limits });
      first ??= made;
      const count = right.wanted.length;
      const stopped = asStopped(chosen, of, made, { code, count });
      if (stopped) {
        // A mistake in earlier cases says more.
        const earlier = judge(tril, chosen, trials);
        return end(earlier.kind === 'right' ? stopped : earlier);
      }
      const nodes = resultNodes(made)!;
      const found = nodes.map((node) => read(made.tensors[node]!));
      trials.push({ of, inputs, ...right, made, nodes, found });
    }
    return end(judge(tril, chosen, trials));
  });
}

/** The verdict on a program that stops, or returns no arrays. */
function asStopped(
  { name }: AnyExercise,
  of: ExerciseCase,
  made: ProgramRun,
  { code, count }: { readonly code: string; readonly count: number },
): Verdict | undefined {
  const { error } = made;
  const ownLines = code.split('\n').length;
  if (error?.kind === 'NameError' && error.line > ownLines) {
    return { kind: 'missing', message: `There is no function ${name} yet.` };
  }
  if (error) {
    const line = Math.min(error.line, ownLines);
    const message = `Line ${line}: ${error.kind}: ${error.message} (${of.name}).`;
    return { kind: 'error', message, line, case: of.name, error };
  }
  if (resultNodes(made)?.length === count) return undefined;
  const type = made.values._result?.type ?? 'NoneType';
  const wanted = count === 1 ? 'an array' : `${count} arrays`;
  const message = `${name} must return ${wanted}, and returns ${type === 'NoneType' ? 'nothing' : type}.`;
  return { kind: 'missing', message };
}
