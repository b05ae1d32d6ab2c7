// Items of sequences.
import { sliceOf, integerOf } from '../arrays/indexing.js';
import { raise } from './errors.js';
import { lengthOf } from './operators.js';
import { List, Range, Slice, Tuple, type Value, typeName } from './values.js';

/** `value[index]` of what Python itself has. */
export function itemOf(value: Value, index: Value): Value {
  const isSequence = value instanceof List || value instanceof Tuple || value instanceof Range;
  if (!isSequence && typeof value !== 'string') {
    return raise('TypeError', `'${typeName(value)}' object is not subscriptable`);
  }
  const size = lengthOf(value);
  const name = typeof value === 'string' ? 'string' : typeName(value);
  const at = (place: number): Value => {
    if (value instanceof Range) return value.start + place * value.step;
    return typeof value === 'string' ? [...value][place]! : value.items[place]!;
  };
  if (index instanceof Slice) {
    const { start, step, count } = sliceOf(index, size);
    if (value instanceof Range) {
      const first = value.start + start * value.step;
      return new Range(first, first + count * step * value.step, step * value.step);
    }
    const items = Array.from({ length: count }, (_, i) => at(start + i * step));
    if (typeof value === 'string') return items.join('');
    return value instanceof Tuple ? new Tuple(items, value.title) : new List(items);
  }
  const integer = typeof index === 'boolean' ? Number(index) : integerOf(index);
  if (integer === undefined) {
    const kinds = `${name} indices must be integers${typeof value === 'string' ? '' : ' or slices'}`;
    return raise('TypeError', `${kinds}, not ${typeName(index)}`);
  }
  if (integer < -size || integer >= size) raise('IndexError', `${name} index out of range`);
  return at(integer < 0 ? integer + size : integer);
}
