// x[...] and x[...] = y, by NumPy's rules: numbers, slices, None, ..., and arrays of integers or booleans.
import { upTo } from '../../graph/operations/common.js';
import { raise, raiseAs } from '../language/errors.js';
import { worked } from '../language/work.js';
import { shapeText } from '../../error.js';
import {
  ellipsis,
  Float,
  isRow,
  List,
  Range,
  Slice,
  Tuple,
  typeName,
  type Value,
} from '../language/values.js';
import { ArrayValue, placesOf, sizeOf, strideBack, stridesOf } from './array.js';
import {
  broadcastShapes,
  converted,
  jointShape,
  repeatedTo,
  reshaped,
  shapeWords,
} from './arithmetic.js';
import { isFloat } from './dtypes.js';
import { arrayOf } from './make.js';
import { part, take } from './moves.js';
import type { Recorded } from './record.js';

/** An integer that an index is, or undefined. */
export function integerOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof ArrayValue && value.isScalar && value.dtype === 'int64') return value.item();
  return undefined;
}

/** First place, step and count of a slice of an axis. */
export function sliceOf(
  slice: Slice,
  size: number,
): { start: number; step: number; count: number } {
  const bound = (value: Value): number | undefined => {
    if (value === null) return undefined;
    const integer = typeof value === 'boolean' ? Number(value) : integerOf(value);
    if (integer === undefined) {
      const text = 'slice indices must be integers or None or have an __index__ method';
      raise('TypeError', text);
    }
    return integer;
  };
  const step = bound(slice.step) ?? 1;
  if (step === 0) raise('ValueError', 'slice step cannot be zero');
  const [low, high] = step > 0 ? [0, size] : [-1, size - 1];
  const clamp = (value: number) => Math.min(high, Math.max(low, value < 0 ? value + size : value));
  const [start, stop] = [bound(slice.start), bound(slice.stop)];
  const first = start === undefined ? (step > 0 ? low : high) : clamp(start);
  const last = stop === undefined ? (step > 0 ? high : low) : clamp(stop);
  return { start: first, step, count: Math.max(0, Math.ceil((last - first) / step)) };
}

/** One axis of what is taken, in order. */
type Taken =
  | { readonly kind: 'one'; readonly at: number }
  | {
      readonly kind: 'slice';
      readonly start: number;
      readonly step: number;
      readonly count: number;
    }
  | { readonly kind: 'new' }
  | {
      readonly kind: 'list';
      readonly indices: readonly number[];
      readonly shape: readonly number[];
    };

function checkPlace(x: ArrayValue, at: number, axis: number, size: number): number {
  if (at >= -size && at < size) return at < 0 ? at + size : at;
  const word = x.library === 'torch' ? 'dimension' : 'axis';
  return raise('IndexError', `index ${at} is out of bounds for ${word} ${axis} with size ${size}`);
}

/** A list of integers or booleans, flat, with its shape. */
function listOf(
  value: List,
): { numbers: number[]; shape: number[]; isBoolean: boolean } | undefined {
  worked(value.items.length);
  const parts = value.items.map((item) => {
    if (item instanceof List) return listOf(item);
    const integer = typeof item === 'boolean' ? Number(item) : integerOf(item);
    if (integer === undefined) return undefined;
    return { numbers: [integer], shape: [] as number[], isBoolean: typeof item === 'boolean' };
  });
  const [first] = parts;
  if (!first)
    return value.items.length === 0 ? { numbers: [], shape: [0], isBoolean: false } : undefined;
  if (parts.some((each) => each?.shape.join() !== first.shape.join())) return undefined;
  const numbers = parts.flatMap((each) => each!.numbers);
  return { numbers, shape: [parts.length, ...first.shape], isBoolean: first.isBoolean };
}

/** How many axes of the array a part of the index is for. */
function widthOf(item: Value): number {
  if (item === null || item === ellipsis) return 0;
  if (item instanceof ArrayValue && item.dtype === 'bool') return item.rank;
  if (item instanceof List) {
    const list = listOf(item);
    return list?.isBoolean ? list.shape.length : 1;
  }
  return 1;
}

function wrongIndex(x: ArrayValue, item: Value): never {
  if (x.library === 'torch') {
    const text = 'tensors used as indices must be long, byte or bool tensors';
    if (item instanceof ArrayValue) raise('IndexError', text);
    const kinds = 'only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables';
    raise(
      item instanceof Float ? 'TypeError' : 'IndexError',
      `${kinds} are valid indices (got ${typeName(item)})`,
    );
  }
  if (item instanceof ArrayValue && item.rank > 0) {
    raise('IndexError', 'arrays used as indices must be of integer (or boolean) type');
  }
  const kinds = 'only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`)';
  return raise('IndexError', `${kinds} and integer or boolean arrays are valid indices`);
}

