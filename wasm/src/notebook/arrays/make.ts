// Arrays from numbers, lists and other arrays.
import { raise } from '../language/errors.js';
import { worked } from '../language/work.js';
import {
  Float,
  isNumber,
  isRow,
  List,
  numberIn,
  typeName,
  type Value,
} from '../language/values.js';
import { ArrayValue, shortest, sizeOf, type DtypeName, type Library } from './array.js';
import { converted } from './arithmetic.js';
import { asType, plainDtype, resultKind } from './dtypes.js';
import { stack } from './moves.js';
import type { Recorder } from './record.js';

/** The numbers of nested lists, and their shape; undefined where the lists contain arrays. */
function numbersOf(
  value: Value,
  fail: (text: string) => never,
): { numbers: number[]; shape: number[]; dtypes: DtypeName[] } | undefined {
  const all: number[] = [];
  const dtypes = new Set<DtypeName>();
  let shape: number[] | undefined;
  const visit = (each: Value, above: readonly number[]): boolean => {
    if (each instanceof ArrayValue) return false;
    if (isNumber(each)) {
      if (shape && shape.length !== above.length) fail('inhomogeneous');
      shape ??= [...above];
      all.push(numberIn(each));
      dtypes.add(plainDtype(each, 'numpy'));
      return true;
    }
    if (!isRow(each)) raise('TypeError', `an array cannot be made of ${typeName(each)}`);
    if (all.length > 1e7) raise('MemoryError', 'a list for an array may have 10,000,000 numbers');
    const { items } = each as List;
    worked(items.length);
    const own = [...above, items.length];
    const at = above.length;
    if (shape && (shape.length <= at || shape[at] !== items.length)) fail('inhomogeneous');
    if (items.length === 0) shape ??= own;
    return items.every((item) => visit(item, own));
  };
  if (!visit(value, [])) return undefined;
  return { numbers: all, shape: shape ?? [], dtypes: [...dtypes] };
}

/** An array of any value that can be converted. */
export function arrayOf(
  recorder: Recorder,
  value: Value,
  library: Library,
  dtype?: DtypeName,
): ArrayValue {
  if (value instanceof ArrayValue) {
    const same = new ArrayValue(recorder, value.recorded, value.shape, value.dtype, library);
    return dtype ? converted(same, dtype) : same;
  }
  const isTorch = library === 'torch';
  const fail = (): never =>
    isTorch
      ? raise('ValueError', 'expected sequence of one length at every depth')
      : raise(
          'ValueError',
          'setting an array element with a sequence. The requested array has an inhomogeneous shape',
        );
  const flat = numbersOf(value, fail);
  if (!flat) {
    const parts = (value as List).items.map((item) => arrayOf(recorder, item, library));
    const kind = resultKind(parts);
    if (parts.some((each) => each.shape.join() !== parts[0]!.shape.join())) fail();
    const made = stack(parts, 0);
    return converted(
      new ArrayValue(recorder, made.recorded, made.shape, kind.dtype, library),
      dtype ?? kind.dtype,
    );
  }
  const order: readonly DtypeName[] = ['float64', 'int64', 'bool'];
  const found = order.find((each) => flat.dtypes.includes(each)) ?? 'float64';
  const own = dtype ?? (found === 'float64' && isTorch ? 'float32' : found);
  return fromNumbers(recorder, asType(flat.numbers, own), flat.shape, own, library);
}

export function fromNumbers(
  recorder: Recorder,
  numbers: Parameters<Recorder['constant']>[1],
  shape: readonly number[],
  dtype: DtypeName,
  library: Library,
): ArrayValue {
  return new ArrayValue(recorder, recorder.constant(shape, numbers), shape, dtype, library);
}

export function full(
  recorder: Recorder,
  shape: readonly number[],
  value: number,
  dtype: DtypeName,
  library: Library,
): ArrayValue {
  return fromNumbers(recorder, () => value, shape, dtype, library);
}

/** Numbers as nested Python lists. */
export function toLists(x: ArrayValue): Value {
  const numbers = x.numbers();
  const item = (place: number): Value => plainNumber(x, numbers[place]!);
  const visit = (axis: number, place: number): Value => {
    if (axis === x.rank) return item(place);
    const below = sizeOf(x.shape.slice(axis + 1));
    worked(x.shape[axis]!);
    return new List(
      Array.from({ length: x.shape[axis]! }, (_, i) => visit(axis + 1, place + i * below)),
    );
  };
  return visit(0, 0);
}

/** A number of an array as a Python number. */
export function plainNumber(x: ArrayValue, value: number): Value {
  if (x.dtype === 'bool') return value !== 0;
  if (x.dtype === 'int64') return value;
  return new Float(x.library === 'torch' ? value : shortest(value));
}
