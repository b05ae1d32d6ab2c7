// Operations that move numbers and compute none: reshape, transposes, joins, repeats.
import { upTo } from '../../graph/operations/common.js';
import { shapeText } from '../../error.js';
import { raise, raiseAs } from '../language/errors.js';
import { ArrayValue, placesOf, sizeOf, stridesOf, type Library } from './array.js';
import { reshaped, shapeWords } from './arithmetic.js';
import { resultKind } from './dtypes.js';
import type { Recorded } from './record.js';

/** An axis counted from the front. @throws Raised where there is none */
export function axisIn(x: { rank: number; library: Library }, axis: number, rank = x.rank): number {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  const [low, high] = [-Math.max(rank, 1), Math.max(rank, 1) - 1];
  const expected = `expected to be in range of [${low}, ${high}], but got ${axis}`;
  return raiseAs(x.library, {
    numpy: ['AxisError', `axis ${axis} is out of bounds for array of dimension ${rank}`],
    torch: ['IndexError', `Dimension out of range (${expected})`],
  });
}

/** Sizes, of which one may be -1. */
function resolved(x: ArrayValue, shape: readonly number[]): number[] {
  const known = sizeOf(shape.filter((size) => size !== -1));
  const unknown = shape.filter((size) => size === -1).length;
  if (unknown > 1) {
    raiseAs(x.library, {
      numpy: ['ValueError', 'can only specify one unknown dimension'],
      torch: ['RuntimeError', 'only one dimension can be inferred'],
    });
  }
  const fits = unknown === 0 ? known === x.size : known > 0 && x.size % known === 0;
  if (!fits || shape.some((size) => size < -1)) {
    const words = shapeWords(shape, '');
    raiseAs(x.library, {
      numpy: ['ValueError', `cannot reshape array of size ${x.size} into shape ${words}`],
      torch: ['RuntimeError', `shape '${shapeText(shape)}' is invalid for input of size ${x.size}`],
    });
  }
  return shape.map((size) => (size === -1 ? x.size / known : size));
}

export function reshape(x: ArrayValue, shape: readonly number[]): ArrayValue {
  const sizes = resolved(x, shape);
  const make = (recorded: Recorded) => reshaped(x.recorder, recorded, sizes);
  // NumPy and PyTorch copy an array that is not contiguous.
  if (!x.isContiguous) return x.like(make(x.recorded), sizes);
  return x.view(sizes, make, () => upTo(x.size));
}

/** PyTorch's `view`, which never copies. */
export function viewAs(x: ArrayValue, shape: readonly number[]): ArrayValue {
  const sizes = resolved(x, shape);
  if (x.isContiguous || isViewable(x, sizes)) {
    const make = (recorded: Recorded) => reshaped(x.recorder, recorded, sizes);
    return x.view(sizes, make, () => upTo(x.size));
  }
  const text =
    "view size is not compatible with input tensor's size and stride (at least one dimension spans " +
    'across two contiguous subspaces). Use .reshape(...) instead.';
  return raise('RuntimeError', text);
}

/** Whether a shape fits the strides, by PyTorch's rule: contiguous axes count as one. */
function isViewable(x: ArrayValue, sizes: readonly number[]): boolean {
  const blocks: number[] = [];
  let base = x.strides.at(-1) ?? 1;
  let size = 1;
  for (let axis = x.rank - 1; axis >= 0; --axis) {
    size *= x.shape[axis]!;
    const isLast = axis === 0;
    const before = isLast ? 0 : x.strides[axis - 1]!;
    if (isLast || (x.shape[axis - 1] !== 1 && before !== size * base)) {
      blocks.push(size);
      [base, size] = [before, 1];
    }
  }
  let axis = sizes.length - 1;
  for (const block of blocks) {
    let taken = 1;
    while (axis >= 0 && (taken < block || sizes[axis] === 1)) taken *= sizes[axis--]!;
    if (taken !== block) return false;
  }
  return axis < 0;
}

export function transpose(x: ArrayValue, axes: readonly number[]): ArrayValue {
  if (axes.length !== x.rank) {
    const problem = 'number of dimensions in the tensor input does not match';
    raiseAs(x.library, {
      numpy: ['ValueError', "axes don't match array"],
      torch: ['RuntimeError', `permute(sparse_coo): ${problem}`],
    });
  }
  const order = axes.map((axis) => axisIn(x, axis));
  if (new Set(order).size !== order.length) {
    raiseAs(x.library, {
      numpy: ['ValueError', 'repeated axis in transpose'],
      torch: ['RuntimeError', 'permute(): duplicate dims are not allowed.'],
    });
  }
  if (order.every((axis, i) => axis === i)) return identity(x);
  const shape = order.map((axis) => x.shape[axis]!);
  const strides = order.map((axis) => x.strides[axis]!);
  const make = (recorded: Recorded) => x.recorder.make('transpose', [recorded], { axes: order });
  const places = () => {
    const own = stridesOf(x.shape);
    const steps = order.map((axis) => own[axis]!);
    return placesOf(shape, steps, 0);
  };
  return x.view(shape, make, places, strides);
}

/** A view of the whole array. */
export const identity = (x: ArrayValue): ArrayValue =>
  x.view(
    x.shape,
    (recorded) => recorded,
    () => upTo(x.size),
    x.strides,
  );

