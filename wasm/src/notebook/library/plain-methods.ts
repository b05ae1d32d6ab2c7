// Methods of strings, lists, dictionaries, numbers and functions.
import { Dtype } from '../arrays/array.js';
import { checkText, checkTextLength, joined, outside, raise } from '../language/errors.js';
import { format, repr, str } from '../language/format.js';
import { placeIn, replaceItems } from '../language/items.js';
import type { Machine } from '../language/machine.js';
import { next } from '../language/iteration.js';
import { compare, equals, truth } from '../language/operators.js';
import { define, integer, type Args } from '../language/signature.js';
import { read, worked } from '../language/work.js';
import {
  Builtin,
  Dict,
  Float,
  Func,
  Iterator,
  keyOf,
  List,
  Method,
  Tuple,
  typeName,
  type Value,
} from '../language/values.js';

type Table = Readonly<Record<string, Builtin>>;
const table = (
  methods: Readonly<Record<string, readonly [string, (args: Args) => Value]>>,
): Table =>
  Object.fromEntries(
    Object.entries(methods).map(([name, [signature, call]]) => {
      const checked = (args: Args) => {
        if (typeof args['self'] === 'string') read(args['self'].length);
        const value = call(args);
        if (typeof value === 'string') checkText(value.length);
        if (value instanceof List) worked(value.items.length);
        return value;
      };
      return [name, define(name, `self, ${signature}`, checked)];
    }),
  );

/** A string that a method needs. */
const text = (value: Value): string => {
  if (typeof value === 'string') return value;
  return raise('TypeError', `expected str instance, ${typeName(value)} found`);
};

/** A text without some characters at its ends. */
function stripped(all: string, chars: string): string {
  const gone = new Set(chars.split(''));
  let [start, end] = [0, all.length];
  while (start < end && gone.has(all[start]!)) start += 1;
  while (end > start && gone.has(all[end - 1]!)) end -= 1;
  return all.slice(start, end);
}

/** A text with every part that is one text made another. */
function replaced(args: Args): string {
  const [all, old, made] = [text(args['self']!), text(args['old']!), text(args['new']!)];
  // What is between characters is before the first and after the last, too.
  return joined(old === '' ? ['', ...all, ''] : all.split(old), made);
}

/** `'{} {name:.2f}'.format(...)` */
function formatted(pattern: string, args: Tuple, named: Dict): string {
  let [next, size] = [0, 0];
  return pattern.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (found, field?: string) => {
    if (field === undefined) return found[0]!;
    const [, key, conversion, spec = ''] = /^(\w*)(?:!([rs]))?(?::(.*))?$/s.exec(field) ?? [];
    if (key === undefined) throw outside(`{${field}} in a text to format`, 'write an f-string');
    const at = key === '' ? next++ : Number(key);
    const value = Number.isNaN(at) ? named.get(key) : args.items[at];
    if (value === undefined) {
      if (Number.isNaN(at)) raise('KeyError', repr(key));
      raise('IndexError', `Replacement index ${at} out of range for positional args tuple`);
    }
    const plain = conversion === 'r' ? repr(value!) : conversion ? str(value!) : value!;
    const made = format(plain, spec);
    checkTextLength((size += made.length));
    return made;
  });
}

