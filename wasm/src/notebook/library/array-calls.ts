// Computations shared by several methods and functions of arrays.
import {
  apart,
  arithmetic,
  broadcastShapes,
  converted,
  elementwise,
  recordedOf,
  repeatedTo,
  reshaped,
  shapeWords,
  shapeOf,
  unary,
} from '../arrays/arithmetic.js';
import { ArrayValue, placesOf, stridesOf } from '../arrays/array.js';
import { resultKind } from '../arrays/dtypes.js';
import { fromNumbers } from '../arrays/make.js';
import { shapeText } from '../../error.js';
import { upTo } from '../../graph/operations/common.js';
import { axisIn, part, alongAxis, reshape, squeeze, swapAxes, take } from '../arrays/moves.js';
import * as reduce from '../arrays/reductions.js';
import { raise, raiseAs } from '../language/errors.js';
import { truth } from '../language/comparisons.js';
import { type Args, integer, integers, number } from '../language/signature.js';
import { Float, Tuple, type Value, isNumber, typeName } from '../language/values.js';
import { along, axisOrNone } from './make-arrays.js';
import { halfToEven } from './math.js';

/** An argument as an array of the same library. */
export function other(x: ArrayValue, value: Value): ArrayValue {
  if (value instanceof ArrayValue) return value;
  if (isNumber(value))
    return x.like(recordedOf(x.recorder, value), [], value instanceof Float ? x.dtype : 'int64');
  return raise('TypeError', `must be an array or a number, not ${typeName(value)}`);
}

/** The largest or smallest; with an axis, PyTorch's pair of values and their indices. */
export function extreme(x: ArrayValue, which: 'max' | 'min', dim: Value, keepDims: Value): Value {
  if (dim instanceof ArrayValue) return elementwise(`${which}imum`, x, dim);
  const values = reduce[which](x, along(dim, keepDims));
  if (dim === null) return values;
  const indices = reduce[`arg${which}`](x, along(integer(dim, 'dim'), keepDims));
  return new Tuple([values, indices], `torch.return_types.${which}`);
}

export const clip = (x: ArrayValue, low: Value, high: Value): ArrayValue => {
  const above = low === null ? x : elementwise('maximum', x, low);
  return high === null ? above : elementwise('minimum', above, high);
};

/** Numbers rounded to that many digits, with ties to even. */
export const round = (x: ArrayValue, digits: number): ArrayValue => {
  const scale = 10 ** digits;
  return apart([x], (value) => halfToEven(value * scale) / scale, x.dtype);
};

/** Work of sorting, for each number. */
export const sortingWork = 8;

export function sort(
  x: ArrayValue,
  axis: number,
  descending = false,
): { values: ArrayValue; order: ArrayValue } {
  const at = axisIn(x, axis);
  const turned = swapAxes(x, at, -1);
  const [numbers, size] = [turned.numbers(sortingWork), x.shape[at]!];
  const rows = size === 0 ? 0 : numbers.length / size;
  const order = upTo(rows).flatMap((row) => {
    const line = numbers.subarray(row * size, (row + 1) * size);
    const by = (a: number, b: number) =>
      (descending ? line[b]! - line[a]! : line[a]! - line[b]!) || a - b;
    return upTo(size).sort(by);
  });
  const places = order.map((place, i) => Math.floor(i / Math.max(1, size)) * size + place);
  const flat = reshaped(x.recorder, turned.recorded, [x.size]);
  const made = reshaped(
    x.recorder,
    x.recorder.make('take', [flat], { axis: 0, indices: places }),
    turned.shape,
  );
  const copy = (each: ArrayValue) => each.copy();
  const indices = fromNumbers(x.recorder, order, turned.shape, 'int64', x.library);
  return {
    values: copy(swapAxes(x.like(made, turned.shape), at, -1)),
    order: copy(swapAxes(indices, at, -1)),
  };
}

/** NumPy's and PyTorch's masked fill: `value` where the mask is true. */
export function maskedFill(x: ArrayValue, mask: ArrayValue, value: Value): ArrayValue {
  if (mask.dtype !== 'bool')
    raise(
      'RuntimeError',
      'masked_fill_ only supports boolean masks, but got mask with dtype long int',
    );
  const { recorder } = x;
  const shape = arithmetic('+', x, converted(mask, 'int64')).shape;
  const made = recorder.make('where', [mask.recorded, recordedOf(recorder, value), x.recorded]);
  return x.like(repeatedTo(recorder, made, shape), shape);
}

