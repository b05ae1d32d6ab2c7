// x[...] and x[...] = y, by NumPy's rules.
import { upTo } from '../../graph/operations/common.js';
import { raise } from '../language/errors.js';
import { shapeText } from '../../error.js';
import { Float, isRow, typeName, type Value } from '../language/values.js';
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
import { isList, takenOf, type Taken } from './index-parts.js';
import { arrayOf } from './make.js';
import { part, take } from './moves.js';
import type { Recorded } from './record.js';

/** The shape of an index's result, and the places of its numbers. */
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
  // Places are kept as JavaScript numbers, of 8 bytes.
  x.recorder.elements([4, ...shape]);
  const array = isRow(value) ? arrayOf(x.recorder, value, x.library) : value;
  const given = array instanceof ArrayValue ? converted(array, x.dtype) : undefined;
  const recorded = given?.recorded ?? x.recorder.number(numberFor(x, value));
  const own = given?.shape ?? [];
  // Leading axes of 1 can be dropped.
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

/** A Python number converted to the type of that array. */
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
