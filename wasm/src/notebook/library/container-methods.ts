// Methods of lists, tuples, dictionaries and sets.
import { raise } from '../language/errors.js';
import { repr } from '../language/format.js';
import { placeIn, replaceItems } from '../language/items.js';
import type { Machine } from '../language/machine.js';
import { compare, equals, truth } from '../language/comparisons.js';
import { integer, methodTable, type MethodTable } from '../language/signature.js';
import { worked } from '../language/work.js';
import { Dict, keyOf, List, Tuple, type Value } from '../language/values.js';

const items = (self: Value): Value[] => (self as List).items;

/** Counts items that are only moved, which the engine does quickly. */
const moved = (count: number): void => worked(count / 32);

/** Sorted, smallest first, as Python's stable sort. */
export function sorted(
  machine: Machine,
  all: Iterable<Value>,
  key: Value,
  reverse: Value,
): Value[] {
  const keyed = [...all].map(
    (value) => [key === null ? value : machine.call(key, [value]), value] as const,
  );
  const by = truth(reverse) ? -1 : 1;
  const isBefore = (a: Value, b: Value) => truth(compare('<', a, b));
  keyed.sort(([a], [b]) => (isBefore(a, b) ? -by : isBefore(b, a) ? by : 0));
  return keyed.map(([, value]) => value);
}

export const listMethods = (machine: Machine): MethodTable =>
  methodTable({
    append: ['item', ({ self, item }) => (items(self!).push(item!), null)],
    extend: [
      'more',
      ({ self, more }) => {
        for (const item of [...machine.iterate(more!)]) items(self!).push(item);
        return null;
      },
    ],
    insert: [
      'at, item',
      ({ self, at, item }) => {
        moved(items(self!).length);
        items(self!).splice(integer(at!, 'index'), 0, item!);
        return null;
      },
    ],
    pop: [
      'at=-1',
      ({ self, at }) => {
        const all = items(self!);
        if (all.length === 0) raise('IndexError', 'pop from empty list');
        const place = placeIn(all.length, at!, 'list', 'pop index out of range');
        moved(all.length - place);
        return all.splice(place, 1)[0]!;
      },
    ],
    index: [
      'item',
      ({ self, item }) => {
        const found = (self as List | Tuple).items.findIndex((each) => equals(each, item!));
        return found < 0 ? raise('ValueError', `${repr(item!)} is not in list`) : found;
      },
    ],
    count: [
      'item',
      ({ self, item }) => (self as List | Tuple).items.filter((each) => equals(each, item!)).length,
    ],
    copy: ['', ({ self }) => new List([...items(self!)])],
    reverse: ['', ({ self }) => (moved(items(self!).length), items(self!).reverse(), null)],
    sort: [
      '*, key=None, reverse=False',
      ({ self, key, reverse }) => {
        replaceItems(self!, new List(sorted(machine, items(self!), key!, reverse!)));
        return null;
      },
    ],
    numel: ['', ({ self }) => (self as Tuple).items.reduce<number>((a, b) => a * Number(b), 1)],
  });

/** The entries of a dictionary, or of pairs of key and value. */
export function entriesOf(machine: Machine, value: Value): (readonly [Value, Value])[] {
  if (value instanceof Dict && !value.isSet) return [...value.entries.values()];
  return Array.from(machine.iterate(value), (pair) => {
    const [key, item, ...more] = machine.iterate(pair);
    if (key === undefined || item === undefined || more.length > 0)
      raise('ValueError', 'dictionary update sequence has an element whose length is not 2');
    return [key!, item!] as const;
  });
}

/** An entry that must exist. */
function entryOf(all: Dict, key: Value): Value {
  const found = all.get(key);
  return found === undefined ? raise('KeyError', repr(key)) : found;
}

const dict = (self: Value | undefined): Dict => self as Dict;

export const dictMethods = (machine: Machine): MethodTable =>
  methodTable({
    keys: ['', ({ self }) => new List(Array.from(dict(self).entries.values(), ([key]) => key))],
    values: [
      '',
      ({ self }) => new List(Array.from(dict(self).entries.values(), ([, value]) => value)),
    ],
    items: [
      '',
      ({ self }) =>
        new List(Array.from(dict(self).entries.values(), (pair) => new Tuple([...pair]))),
    ],
    get: [
      'key, fallback=None',
      ({ self, key, fallback }) => {
        const found = dict(self).get(key!);
        return found === undefined ? fallback! : found;
      },
    ],
    update: [
      'other',
      ({ self, other }) => {
        for (const [key, value] of entriesOf(machine, other!)) dict(self).set(key, value);
        return null;
      },
    ],
    pop: [
      'key',
      ({ self, key }) => {
        const found = entryOf(dict(self), key!);
        dict(self).entries.delete(keyOf(key!));
        return found;
      },
    ],
  });

export const setMethods = (machine: Machine): MethodTable =>
  methodTable({
    add: ['item', ({ self, item }) => (dict(self).set(item!, null), null)],
    update: [
      'items',
      ({ self, items }) => {
        for (const item of machine.iterate(items!)) dict(self).set(item, null);
        return null;
      },
    ],
    discard: ['item', ({ self, item }) => (dict(self).entries.delete(keyOf(item!)), null)],
    remove: [
      'item',
      ({ self, item }) => {
        entryOf(dict(self), item!);
        dict(self).entries.delete(keyOf(item!));
        return null;
      },
    ],
  });