/** An array broadcast to a shape; -1 keeps an axis. */
export function expand(x: ArrayValue, sizes: readonly number[]): ArrayValue {
  const more = sizes.length - x.rank;
  const shape = sizes.map((size, i) => (size === -1 ? (x.shape[i - more] ?? -1) : size));
  if (more < 0 || shape.some((size) => size < 0)) {
    raiseAs(x.library, {
      numpy: [
        'ValueError',
        `${shapeWords(x.shape, '')} cannot be broadcast to ${shapeWords(sizes, '')}`,
      ],
      torch: ['RuntimeError', `${shapeText(x.shape)} cannot be expanded to ${shapeText(sizes)}`],
    });
  }
  const wrong = x.shape.findIndex((size, i) => size !== 1 && size !== shape[i + more]);
  if (wrong >= 0) {
    const [from, to] = [x.shape, shape].map((each) => shapeWords(each, ''));
    raiseAs(x.library, {
      numpy: [
        'ValueError',
        `operands could not be broadcast together with remapped shapes [original->remapped]: ${from} and requested shape ${to}`,
      ],
      torch: [
        'RuntimeError',
        `The expanded size of the tensor (${shape[wrong + more]}) must match the existing size (${x.shape[wrong]}) at non-singleton dimension ${wrong + more}`,
      ],
    });
  }
  return x.like(repeatedTo(x.recorder, x.recorded, shape), shape);
}

/** `x` repeated along each axis. */
export function tile(x: ArrayValue, times: readonly number[]): ArrayValue {
  x.recorder.check([x.size, ...times]);
  const rank = Math.max(x.rank, times.length);
  const shape = [...Array<number>(rank - x.rank).fill(1), ...x.shape];
  let made = x.like(reshaped(x.recorder, x.recorded, shape), shape);
  for (const [i, count] of times.entries()) {
    const axis = i + rank - times.length;
    if (count !== 1)
      made = take(
        made,
        upTo(count).flatMap(() => upTo(made.shape[axis]!)),
        axis,
      );
  }
  return made;
}

export const repeat = (x: ArrayValue, times: Value, axis: Value): ArrayValue =>
  alongAxis(x, axisOrNone(axis), (flat, at) => {
    const counts = integers(times, 'repeats');
    x.recorder.check([flat.size, counts.reduce((a, b) => Math.max(a, b), 0)]);
    const all = upTo(flat.shape[at]!).flatMap((i) =>
      Array<number>(counts[i % counts.length]!).fill(i),
    );
    return take(flat, all, at);
  });

/** An array with the order along some axes reversed. */
export const flip = (x: ArrayValue, axes: readonly number[]): ArrayValue =>
  axes
    .map((axis) => axisIn(x, axis))
    .reduce((made, at) => take(made, upTo(made.shape[at]!).reverse(), at), x);

/** An array shifted along an axis; numbers that leave one end come in at the other. */
export function roll(x: ArrayValue, by: number, axis: number | undefined): ArrayValue {
  const made = alongAxis(x, axis, (flat, at) => {
    const size = flat.shape[at]!;
    return take(
      flat,
      upTo(size).map((i) => (((i - by) % size) + size) % size),
      at,
    );
  });
  return axis === undefined ? reshape(made, x.shape) : made;
}

export const absolute = (x: ArrayValue): ArrayValue =>
  elementwise('maximum', x, arithmetic('*', x, -1));

export const sigmoid = (x: ArrayValue): ArrayValue =>
  arithmetic('/', 1, arithmetic('+', 1, unary('exp', arithmetic('*', x, -1))));

/** Numbers of an axis by an index for each element. */
export function gather(x: ArrayValue, axis: number, index: ArrayValue): ArrayValue {
  const at = axisIn(x, axis);
  const own = stridesOf(x.shape);
  const steps = own.map((step, i) => (i === at ? 0 : step));
  const lines = placesOf(index.shape, steps);
  const places = Array.from(index.numbers(), (each, i) => {
    if (each < 0 || each >= x.shape[at]!) {
      const text = `index ${each} is out of bounds for dimension ${at} with size ${x.shape[at]}`;
      raise('RuntimeError', text);
    }
    return lines[i]! + each * own[at]!;
  });
  const flat = reshaped(x.recorder, x.recorded, [x.size]);
  const made = x.recorder.make('take', [flat], { axis: 0, indices: places });
  return x.like(reshaped(x.recorder, made, index.shape), index.shape);
}

