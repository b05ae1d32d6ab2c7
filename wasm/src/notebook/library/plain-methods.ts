// Methods of strings, lists, dictionaries, numbers and functions.
import { Dtype } from '../arrays/array.js';
import { raise } from '../language/errors.js';
import { format, repr } from '../language/format.js';
import type { Machine } from '../language/machine.js';
import { compare, equals, iterate } from '../language/operators.js';
import { define, integer, type Args } from '../language/signature.js';
import {
  Builtin,
  Dict,
  Float,
  Func,
  Iterator,
  List,
  Method,
  Tuple,
  typeName,
  type Value,
} from '../language/values.js';

const limited = (value: Value): Value =>
  typeof value === 'string' && value.length > 1e6
    ? raise('MemoryError', 'a string may have a million characters')
    : value;

type Table = Readonly<Record<string, Builtin>>;
const table = (
  methods: Readonly<Record<string, readonly [string, (args: Args) => Value]>>,
): Table =>
  Object.fromEntries(
    Object.entries(methods).map(([name, [signature, call]]) => [
      name,
      define(name, `self, ${signature}`, (args) => limited(call(args))),
    ]),
  );

/** A string that a method needs. */
const text = (value: Value): string => {
  if (typeof value === 'string') return value;
  return raise('TypeError', `expected str instance, ${typeName(value)} found`);
};

const strings = table({
  upper: ['', ({ self }) => text(self!).toUpperCase()],
  lower: ['', ({ self }) => text(self!).toLowerCase()],
  strip: ['chars=None', ({ self }) => text(self!).trim()],
  split: [
    'sep=None',
    ({ self, sep }) => {
      const parts =
        sep === null ? text(self!).split(/\s+/).filter(Boolean) : text(self!).split(text(sep!));
      return new List(parts);
    },
  ],
  join: [
    'items',
    ({ self, items }) => [...iterate(items!)].map((item) => text(item)).join(text(self!)),
  ],
  replace: [
    'old, new',
    (args) => text(args['self']!).replaceAll(text(args['old']!), text(args['new']!)),
  ],
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
  title: ['', ({ self }) => text(self!).replace(/\b\w/g, (letter) => letter.toUpperCase())],
  format: [
    '*args, **named',
    ({ self, args, named }) => {
      let next = 0;
      return text(self!).replace(/\{(\w*)(?::([^}]*))?\}/g, (_, key: string, spec?: string) => {
        const at = key === '' ? next++ : Number(key);
        const value = Number.isNaN(at) ? (named as Dict).get(key) : (args as Tuple).items[at];
        if (value === undefined)
          raise('IndexError', 'Replacement index out of range for positional args tuple');
        return format(value!, spec ?? '');
      });
    },
  ],
});

const items = (self: Value): Value[] => (self as List).items;

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
  const by = reverse === true ? -1 : 1;
  keyed.sort(([a], [b]) =>
    compare('<', a, b) === true ? -by : compare('<', b, a) === true ? by : 0,
  );
  return keyed.map(([, value]) => value);
}

const lists = (machine: Machine): Table =>
  table({
    append: ['item', ({ self, item }) => (items(self!).push(item!), null)],
    extend: [
      'more',
      ({ self, more }) => {
        for (const item of [...iterate(more!)]) {
          machine.recorder.step();
          items(self!).push(item);
        }
        return null;
      },
    ],
    insert: [
      'at, item',
      ({ self, at, item }) => (items(self!).splice(integer(at!, 'index'), 0, item!), null),
    ],
    pop: [
      'at=-1',
      ({ self, at }) => {
        const [place, all] = [integer(at!, 'index'), items(self!)];
        if (all.length === 0) raise('IndexError', 'pop from empty list');
        if (place < -all.length || place >= all.length)
          raise('IndexError', 'pop index out of range');
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
    reverse: ['', ({ self }) => (items(self!).reverse(), null)],
    sort: [
      '*, key=None, reverse=False',
      ({ self, key, reverse }) => {
        const all = items(self!);
        all.splice(0, all.length, ...sorted(machine, all, key!, reverse!));
        return null;
      },
    ],
    numel: ['', ({ self }) => (self as Tuple).items.reduce<number>((a, b) => a * Number(b), 1)],
  });

const dicts = table({
  keys: ['', ({ self }) => new List([...(self as Dict).entries.values()].map(([key]) => key))],
  values: [
    '',
    ({ self }) => new List([...(self as Dict).entries.values()].map(([, value]) => value)),
  ],
  items: [
    '',
    ({ self }) =>
      new List([...(self as Dict).entries.values()].map((pair) => new Tuple([...pair]))),
  ],
  get: ['key, fallback=None', ({ self, key, fallback }) => (self as Dict).get(key!) ?? fallback!],
  update: [
    'other',
    ({ self, other }) => {
      for (const [key, value] of (other as Dict).entries.values()) (self as Dict).set(key, value);
      return null;
    },
  ],
  add: ['key', ({ self, key }) => ((self as Dict).set(key!, null), null)],
  pop: [
    'key',
    ({ self, key }) => {
      const found = (self as Dict).get(key!);
      if (found === undefined) raise('KeyError', repr(key!));
      for (const [name, [each]] of (self as Dict).entries)
        if (equals(each, key!)) (self as Dict).entries.delete(name);
      return found!;
    },
  ],
});

const ofLists = new WeakMap<Machine, Table>();

/** A method or an attribute of what is neither an array nor an object of the program. */
export function plainAttribute(machine: Machine, value: Value, name: string): Value | undefined {
  const bound = (methods: Table) => {
    const found = Object.hasOwn(methods, name) ? methods[name] : undefined;
    return found && new Method(value, found);
  };
  if (typeof value === 'string') return bound(strings);
  if (value instanceof List || value instanceof Tuple) {
    // What PyTorch's max, min and sort return.
    const isPair = value instanceof Tuple && value.title.startsWith('torch.return_types.');
    if (isPair && name === 'values') return value.items[0];
    if (isPair && name === 'indices') return value.items[1];
    if (!ofLists.has(machine)) ofLists.set(machine, lists(machine));
    const isOfTuple =
      ['index', 'count'].includes(name) ||
      (name === 'numel' && value instanceof Tuple && value.title);
    if (value instanceof Tuple ? !isOfTuple : name === 'numel') return undefined;
    return bound(ofLists.get(machine)!);
  }
  if (value instanceof Dict) return bound(dicts);
  if (value instanceof Float && name === 'is_integer')
    return new Builtin(name, () => Number.isInteger(value.value));
  if (typeof value === 'number' && name === 'bit_length')
    return new Builtin(name, () => value.toString(2).length);
  if ((value instanceof Func || value instanceof Builtin) && name === '__name__') return value.name;
  if (value instanceof Dtype && name === 'name') return value.name;
  if (value instanceof Iterator && name === '__next__')
    return new Builtin(name, () => value.items.next().value as Value);
  return undefined;
}
