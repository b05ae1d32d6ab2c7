// Iteration over values, and their lengths.
import { ArrayValue } from '../arrays/array.js';
import { getItem } from '../arrays/indexing.js';
import { raise, unless } from './errors.js';
import { integer } from './signature.js';
import {
  characters,
  Dict,
  Instance,
  isRow,
  Iterator,
  List,
  Range,
  special,
  Tuple,
  typeName,
  type Value,
} from './values.js';

/** The items of an object by its own methods. */
function* iterateInstance(value: Instance): IterableIterator<Value> {
  const items = special(value, '__iter__');
  if (items !== undefined && !(items instanceof Instance)) return yield* iterate(items);
  if (!items && !value.type.find('__getitem__'))
    raise('TypeError', `'${typeName(value)}' object is not iterable`);
  const at = (i: number) => unless('IndexError', () => special(value, '__getitem__', [i]));
  for (let i = 0; ; ++i) {
    const next = items ? nextOf(items) : at(i);
    if (next === undefined) return;
    yield next;
  }
}

/** The next item; undefined at the end. */
function nextOf(value: Value): Value | undefined {
  if (value instanceof Iterator) return value.items.next().value as Value | undefined;
  if (value instanceof Instance && value.type.find('__next__'))
    return unless('StopIteration', () => special(value, '__next__'));
  return raise('TypeError', `'${typeName(value)}' object is not an iterator`);
}

/** `next(value)` */
export function next(value: Value): Value {
  const found = nextOf(value);
  return found === undefined ? raise('StopIteration', '') : found;
}

/** The items of a loop. */
export function* iterate(value: Value): IterableIterator<Value> {
  if (value instanceof Instance) yield* iterateInstance(value);
  else if (value instanceof List || value instanceof Tuple) yield* value.items;
  else if (typeof value === 'string') yield* value;
  else if (value instanceof Dict) for (const [key] of value.entries.values()) yield key;
  else if (value instanceof Iterator) yield* value.items;
  else if (value instanceof Range) {
    for (let i = 0; i < value.length; ++i) yield value.start + i * value.step;
  } else if (value instanceof ArrayValue) {
    if (value.rank === 0) {
      const text =
        value.library === 'torch'
          ? 'iteration over a 0-d tensor'
          : `'${typeName(value)}' object is not iterable`;
      raise('TypeError', text);
    }
    for (let i = 0; i < value.shape[0]!; ++i) yield getItem(value, i);
  } else raise('TypeError', `'${typeName(value)}' object is not iterable`);
}

/** The number of items of a value. */
export function lengthOf(value: Value): number {
  const own = special(value, '__len__');
  if (own !== undefined) return integer(own, 'len');
  if (typeof value === 'string') return characters(value).length;
  if (value instanceof Range) return value.length;
  if (isRow(value)) return value.items.length;
  if (value instanceof Dict) return value.entries.size;
  if (!(value instanceof ArrayValue))
    return raise('TypeError', `object of type '${typeName(value)}' has no len()`);
  const text = value.library === 'torch' ? 'len() of a 0-d tensor' : 'len() of unsized object';
  return value.rank > 0 ? value.shape[0]! : raise('TypeError', text);
}
