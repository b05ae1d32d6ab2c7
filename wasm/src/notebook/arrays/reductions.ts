// Reductions: sums, means, maxima and their kin, along one axis, several, or all.
import { upTo } from '../../graph/operations/common.js';
import { raise, raiseAs } from '../language/errors.js';
import { ArrayValue, sizeOf, type DtypeName } from './array.js';
import { arithmetic, elementwise, recordedOf, reshaped, unary } from './arithmetic.js';
import { floatOf, isFloat } from './dtypes.js';
import { alongAxis, axisIn, swapAxes, take } from './moves.js';

export interface Along {
  /** The axes; undefined for all. */
  readonly axes: readonly number[] | undefined;
  readonly keepDims: boolean;
}

function along(
  call: string,
  x: ArrayValue,
  { axes, keepDims }: Along,
  dtype: DtypeName,
): ArrayValue {
  const gone = axes?.map((axis) => axisIn(x, axis)) ?? upTo(x.rank);
  if (new Set(gone).size !== gone.length) raise('ValueError', "duplicate value in 'axis'");
  const left = x.shape.filter((_, axis) => !gone.includes(axis));
  const shape = keepDims ? x.shape.map((size, axis) => (gone.includes(axis) ? 1 : size)) : left;
  const isEmpty = gone.some((axis) => x.shape[axis] === 0) || (axes === undefined && x.size === 0);
  if (isEmpty && ['max', 'min', 'argmax'].includes(call)) {
    const name = { max: 'maximum', min: 'minimum', argmax: 'argmax' }[call as 'max'];
    const text =
      call === 'argmax'
        ? 'attempt to get argmax of an empty sequence'
        : `zero-size array to reduction operation ${name} which has no identity`;
    raiseAs(x.library, { numpy: ['ValueError', text], torch: ['IndexError', text] });
  }
  const { recorder } = x;
  let made = x.recorded;
  if (gone.length === x.rank) made = recorder.make(call, [made]);
  else {
    for (const axis of [...gone].sort((a, b) => b - a))
      made = recorder.make(call, [made], { axis });
  }
  return x.like(reshaped(recorder, made, shape), shape, dtype);
}

/** Sums and products of booleans are integers. */
const summed = ({ dtype }: ArrayValue): DtypeName => (dtype === 'bool' ? 'int64' : dtype);

export const sum = (x: ArrayValue, by: Along): ArrayValue => along('sum', x, by, summed(x));

export function mean(x: ArrayValue, by: Along): ArrayValue {
  if (x.library === 'torch' && !isFloat(x.dtype)) {
    const text =
      'mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long';
    raise('RuntimeError', text);
  }
  return along('mean', x, by, floatOf(x));
}

export const max = (x: ArrayValue, by: Along): ArrayValue => along('max', x, by, x.dtype);
export const min = (x: ArrayValue, by: Along): ArrayValue => along('min', x, by, x.dtype);

export const argmax = (x: ArrayValue, by: Along): ArrayValue => along('argmax', x, by, 'int64');
export const argmin = (x: ArrayValue, by: Along): ArrayValue => argmax(arithmetic('*', x, -1), by);

export const any = (x: ArrayValue, by: Along): ArrayValue =>
  along('max', elementwise('notEqual', x, 0), by, 'bool');
export const all = (x: ArrayValue, by: Along): ArrayValue =>
  along('min', elementwise('notEqual', x, 0), by, 'bool');

/** The mean square distance from the mean; `correction` is 1 where PyTorch divides by one less. */
export function variance(x: ArrayValue, by: Along, correction: number): ArrayValue {
  const difference = arithmetic('-', x, mean(x, { ...by, keepDims: true }));
  const square = arithmetic('*', difference, difference);
  if (correction === 0) return mean(square, by);
  const gone = by.axes?.map((axis) => axisIn(x, axis)) ?? upTo(x.rank);
  const count = sizeOf(gone.map((axis) => x.shape[axis]!));
  return arithmetic('/', sum(square, by), count - correction);
}

export const deviation = (x: ArrayValue, by: Along, correction: number): ArrayValue =>
  unary('sqrt', variance(x, by, correction));

/** Multiplies the slices along an axis one after another. */
export const product = (x: ArrayValue, axis: number | undefined): ArrayValue =>
  alongAxis(x, axis, (flat, at) => {
    const slices = upTo(flat.shape[at]!).map((i) => take(flat, [i], at));
    const [first, ...rest] = slices;
    const made = rest.reduce((a, b) => arithmetic('*', a, b), first!);
    const shape = flat.shape.filter((_, i) => i !== at);
    const value = first ? made.recorded : recordedOf(x.recorder, 1);
    return x.like(reshaped(x.recorder, value, shape), shape, summed(x));
  });

/** Cumulative sums, as a product with a triangle of ones. */
export const cumulativeSum = (x: ArrayValue, axis: number | undefined): ArrayValue =>
  alongAxis(x, axis, (flat, at) => {
    const size = flat.shape[at]!;
    const { recorder } = x;
    const ones = recorder.constant([size, size], (i) => Number(Math.floor(i / size) <= i % size));
    const last = swapAxes(flat, at, -1);
    const rows = flat.rank === 1 ? reshaped(recorder, last.recorded, [1, size]) : last.recorded;
    const made = reshaped(recorder, recorder.make('matmul', [rows, ones]), last.shape);
    return swapAxes(x.like(made, last.shape, summed(x)), at, -1).copy();
  });

/** The numbers on and below a diagonal, or on and above one; 0 elsewhere. */
export function triangle(x: ArrayValue, diagonal: number, isUpper: boolean): ArrayValue {
  if (x.rank < 2) {
    const text = 'tril and triu need at least two axes';
    raiseAs(x.library, { numpy: ['ValueError', text], torch: ['RuntimeError', text] });
  }
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const { recorder } = x;
  const keeps = recorder.constant([rows, columns], (i) => {
    const after = (i % columns) - Math.floor(i / columns);
    return Number(isUpper ? after >= diagonal : after <= diagonal);
  });
  return x.like(recorder.make('where', [keeps, x.recorded, recorder.number(0)]), x.shape);
}

/** Softmax or its logarithm along an axis. */
export function softmax(x: ArrayValue, axis: number, isLog = false): ArrayValue {
  if (!isFloat(x.dtype))
    raise('RuntimeError', `"softmax_lastdim_kernel_impl" not implemented for 'Long'`);
  const at = axisIn(x, axis, Math.max(1, x.rank));
  return x.like(
    x.recorder.make(isLog ? 'logSoftmax' : 'softmax', [x.recorded], { axis: at }),
    x.shape,
  );
}