export function swapAxes(x: ArrayValue, a: number, b: number): ArrayValue {
  const [first, second] = [axisIn(x, a), axisIn(x, b)];
  const order = upTo(x.rank);
  [order[first], order[second]] = [second, first];
  return transpose(x, order);
}

/** Computes along an axis, or on the flattened array without one. */
export function alongAxis<Result>(
  x: ArrayValue,
  axis: number | undefined,
  compute: (x: ArrayValue, axis: number) => Result,
): Result {
  return axis === undefined ? compute(reshape(x, [-1]), 0) : compute(x, axisIn(x, axis));
}

/** Inserts axes of size 1 at the positions `axes` of the result. */
export function expandDims(x: ArrayValue, axes: readonly number[]): ArrayValue {
  const rank = x.rank + axes.length;
  const at = axes.map((axis) => axisIn(x, axis, rank));
  const [shape, strides] = [[...x.shape], [...x.strides]];
  for (const axis of [...at].sort((a, b) => a - b)) {
    shape.splice(axis, 0, 1);
    strides.splice(axis, 0, 1);
  }
  const make = (recorded: Recorded) => reshaped(x.recorder, recorded, shape);
  return x.view(shape, make, () => upTo(x.size), strides);
}

export function squeeze(x: ArrayValue, axes: readonly number[] | undefined): ArrayValue {
  const at = axes?.map((axis) => axisIn(x, axis)) ?? upTo(x.rank).filter((i) => x.shape[i] === 1);
  const wrong = at.some((axis) => x.shape[axis] !== 1);
  if (wrong && x.library === 'torch') return identity(x);
  if (wrong) {
    const text = 'cannot select an axis to squeeze out which has size not equal to one';
    raise('ValueError', text);
  }
  const left = upTo(x.rank).filter((axis) => !at.includes(axis));
  const shape = left.map((axis) => x.shape[axis]!);
  const strides = left.map((axis) => x.strides[axis]!);
  const make = (recorded: Recorded) => reshaped(x.recorder, recorded, shape);
  return x.view(shape, make, () => upTo(x.size), strides);
}

/** The parts of an axis at these indices, which may repeat. */
export function take(x: ArrayValue, indices: readonly number[], axis: number): ArrayValue {
  const at = axisIn(x, axis);
  const shape = x.shape.map((size, i) => (i === at ? indices.length : size));
  return x.like(x.recorder.make('take', [x.recorded], { axis: at, indices: [...indices] }), shape);
}

export function concatenate(all: readonly ArrayValue[], axis: number): ArrayValue {
  const [first] = all;
  if (!first) return raise('ValueError', 'need at least one array to concatenate');
  const kind = resultKind(all);
  const { library } = kind;
  if (all.some(({ rank }) => rank === 0)) {
    const text = 'zero-dimensional arrays cannot be concatenated';
    raiseAs(library, { numpy: ['ValueError', text], torch: ['RuntimeError', text] });
  }
  const at = axisIn(first, axis);
  for (const [i, { rank, shape }] of all.entries()) {
    if (rank !== first.rank) {
      const dimensions = `the array at index 0 has ${first.rank} dimension(s) and the array at index ${i} has ${rank}`;
      raiseAs(library, {
        numpy: ['ValueError', `all the input array dimensions must match, but ${dimensions}`],
        torch: ['RuntimeError', 'Tensors must have same number of dimensions'],
      });
    }
    const wrong = shape.findIndex((size, k) => k !== at && size !== first.shape[k]);
    if (wrong < 0) continue;
    const [wanted, found] = [first.shape[wrong], shape[wrong]];
    const sizes = `along dimension ${wrong}, the array at index 0 has size ${wanted} and the array at index ${i} has size ${found}`;
    raiseAs(library, {
      numpy: [
        'ValueError',
        `all the input array dimensions except for the concatenation axis must match exactly, but ${sizes}`,
      ],
      torch: [
        'RuntimeError',
        `Sizes of tensors must match except in dimension ${at}. Expected size ${wanted} but got size ${found} for tensor number ${i} in the list.`,
      ],
    });
  }
  const shape = first.shape.map((size, i) =>
    i === at ? all.reduce((sum, each) => sum + each.shape[at]!, 0) : size,
  );
  const inputs = all.map((each) => each.recorded);
  const made = first.recorder.make('concatenate', inputs, { axis: at });
  return new ArrayValue(first.recorder, made, shape, kind.dtype, kind.library);
}

export function stack(all: readonly ArrayValue[], axis: number): ArrayValue {
  const [first] = all;
  if (!first) return raise('ValueError', 'need at least one array to stack');
  if (all.some((each) => each.shape.join() !== first.shape.join())) {
    raiseAs(first.library, {
      numpy: ['ValueError', 'all input arrays must have the same shape'],
      torch: ['RuntimeError', 'stack expects each tensor to be equal size'],
    });
  }
  const at = axisIn(first, axis, first.rank + 1);
  return concatenate(
    all.map((each) => expandDims(each, [at])),
    at,
  );
}

/** A view of the part of an axis from `start` on and before `stop`. */
export function part(x: ArrayValue, axis: number, start: number, stop: number): ArrayValue {
  if (start === 0 && stop === x.shape[axis]) return identity(x);
  const shape = x.shape.map((size, i) => (i === axis ? stop - start : size));
  const make = (recorded: Recorded) => x.recorder.make('slice', [recorded], { axis, start, stop });
  const steps = stridesOf(x.shape);
  return x.view(shape, make, () => placesOf(shape, steps, start * steps[axis]!), x.strides);
}