function takenOf(x: ArrayValue, index: Value): Taken[] {
  const all = index instanceof Tuple ? [...index.items] : [index];
  const items = all.map((item): Value => {
    if (item instanceof Tuple) return new List([...item.items]);
    return item instanceof Range ? arrayOf(x.recorder, item, x.library) : item;
  });
  const used = items.reduce<number>((sum, item) => sum + widthOf(item), 0);
  if (used > x.rank) {
    const were = `array is ${x.rank}-dimensional, but ${used} were indexed`;
    raiseAs(x.library, {
      numpy: ['IndexError', `too many indices for array: ${were}`],
      torch: ['IndexError', `too many indices for tensor of dimension ${x.rank}`],
    });
  }
  const dots = items.filter((item) => item === ellipsis).length;
  if (dots > 1) raise('IndexError', "an index can only have a single ellipsis ('...')");
  const everything = new Slice(null, null, null);
  const rest = Array.from({ length: x.rank - used }, (): Value => everything);
  if (dots === 0) items.push(...rest);
  else items.splice(items.indexOf(ellipsis), 1, ...rest);
  let axis = 0;
  return items.flatMap((item): Taken[] => {
    if (item === null) return [{ kind: 'new' }];
    const size = x.shape[axis]!;
    if (item instanceof Slice) {
      if (x.library === 'torch' && typeof item.step === 'number' && item.step < 0) {
        raise('ValueError', 'step must be greater than zero');
      }
      axis += 1;
      return [{ kind: 'slice', ...sliceOf(item, size) }];
    }
    const place = typeof item === 'boolean' ? undefined : integerOf(item);
    if (place !== undefined) {
      return [{ kind: 'one', at: checkPlace(x, place, axis++, size) }];
    }
    const list = item instanceof List ? listOf(item) : undefined;
    const isArray = item instanceof ArrayValue && !isFloat(item.dtype);
    if (!list && !isArray) return wrongIndex(x, item);
    const numbers = list?.numbers ?? [...(item as ArrayValue).numbers()];
    const shape = list?.shape ?? (item as ArrayValue).shape;
    if (list?.isBoolean ?? (item as ArrayValue).dtype === 'bool') {
      const sizes = x.shape.slice(axis, axis + shape.length);
      const wrong = shape.findIndex((each, i) => each !== sizes[i]);
      if (wrong >= 0) {
        const [dimension, size] = [sizes[wrong], shape[wrong]];
        raiseAs(x.library, {
          numpy: [
            'IndexError',
            `boolean index did not match indexed array along dimension ${axis + wrong}; dimension is ${dimension} but corresponding boolean dimension is ${size}`,
          ],
          torch: [
            'IndexError',
            `The shape of the mask ${shapeText(shape)} at index ${wrong} does not match the shape of the indexed tensor ${shapeText(x.shape)} at index ${axis + wrong}`,
          ],
        });
      }
      axis += shape.length;
      const found = upTo(numbers.length).filter((i) => numbers[i] !== 0);
      return shape.map((each, i) => {
        const below = sizeOf(shape.slice(i + 1));
        const indices = found.map((place) => Math.floor(place / below) % each);
        return { kind: 'list', indices, shape: [found.length] };
      });
    }
    const indices = numbers.map((at) => checkPlace(x, at, axis, size));
    axis += 1;
    return [{ kind: 'list', indices, shape }];
  });
}

const isList = (each: Taken): each is Taken & { kind: 'list' } => each.kind === 'list';

/** The shape of what an index takes, and where its numbers are. */
function placesTaken(x: ArrayValue, taken: readonly Taken[]) {
  const lists = taken.filter(isList);
  const own = stridesOf(x.shape);
  let joint: number[] = [];
  for (const { shape } of lists) {
    const next = jointShape(joint, shape);
    if (!next) {
      const words = lists.map((each) => shapeWords(each.shape, '')).join(' ');
      const text = 'shape mismatch: indexing arrays could not be broadcast together with shapes';
      raise('IndexError', `${text} ${words} `);
    }
    joint = next!;
  }
  // Adjacent index arrays put their axes in their own place, separated ones in front; an integer among them counts as an index array.
  const isAdvanced = (each: Taken) =>
    each.kind === 'list' || (lists.length > 0 && each.kind === 'one');
  const advanced = taken.flatMap((each, i) => (isAdvanced(each) ? [i] : []));
  const isTogether = advanced.every((place, i) => i === 0 || place === advanced[i - 1]! + 1);
  const [shape, steps]: [number[], number[]] = [[], []];
  let [axis, start, listAt] = [0, 0, isTogether ? -1 : 0];
  if (lists.length > 0) x.recorder.check(joint);
  const offsets = Array<number>(sizeOf(joint)).fill(0);
  for (const each of taken) {
    if (isAdvanced(each) && listAt < 0) listAt = shape.length;
    if (each.kind === 'new') {
      shape.push(1);
      steps.push(0);
      continue;
    }
    const step = own[axis++]!;
    if (each.kind === 'one') start += each.at * step;
    else if (each.kind === 'slice') {
      start += each.start * step;
      shape.push(each.count);
      steps.push(each.step * step);
    } else {
      const back = placesOf(joint, strideBack(each.shape, joint), 0);
      for (const [i, place] of back.entries()) offsets[i]! += each.indices[place]! * step;
    }
  }
  if (lists.length === 0) return { shape, places: () => placesOf(shape, steps, start) };
  const places = () => {
    const before = placesOf(shape.slice(0, listAt), steps.slice(0, listAt), start);
    const after = placesOf(shape.slice(listAt), steps.slice(listAt), 0);
    return before.flatMap((a) => offsets.flatMap((b) => after.map((c) => a + b + c)));
  };
  return { shape: [...shape.slice(0, listAt), ...joint, ...shape.slice(listAt)], places };
}

