// Items of Python's built-in types, and attributes of a program's own objects.
import { integerOf, sliceOf } from '../arrays/index-parts.js';
import { checkText, raise } from './errors.js';
import {
  characters,
  ClassValue,
  Dict,
  Func,
  Instance,
  isRow,
  List,
  Range,
  Slice,
  Tuple,
  type Value,
  typeName,
} from './values.js';

/** The index of an item of a sequence, counted from the front. */
export function placeIn(
  size: number,
  index: Value,
  name: string,
  problem = `${name} index out of range`,
): number {
  const at = typeof index === 'boolean' ? Number(index) : integerOf(index);
  if (at === undefined) {
    const kinds = `${name} indices must be integers${name === 'string' ? '' : ' or slices'}`;
    return raise('TypeError', `${kinds}, not ${typeName(index)}`);
  }
  if (at < -size || at >= size) raise('IndexError', problem);
  return at < 0 ? at + size : at;
}

/** `value[index]` of Python's built-in types. */
export function itemOf(value: Value, index: Value): Value {
  const isText = typeof value === 'string';
  if (!isText && !isRow(value))
    return raise('TypeError', `'${typeName(value)}' object is not subscriptable`);
  const all = isText ? characters(value) : value instanceof Range ? undefined : value.items;
  const size = all?.length ?? (value as Range).length;
  const at = (place: number): Value =>
    value instanceof Range ? value.start + place * value.step : all![place]!;
  if (!(index instanceof Slice)) {
    const name = isText ? 'string' : value instanceof Range ? 'range object' : typeName(value);
    return at(placeIn(size, index, name));
  }
  const { start, step, count } = sliceOf(index, size);
  if (value instanceof Range) {
    const first = value.start + start * value.step;
    return new Range(first, first + count * step * value.step, step * value.step);
  }
  const items = Array.from({ length: count }, (_, i) => at(start + i * step));
  if (isText) {
    checkText(4 * count);
    return items.join('');
  }
  return value instanceof Tuple ? new Tuple(items, value.title) : new List(items);
}

/** The old list or set with the items of the new one; for other values the new one. */
export function replaceItems(old: Value, made: Value): Value {
  if (old instanceof List && made instanceof List) {
    old.items.length = 0;
    for (const each of made.items) old.items.push(each);
  } else if (old instanceof Dict && made instanceof Dict) {
    old.entries.clear();
    for (const [key, entry] of made.entries) old.entries.set(key, entry);
  } else return made;
  return old;
}

/** The object whose method is called. @throws Raised for any other value */
export function selfOf(value: Value | undefined): Instance {
  if (value instanceof Instance) return value;
  return raise('TypeError', `a method of a class was called on '${typeName(value ?? null)}'`);
}

/** `of.name = value` */
export function setAttribute(of: Value, name: string, value: Value): void {
  const isOpen = of instanceof Instance || of instanceof ClassValue;
  if (!isOpen) raise('AttributeError', `'${typeName(of)}' object has no attribute '${name}'`);
  const own = of instanceof Instance ? of.type.find(name) : undefined;
  if (own instanceof Func && own.decorator === 'property')
    raise('AttributeError', `property '${name}' of '${typeName(of)}' object has no setter`);
  (of as Instance).names.set(name, value);
}