const strings = (machine: Machine): Table =>
  table({
    upper: ['', ({ self }) => text(self!).toUpperCase()],
    lower: ['', ({ self }) => text(self!).toLowerCase()],
    strip: [
      'chars=None',
      ({ self, chars }) =>
        chars === null ? text(self!).trim() : stripped(text(self!), text(chars!)),
    ],
    split: [
      'sep=None',
      ({ self, sep }) => {
        if (sep === '') raise('ValueError', 'empty separator');
        const all = text(self!);
        return new List(sep === null ? all.split(/\s+/).filter(Boolean) : all.split(text(sep!)));
      },
    ],
    join: [
      'items',
      ({ self, items }) => joined(Array.from(machine.iterate(items!), text), text(self!)),
    ],
    replace: ['old, new', (args) => replaced(args)],
    startswith: ['prefix', ({ self, prefix }) => text(self!).startsWith(text(prefix!))],
    endswith: ['suffix', ({ self, suffix }) => text(self!).endsWith(text(suffix!))],
    ljust: [
      'width',
      ({ self, width }) => text(self!).padEnd(Math.min(1e5, integer(width!, 'width'))),
    ],
    rjust: [
      'width',
      ({ self, width }) => text(self!).padStart(Math.min(1e5, integer(width!, 'width'))),
    ],
    find: ['part', ({ self, part }) => text(self!).indexOf(text(part!))],
    count: ['part', ({ self, part }) => text(self!).split(text(part!)).length - 1],
    title: [
      '',
      ({ self }) =>
        text(self!)
          .toLowerCase()
          .replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    ],
    format: [
      '*args, **named',
      ({ self, args, named }) => formatted(text(self!), args as Tuple, named as Dict),
    ],
  });

const items = (self: Value): Value[] => (self as List).items;

/** Counts items that only change their places, which the engine does at once. */
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

const lists = (machine: Machine): Table =>
  table({
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

/** The entries that a dictionary or pairs of key and value have. */
export function entriesOf(machine: Machine, value: Value): (readonly [Value, Value])[] {
  if (value instanceof Dict && !value.isSet) return [...value.entries.values()];
  return Array.from(machine.iterate(value), (pair) => {
    const [key, item, ...more] = machine.iterate(pair);
    if (key === undefined || item === undefined || more.length > 0)
      raise('ValueError', 'dictionary update sequence has an element whose length is not 2');
    return [key!, item!] as const;
  });
}

/** An entry that must be there. */
function entryOf(all: Dict, key: Value): Value {
  const found = all.get(key);
  return found === undefined ? raise('KeyError', repr(key)) : found;
}

const dict = (self: Value | undefined): Dict => self as Dict;

const dicts = (machine: Machine): Table =>
  table({
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

const sets = (machine: Machine): Table =>
  table({
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

const makers = { strings, lists, dicts, sets };
const tables = new WeakMap<Machine, Record<keyof typeof makers, Table>>();

function tablesOf(machine: Machine): Record<keyof typeof makers, Table> {
  let made = tables.get(machine);
  if (!made) {
    const all = Object.entries(makers).map(([name, make]) => [name, make(machine)]);
    tables.set(machine, (made = Object.fromEntries(all) as Record<keyof typeof makers, Table>));
  }
  return made;
}

/** A method or an attribute of what is neither an array nor an object of the program. */
export function plainAttribute(machine: Machine, value: Value, name: string): Value | undefined {
  const bound = (methods: Table) => {
    const found = Object.hasOwn(methods, name) ? methods[name] : undefined;
    return found && new Method(value, found);
  };
  const { strings, lists, dicts, sets } = tablesOf(machine);
  if (typeof value === 'string') return bound(strings);
  if (value instanceof List || value instanceof Tuple) {
    // What PyTorch's max, min and sort return.
    const isPair = value instanceof Tuple && value.title.startsWith('torch.return_types.');
    if (isPair && name === 'values') return value.items[0];
    if (isPair && name === 'indices') return value.items[1];
    const isOfTuple =
      ['index', 'count'].includes(name) ||
      (name === 'numel' && value instanceof Tuple && value.title);
    if (value instanceof Tuple ? !isOfTuple : name === 'numel') return undefined;
    return bound(lists);
  }
  if (value instanceof Dict) return bound(value.isSet ? sets : dicts);
  if (value instanceof Float && name === 'is_integer')
    return new Builtin(name, () => Number.isInteger(value.value));
  if (typeof value === 'number' && name === 'bit_length')
    return new Builtin(name, () => (value === 0 ? 0 : Math.abs(value).toString(2).length));
  if ((value instanceof Func || value instanceof Builtin) && name === '__name__') return value.name;
  if (value instanceof Dtype && name === 'name') return value.name;
  if (value instanceof Iterator && name === '__next__') return new Builtin(name, () => next(value));
  return undefined;
}