/** `x[index]` */
export function getItem(x: ArrayValue, index: Value): ArrayValue {
  const taken = takenOf(x, index);
  const lists = taken.filter(isList);
  const { shape, places } = placesTaken(x, taken);
  if (lists.length > 0) {
    x.recorder.check(shape);
    // A single index array is a `take` along its axis; every other combination takes from the flattened array.
    const plain = taken.filter((each) => each.kind !== 'new');
    const isWhole = (each: Taken, axis: number) =>
      each.kind === 'slice' && each.step === 1 && each.count === x.shape[axis];
    const axis = plain.findIndex(isList);
    const others = plain.every((each, i) => i === axis || isWhole(each, i));
    if (lists.length === 1 && others) {
      const made = take(x, lists[0]!.indices, axis);
      return x.like(reshaped(x.recorder, made.recorded, shape), shape);
    }
    const flat = reshaped(x.recorder, x.recorded, [x.size]);
    const made = x.recorder.make('take', [flat], { axis: 0, indices: places() });
    return x.like(reshaped(x.recorder, made, shape), shape);
  }
  let axis = 0;
  const steps: ((value: ArrayValue) => ArrayValue)[] = [];
  for (const each of taken) {
    if (each.kind === 'new') continue;
    const at = axis++;
    if (each.kind === 'one') steps.push((value) => part(value, at, each.at, each.at + 1));
    else if (each.kind === 'slice' && each.step === 1) {
      steps.push((value) => part(value, at, each.start, each.start + each.count));
    } else if (each.kind === 'slice') {
      const indices = upTo(each.count).map((i) => each.start + i * each.step);
      steps.push((value) => take(value, indices, at));
    }
  }
  const make = (recorded: Recorded): Recorded => {
    const start = x.like(recorded, x.shape);
    const all = steps.reduce((value, step) => step(value), start);
    return reshaped(x.recorder, all.recorded, shape);
  };
  // A single element of a NumPy array is a copy, not a view.
  if (shape.length === 0 && x.library === 'numpy') return x.like(make(x.recorded), shape);
  const strides: number[] = [];
  let next = 0;
  for (const each of taken) {
    if (each.kind === 'new') strides.push(1);
    else {
      const own = x.strides[next++]!;
      if (each.kind === 'slice') strides.push(own * each.step);
    }
  }
  return x.view(shape, make, places, strides);
}

/** `x[index] = value` */
export function setItem(x: ArrayValue, index: Value, value: Value): void {
  const { shape, places } = placesTaken(x, takenOf(x, index));
  // Places are numbers of JavaScript, and are kept.
  x.recorder.elements([4, ...shape]);
  const array = isRow(value) ? arrayOf(x.recorder, value, x.library) : value;
  const given = array instanceof ArrayValue ? converted(array, x.dtype) : undefined;
  const recorded = given?.recorded ?? x.recorder.number(numberFor(x, value));
  const own = given?.shape ?? [];
  // Axes of 1 in front may be left out.
  const trimmed = [...own];
  while (trimmed.length > shape.length && trimmed[0] === 1) trimmed.shift();
  const joint = jointShape(trimmed, shape);
  if (joint?.join() !== shape.join()) {
    if (x.library === 'torch') {
      broadcastShapes(x, shape, trimmed);
      raise('RuntimeError', `shape mismatch: value tensor of shape ${shapeText(own)}`);
    }
    const shapes = `${shapeWords(own, '')} into shape ${shapeWords(shape, '')}`;
    raise('ValueError', `could not broadcast input array from shape ${shapes}`);
  }
  const full = repeatedTo(x.recorder, reshaped(x.recorder, recorded, trimmed), shape);
  x.write(places(), full);
}

/** A number of Python as an array of that type holds it. */
function numberFor(x: ArrayValue, value: Value): number {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return x.dtype === 'bool' ? Number(Boolean(value)) : Number(value);
  }
  if (value instanceof Float) {
    if (x.dtype === 'bool') return Number(value.value !== 0);
    return isFloat(x.dtype) ? value.value : Math.trunc(value.value);
  }
  if (value === null)
    raise('TypeError', "float() argument must be a string or a real number, not 'NoneType'");
  return raise('ValueError', `setting an array element with a ${typeName(value)}`);
}
