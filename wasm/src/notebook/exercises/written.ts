// Checks that a value is an exercise written as a program: it may come from anybody's link.
import { TrilError } from '../../error.js';
import { product } from '../../graph/operations/common.js';
import { checkKeys, describe } from '../../names.js';
import type { ExerciseCase, ExerciseInput, WrittenExercise } from './exercise.js';

/** Maximum characters of texts, numbers of list items, sizes of axes, and numbers of an input. */
const most = {
  ...{ title: 100, task: 2000, code: 20_000, hint: 500, caseName: 60, name: 40 },
  ...{ hints: 3, parameters: 8, cases: 8, axes: 4, axis: 64, numbers: 4096 },
};

type Refuse = (argument: string, must: string, found: unknown) => TrilError;

const isText = (found: unknown, least: number, longest: number): found is string =>
  typeof found === 'string' && found.trim().length >= least && found.length <= longest;
const isName = (found: unknown): found is string =>
  isText(found, 1, most.name) && /^[A-Za-z][A-Za-z0-9_]*$/.test(found);
const isInteger = (found: unknown, least: number, largest: number): found is number =>
  Number.isInteger(found) && (found as number) >= least && (found as number) <= largest;
const isObject = (found: unknown): found is Readonly<Record<string, unknown>> =>
  typeof found === 'object' && found !== null && !Array.isArray(found);
const isList = (
  found: unknown,
  [least, largest]: readonly [number, number],
  is: (each: unknown) => boolean,
): found is readonly unknown[] =>
  Array.isArray(found) && found.length >= least && found.length <= largest && found.every(is);

const isShape = (found: unknown): found is readonly number[] =>
  isList(found, [1, most.axes], (size) => isInteger(size, 1, most.axis)) &&
  product(found as readonly number[]) <= most.numbers;

function checkInput(call: string, refuse: Refuse, place: string, found: unknown): ExerciseInput {
  if (!isObject(found)) throw refuse(place, 'an object with a shape', found);
  checkKeys(call, place, 'field', found, ['shape', 'scale', 'causal', 'ones']);
  const { shape, scale, causal, ones } = found;
  if (!isShape(shape)) {
    const must = `1 to ${most.axes} integers from 1 to ${most.axis}, of at most ${most.numbers} numbers`;
    throw refuse(`${place}.shape`, must, shape);
  }
  const isScale = typeof scale === 'number' && scale > 0 && scale <= 1e6;
  if (scale !== undefined && !isScale)
    throw refuse(`${place}.scale`, 'a number above 0 and up to 1,000,000', scale);
  if (causal !== undefined && typeof causal !== 'boolean')
    throw refuse(`${place}.causal`, 'true or false', causal);
  if (causal && shape.length < 2)
    throw refuse(`${place}.shape`, 'of two axes and more, since the input is causal', shape);
  const [rows, width] = [product(shape.slice(0, -1)), shape.at(-1)!];
  if (ones !== undefined && !isList(ones, [rows, rows], (one) => isInteger(one, 0, width)))
    throw refuse(`${place}.ones`, `${rows} integers from 0 to ${width}`, ones);
  return found as unknown as ExerciseInput;
}

function checkCase(
  call: string,
  refuse: Refuse,
  place: string,
  found: unknown,
  parameters: readonly string[],
): ExerciseCase {
  if (!isObject(found)) throw refuse(place, 'an object with a name and inputs', found);
  checkKeys(call, place, 'field', found, ['name', 'inputs', 'numbers']);
  const { name, inputs, numbers = {} } = found;
  if (!isText(name, 1, most.caseName))
    throw refuse(`${place}.name`, `a string of 1 to ${most.caseName} characters`, name);
  if (!isObject(inputs)) throw refuse(`${place}.inputs`, 'an object', inputs);
  if (!isObject(numbers)) throw refuse(`${place}.numbers`, 'an object', numbers);
  checkKeys(call, `${place}.inputs`, 'parameter', inputs, parameters);
  checkKeys(call, `${place}.numbers`, 'parameter', numbers, parameters);
  for (const [key, input] of Object.entries(inputs))
    checkInput(call, refuse, `${place}.inputs.${key}`, input);
  for (const [key, number] of Object.entries(numbers)) {
    if (!Number.isFinite(number)) throw refuse(`${place}.numbers.${key}`, 'a number', number);
  }
  const missing = parameters.find(
    (key) => Object.hasOwn(inputs, key) === Object.hasOwn(numbers, key),
  );
  if (missing !== undefined)
    throw new TrilError(call, place, `must have ${missing} among its inputs or its numbers`);
  return found as unknown as ExerciseCase;
}

/** The exercise. @throws TrilError where it is not an exercise, or is too large */
export function checkExerciseFields(call: string, found: unknown): WrittenExercise {
  const refuse: Refuse = (argument, must, is) =>
    new TrilError(call, argument, `must be ${must}, is ${describe(is)}`);
  if (!isObject(found)) throw refuse('exercise', 'an object', found);
  const fields = ['title', 'task', 'skeleton', 'hints', 'name', 'parameters', 'cases', 'program'];
  checkKeys(call, 'exercise', 'field', found, ['id', ...fields]);
  const text = (field: string, longest: number): string => {
    if (isText(found[field], 1, longest)) return found[field];
    throw refuse(field, `a string of 1 to ${longest} characters`, found[field]);
  };
  const title = text('title', most.title);
  const task = text('task', most.task);
  const skeleton = text('skeleton', most.code);
  const program = text('program', most.code);
  const { hints = [], name, parameters, cases } = found;
  if (!isList(hints, [0, most.hints], (hint) => isText(hint, 1, most.hint)))
    throw refuse('hints', `a list of up to ${most.hints} texts`, hints);
  const names = `of letters, digits and _, up to ${most.name} of them`;
  if (!isName(name)) throw refuse('name', `a name ${names}`, name);
  const areParameters =
    isList(parameters, [1, most.parameters], isName) &&
    new Set(parameters).size === parameters.length;
  if (!areParameters)
    throw refuse('parameters', `1 to ${most.parameters} different names ${names}`, parameters);
  if (!isList(cases, [1, most.cases], () => true))
    throw refuse('cases', `a list of 1 to ${most.cases}`, cases);
  const checked = cases.map((each, i) =>
    checkCase(call, refuse, `cases[${i}]`, each, parameters as readonly string[]),
  );
  return {
    ...{ id: name, title, task, skeleton, program, name },
    hints: hints as readonly string[],
    parameters: parameters as readonly string[],
    cases: checked,
  };
}
