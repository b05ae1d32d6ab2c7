// Arguments that NumPy's and PyTorch's functions share: axes, shapes, types; and arrays made from nothing else.
import { ArrayValue, Dtype, sizeOf, type DtypeName, type Library } from '../arrays/array.js';
import { converted } from '../arrays/arithmetic.js';
import { asType, defaultFloat, plainDtype } from '../arrays/dtypes.js';
import { arrayOf, fromNumbers, full } from '../arrays/make.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { truth } from '../language/comparisons.js';
import { number, integer, integers } from '../language/signature.js';
import { Builtin, Float, isRow, Module, Tuple, typeName, type Value } from '../language/values.js';
import type { Along } from '../arrays/reductions.js';

const dtypeNames: Readonly<Record<string, DtypeName>> = {
  ...{ float: 'float64', float64: 'float64', double: 'float64', float32: 'float32' },
  ...{ half: 'float32', int: 'int64', int64: 'int64', int32: 'int64', long: 'int64' },
  ...{ bool: 'bool', bool_: 'bool' },
};

/** The type named by an argument; undefined for None. */
export function dtypeOf(value: Value, library: Library): DtypeName | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Dtype) return value.name;
  const name =
    typeof value === 'string' ? value : value instanceof Builtin && value.isType ? value.name : '';
  const found = dtypeNames[name];
  if (found) return found;
  return raise(
    'TypeError',
    library === 'torch'
      ? `dtype must be torch.dtype, not ${typeName(value)}`
      : `data type '${name || typeName(value)}' not understood`,
  );
}

/** An argument as an array. */
export function toArray(machine: Machine, value: Value, library: Library): ArrayValue {
  if (value instanceof ArrayValue) return value;
  return arrayOf(machine.recorder, value, library);
}

/** A tensor argument of a PyTorch function, which takes nothing else. */
export function tensorOf(name: string, value: Value): ArrayValue {
  if (value instanceof ArrayValue) return value;
  return raise('TypeError', `${name}(): argument 'input' must be Tensor, not ${typeName(value)}`);
}

/** The axes of `axis=None`, a number or several. */
export function along(axis: Value, keepDims: Value = false): Along {
  const axes = axis === null ? undefined : integers(axis, 'axis');
  return { axes, keepDims: truth(keepDims) };
}

export const axisOrNone = (axis: Value): number | undefined =>
  axis === null ? undefined : integer(axis, 'axis');

/** Types by their names in modules. */
export const dtypes: Readonly<Record<string, Dtype>> = Object.fromEntries(
  Object.entries(dtypeNames)
    .filter(([name]) => !['int', 'float'].includes(name))
    .map(([name, dtype]) => [name, new Dtype(dtype)]),
);

/** The largest number of float32. */
export const mostFloat32 = (2 - 2 ** -23) * 2 ** 127;

/** `np.finfo(dtype)`: the limits of a type's numbers. */
export function limitsOf(dtype: Value, library: Library): Module {
  const name = dtypeOf(dtype, library) ?? defaultFloat(library);
  const isFloat = name === 'float64' || name === 'float32';
  if (!isFloat) raise(library === 'numpy' ? 'ValueError' : 'TypeError', `${name} is no float`);
  const [max, eps, tiny] =
    name === 'float64'
      ? [Number.MAX_VALUE, Number.EPSILON, 2 ** -1022]
      : [mostFloat32, 2 ** -23, 2 ** -126];
  const limits = Object.entries({ max, min: -max, eps, tiny });
  return new Module('finfo', new Map(limits.map(([key, value]) => [key, new Float(value)])));
}

/** `np.float32(x)` */
export function convertTo(machine: Machine, dtype: Dtype, args: readonly Value[]): Value {
  const [value = 0] = args;
  return converted(toArray(machine, value, 'numpy'), dtype.name);
}

export function filled(
  machine: Machine,
  shape: Value,
  value: Value,
  dtype: Value,
  library: Library,
): ArrayValue {
  const isArray = value instanceof ArrayValue;
  const type = dtypeOf(dtype, library) ?? (isArray ? value.dtype : plainDtype(value, library));
  const [plain] = asType([number(value, 'fill_value')], type);
  return full(machine.recorder, integers(shape, 'shape'), plain!, type, library);
}

/** A filled array in the shape of another, and of its type without `dtype`. */
export const filledLike = (
  machine: Machine,
  x: ArrayValue,
  value: Value,
  dtype: Value,
): ArrayValue => filled(machine, new Tuple(x.shape), value, dtype ?? new Dtype(x.dtype), x.library);

