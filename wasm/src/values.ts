import { TrilError, shapeText } from './error.js';
import { arrayKind } from './kinds.js';
import { describe } from './names.js';

/**
 * JavaScript's half-precision numbers, where the engine has them; typed by the members of every typed
 * array, since TypeScript knows them only for the newest engines.
 */
export interface HalfArray extends ArrayBufferView {
  readonly [Symbol.toStringTag]: 'Float16Array';
  readonly length: number;
  readonly [index: number]: number;
  /** Overwrites numbers from `offset` on, rounded to half precision. */
  set(values: ArrayLike<number>, offset?: number): void;
}

/** Arrays of floating-point numbers, which tensors are filled from and read into. */
export type FloatArray = Float32Array | Float64Array | HalfArray;

/** Numbers nested to any depth: a row, a matrix as an array of rows, and so on. */
export type NestedNumbers = readonly number[] | readonly NestedNumbers[];

type NumericArray =
  | FloatArray
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/** The numbers of a tensor: nested numbers, or a typed array in row-major order. */
export type Values = NestedNumbers | NumericArray;

const largestAxis = 2 ** 31 - 1;

/** Throws unless `shape` is an array of whole numbers of at least 0. */
export function checkShape(call: string, shape: unknown): asserts shape is readonly number[] {
  if (!Array.isArray(shape)) {
    throw new TrilError(call, 'shape', `must be an array of sizes, is ${describe(shape)}`);
  }
  if (shape.length === 0) throw new TrilError(call, 'shape', 'must have at least one axis, is []');
  for (const [axis, size] of shape.entries()) {
    let problem: string | undefined;
    if (typeof size !== 'number' || !Number.isInteger(size)) problem = 'is not a whole number';
    else if (size < 0) problem = 'must be at least 0';
    else if (size > largestAxis) problem = 'is larger than can be addressed';
    if (problem) {
      const text = `axis ${axis} ${problem}; shape is ${shapeText(shape)}`;
      throw new TrilError(call, 'shape', text, { shape });
    }
  }
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function isNumericArray(data: unknown): data is NumericArray {
  const kind = arrayKind(data);
  return kind !== undefined && !kind.startsWith('Big');
}

/** NumPy's limit; deeper nesting may never end. */
const mostAxes = 64;

/** The shape of nested arrays, from their first elements. */
function nestedShape(data: unknown): number[] {
  const shape: number[] = [];
  for (let level = data; Array.isArray(level) && shape.length < mostAxes; level = level[0]) {
    shape.push(level.length);
  }
  return shape;
}

/** The rows of numbers in `data`, once all arrays of each level are known to have equal lengths. */
function rowsOf(
  call: string,
  argument: string,
  data: unknown,
  shape: readonly number[],
): readonly (readonly number[])[] {
  const rows: number[][] = [];
  const path: number[] = [];
  const where = () => (path.length > 0 ? `at [${path.join('][')}]` : 'at the top');
  const visit = (part: unknown, depth: number): void => {
    if (depth === shape.length) {
      if (typeof part === 'number') return;
      throw new TrilError(call, argument, `${where()} must be a number, is ${describe(part)}`);
    }
    if (!Array.isArray(part) || part.length !== shape[depth]) {
      const found = Array.isArray(part) ? `an array of ${part.length}` : describe(part);
      const wanted = `an array of ${shape[depth]}`;
      throw new TrilError(
        call,
        argument,
        `${where()} must be ${wanted}, is ${found}; shape is ${shapeText(shape)}`,
        { shape },
      );
    }
    for (const [i, child] of part.entries()) {
      path.push(i);
      visit(child, depth + 1);
      path.pop();
    }
    if (depth + 1 === shape.length) rows.push(part as number[]);
  };
  visit(data, 0);
  return rows;
}

/**
 * A new array of the numbers in `data`, which must be nested as `shape` says. It is allocated last: rows of
 * different lengths may begin like those of a far larger shape.
 */
function flattened<Numbers extends Float32Array | Int32Array>(
  call: string,
  argument: string,
  data: unknown,
  shape: readonly number[],
  kind: new (count: number) => Numbers,
): Numbers {
  const rows = rowsOf(call, argument, data, shape);
  const out = allocate(call, kind, shape);
  let next = 0;
  for (const row of rows) {
    out.set(row, next);
    next += row.length;
  }
  return out;
}

function allocate<Numbers>(
  call: string,
  kind: new (count: number) => Numbers,
  shape: readonly number[],
): Numbers {
  const count = elementCount(shape);
  try {
    return new kind(count);
  } catch {
    const problem = `out of memory: shape ${shapeText(shape)} needs ${4 * count} bytes`;
    throw new TrilError(call, 'shape', problem, { shape });
  }
}

/** The array itself, once known to be an array of floating-point numbers of that size. */
export function checkFloatArray<Floats extends FloatArray>(
  call: string,
  argument: string,
  array: Floats,
  size: number,
): Floats {
  const kinds = ['Float32Array', 'Float64Array', 'Float16Array'];
  const kind = arrayKind(array) ?? '';
  let problem: string | undefined;
  if (!kinds.includes(kind)) {
    problem = `must be a Float32Array, Float64Array or Float16Array, is ${describe(array)}`;
  } else if (array.length !== size) {
    problem = `has ${array.length} numbers, ${size} are needed`;
  }
  if (problem) throw new TrilError(call, argument, problem);
  return array;
}

/** The elements of `data` in row-major order; it must be flat, or nested as `shape`. */
export function flatten(
  call: string,
  data: unknown,
  shape: readonly number[],
  argument = 'data',
): Float32Array {
  const count = elementCount(shape);
  const flat = isNumericArray(data) || (Array.isArray(data) && !Array.isArray(data[0]));
  if (!flat && !Array.isArray(data)) {
    const problem = `must be an array of numbers or a typed array, is ${describe(data)}`;
    throw new TrilError(call, argument, problem);
  }
  if (flat && data.length !== count) {
    const problem = `has ${data.length} numbers, shape ${shapeText(shape)} needs ${count}`;
    throw new TrilError(call, argument, problem, { shape });
  }
  // Returned as it is: the module's own Float32Array copies and rounds its numbers.
  if (isNumericArray(data)) return data as Float32Array;
  return flattened(call, argument, data, flat ? [count] : shape, Float32Array);
}

/**
 * The shape of nested numbers, as `torch.tensor` and `numpy.array` read it; a typed array is one
 * axis.
 */
export function inferShape(call: string, data: unknown, argument = 'data'): readonly number[] {
  const shape = isNumericArray(data) ? [data.length] : nestedShape(data);
  if (shape.length === 0) {
    const problem = `must be an array of numbers or a typed array, is ${describe(data)}`;
    throw new TrilError(call, argument, problem);
  }
  return shape;
}

/** Whole numbers, nested or in a typed array, with their shape. */
export function flattenIntegers(
  call: string,
  argument: string,
  data: unknown,
): { shape: number[]; values: Int32Array } {
  const shape = inferShape(call, data, argument);
  const check = (value: number, i: number): void => {
    if (value === values[i]) return;
    throw new TrilError(call, argument, `must be whole numbers; number ${i} is ${value}`);
  };
  const values = isNumericArray(data)
    ? allocate(call, Int32Array, shape)
    : flattened(call, argument, data, shape, Int32Array);
  if (isNumericArray(data)) {
    values.set(data);
    for (let i = 0; i < data.length; ++i) check(data[i]!, i);
  } else {
    (data as unknown[]).flat(Infinity).forEach((value, i) => check(value as number, i));
  }
  return { shape: [...shape], values };
}

/** The largest number of arrays that engines make before they run out of memory. */
const mostArrays = 2 ** 26;

/** Nested arrays of `shape` from numbers in row-major order. */
export function nest(values: Float32Array, shape: readonly number[]): NestedNumbers {
  // A shape with an axis of 0 may have billions of rows, all empty.
  let arrays = 1;
  for (const size of shape.slice(0, -1)) {
    arrays *= size;
    if (arrays <= mostArrays) continue;
    const problem = `has too many rows for arrays; shape is ${shapeText(shape)}`;
    throw new TrilError('toArray', 'tensor', problem, { tensor: shape });
  }
  let next = 0;
  const nested = (axis: number): unknown[] => {
    const size = shape[axis]!;
    if (axis === shape.length - 1) return Array.from(values.subarray(next, (next += size)));
    return Array.from({ length: size }, () => nested(axis + 1));
  };
  return nested(0) as unknown as NestedNumbers;
}