/** PyTorch's split, by the size of parts or by a list of sizes. */
export function splitSizes(x: ArrayValue, size: Value, axis: number): Tuple {
  const at = axisIn(x, axis);
  const length = x.shape[at]!;
  const given = typeof size === 'number' ? undefined : integers(size, 'split_size');
  if (given && given.reduce((a, b) => a + b, 0) !== length) {
    raise(
      'RuntimeError',
      `split_with_sizes expects split_sizes to sum exactly to ${length} (input tensor's size at dimension ${at}), but got split_sizes=${shapeText(given)}`,
    );
  }
  const each = given ? 0 : Math.max(1, integer(size, 'split_size'));
  const sizes =
    given ??
    upTo(Math.max(1, Math.ceil(length / each))).map((i) => Math.min(each, length - i * each));
  let start = 0;
  return new Tuple(sizes.map((count) => part(x, at, start, (start += count))));
}

/**
 * The rounding of float32 in numbers that are called float64, whose tolerances are finer: relative, and for a number of about
 * 1.
 */
const rounding = { relative: 2e-6, absolute: 5e-7 };

/** Whether two arrays are close, element by element. A tolerance of 0 asks for equal numbers. */
export function isClose(x: ArrayValue, y: ArrayValue, { rtol, atol, equal_nan }: Args): ArrayValue {
  const given = [number(rtol!, 'rtol'), number(atol!, 'atol')] as const;
  const isRounded = [x, y].some(({ dtype }) => dtype === 'float64') && Math.max(...given) > 0;
  const [relative, absolute] = isRounded
    ? [Math.max(given[0], rounding.relative), Math.max(given[1], rounding.absolute)]
    : given;
  const isEither = (a: number, b: number) =>
    Number.isNaN(a) && Number.isNaN(b)
      ? truth(equal_nan!)
      : a === b || (Number.isFinite(b) && Math.abs(a - b) <= absolute + relative * Math.abs(b));
  return apart([x, y], (a, b) => Number(isEither(a, b)), 'bool');
}

export const isAll = (x: ArrayValue): boolean => x.numbers().every((each) => each !== 0);

export const isEqual = (x: ArrayValue, y: ArrayValue): boolean =>
  x.shape.join() === y.shape.join() && isAll(elementwise('equal', x, y));

/** The largest or smallest numbers along an axis, and their indices. */
export function topk(x: ArrayValue, count: number, axis: number, isLargest: boolean): Value {
  const at = axisIn(x, axis);
  if (count < 0 || count > x.shape[at]!) raise('RuntimeError', 'selected index k out of range');
  const { values, order } = sort(x, at, isLargest);
  const first = (each: ArrayValue) => part(each, at, 0, count).copy();
  return new Tuple([first(values), first(order)], 'torch.return_types.topk');
}

/** The logarithm of the sum of exponentials along an axis, without overflow. */
export function logSumExp(x: ArrayValue, axis: number, keepDims: boolean): ArrayValue {
  const at = axisIn(x, axis);
  const by = { axes: [at], keepDims: true };
  const largest = reduce.max(x, by);
  const sum = reduce.sum(unary('exp', arithmetic('-', x, largest)), by);
  const made = arithmetic('+', largest, unary('log', sum));
  return keepDims ? made : squeeze(made, [at]);
}

/** The diagonal of a matrix. */
export function diagonal(x: ArrayValue): ArrayValue {
  if (x.rank !== 2) raise('NotImplementedError', 'the diagonal is that of a matrix in this subset');
  const [rows, columns] = x.shape as [number, number];
  const places = upTo(Math.min(rows, columns)).map((i) => i * (columns + 1));
  return take(reshape(x.copy(), [-1]), places, 0);
}

export const trace = (x: ArrayValue): ArrayValue =>
  reduce.sum(diagonal(x), { axes: undefined, keepDims: false });

/** The diagonal of a matrix, or a matrix with this diagonal and 0 elsewhere. */
export function diag(x: ArrayValue): ArrayValue {
  if (x.rank !== 1) return diagonal(x);
  const isOn = (i: number) => Number(i % x.size === Math.floor(i / x.size));
  const on = fromNumbers(x.recorder, isOn, [x.size, x.size], 'bool', x.library);
  return converted(choose(on, x, 0), x.dtype);
}

/** `where(condition, x, y)` */
export function choose(condition: ArrayValue, x: Value, y: Value): ArrayValue {
  const { recorder } = condition;
  const kind = resultKind([x, y], [condition, x, y]);
  const shape = broadcastShapes(kind, condition.shape, shapeOf(x), shapeOf(y));
  const made = recorder.make('where', [
    condition.recorded,
    recordedOf(recorder, x),
    recordedOf(recorder, y),
  ]);
  const all = repeatedTo(recorder, made, shape);
  return new ArrayValue(recorder, all, shape, kind.dtype, kind.library);
}