/** `arange(stop)`, `arange(start, stop)`, `arange(start, stop, step)` */
export function arange(
  machine: Machine,
  args: readonly Value[],
  dtype: Value,
  library: Library,
): ArrayValue {
  const numbers = args.map((each) => number(each, 'arange'));
  if (numbers.length === 0 || numbers.length > 3)
    raise('TypeError', 'arange() requires stop to be specified.');
  const [start, stop, step] =
    numbers.length === 1 ? [0, numbers[0]!, 1] : [numbers[0]!, numbers[1]!, numbers[2] ?? 1];
  if (step === 0) raise('ZeroDivisionError', 'division by zero');
  const isFloat = args.some((each) => each instanceof Float);
  const own = isFloat ? defaultFloat(library) : 'int64';
  const count = Math.max(0, Math.ceil((stop - start) / step));
  const at = (i: number) => start + i * step;
  return fromNumbers(machine.recorder, at, [count], dtypeOf(dtype, library) ?? own, library);
}

export function linspace(
  machine: Machine,
  start: Value,
  stop: Value,
  count: Value,
  library: Library,
  endpoint = true,
): ArrayValue {
  const [from, to, size] = [number(start, 'start'), number(stop, 'stop'), integer(count, 'num')];
  const step = (to - from) / (endpoint ? Math.max(1, size - 1) : size);
  const at = (i: number) => from + i * step;
  return fromNumbers(machine.recorder, at, [size], defaultFloat(library), library);
}

export function eye(
  machine: Machine,
  rows: Value,
  columns: Value,
  k: number,
  dtype: Value,
  library: Library,
): ArrayValue {
  const n = integer(rows, 'N');
  const m = columns === null ? n : integer(columns, 'M');
  const own = dtypeOf(dtype, library) ?? defaultFloat(library);
  const at = (i: number) => Number((i % m) - Math.floor(i / m) === k);
  return fromNumbers(machine.recorder, at, [n, m], own, library);
}

/** Random numbers, our own: the same for the same seed and order of calls, but not NumPy's or PyTorch's. */
export function random(
  machine: Machine,
  shape: readonly number[],
  kind: 'normal' | 'uniform',
  library: Library,
): ArrayValue {
  const { recorder } = machine;
  recorder.elements(shape);
  machine.seed += 1;
  const sizes = shape.length === 0 ? [1] : [...shape];
  const options = { seed: machine.seed };
  const made =
    kind === 'normal'
      ? recorder.tril.randomNormal(sizes, options)
      : recorder.tril.randomUniform(sizes, options);
  return new ArrayValue(recorder, recorder.input(made), shape, defaultFloat(library), library);
}

/** Integers from low on and below high. */
export function randomIntegers(
  machine: Machine,
  low: Value,
  high: Value,
  shape: Value,
  library: Library,
): Value {
  const [from, to] =
    high === null ? [0, integer(low, 'high')] : [integer(low, 'low'), integer(high, 'high')];
  if (to <= from) raise('ValueError', 'low >= high');
  const sizes = shape === null ? [] : integers(shape, 'size');
  const uniform = random(machine, sizes, 'uniform', library).numbers();
  const all = uniform.map(
    (value) => from + Math.min(to - from - 1, Math.floor(value * (to - from))),
  );
  return shape === null ? all[0]! : fromNumbers(machine.recorder, all, sizes, 'int64', library);
}

export function setSeed(machine: Machine, seed: Value): null {
  machine.seed = Math.abs(integer(seed, 'seed')) * 4096;
  return null;
}

/** The result of `np.where(condition)`: an index array for each axis. */
export function nonzero(x: ArrayValue): number[][] {
  const places = [...x.numbers()].flatMap((value, i) => (value === 0 ? [] : [i]));
  return x.shape.map((size, axis) => {
    const below = sizeOf(x.shape.slice(axis + 1));
    return places.map((place) => Math.floor(place / below) % size);
  });
}

/** The arrays in a list or tuple. */
export function arraysOf(machine: Machine, value: Value, library: Library): ArrayValue[] {
  if (value instanceof ArrayValue || isRow(value))
    return Array.from(machine.iterate(value), (item) => toArray(machine, item, library));
  return raise('TypeError', 'arrays to join must be given as a sequence');
}

/** The bounds of parts in `np.split` and `np.array_split`. */
export function splitBounds(size: number, sections: Value, isEven: boolean): number[] {
  if (isRow(sections) || sections instanceof ArrayValue) {
    const inner =
      sections instanceof ArrayValue ? [...sections.numbers()] : integers(sections, 'indices');
    const clamp = (at: number) => Math.min(size, Math.max(0, at < 0 ? at + size : at));
    return [0, ...inner.map(clamp), size];
  }
  const count = integer(sections, 'indices_or_sections');
  if (count <= 0) raise('ValueError', 'number sections must be larger than 0.');
  if (isEven && size % count !== 0)
    raise('ValueError', 'array split does not result in an equal division');
  const [each, more] = [Math.floor(size / count), size % count];
  const bounds = [0];
  for (let i = 0; i < count; ++i) bounds.push(bounds.at(-1)! + each + (i < more ? 1 : 0));
  return bounds;
}
