// The parts of an index, by NumPy's rules: numbers, slices, None, ..., and arrays of integers or booleans.
import { shapeText } from '../../error.js';
import { upTo } from '../../graph/operations/common.js';
import { raise, raiseAs } from '../language/errors.js';
import {
  ellipsis,
  Float,
  List,
  Range,
  Slice,
  Tuple,
  typeName,
  type Value,
} from '../language/values.js';
import { worked } from '../language/work.js';
import { ArrayValue, sizeOf } from './array.js';
import { isFloat } from './dtypes.js';
import { arrayOf } from './make.js';

/** The integer of an index; undefined where it is none. */
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

/** The selection on one axis, in order. */
export type Taken =
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

/** The number of axes that a part of the index consumes. */
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

/** The selections of an index on all axes, and new axes. */
export function takenOf(x: ArrayValue, index: Value): Taken[] {
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

export const isList = (each: Taken): each is Taken & { kind: 'list' } => each.kind === 'list';
