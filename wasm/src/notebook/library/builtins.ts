// Python's built-in names: print, len, range, ... and the kinds of errors.
import { ArrayValue } from '../arrays/array.js';
import { plainNumber } from '../arrays/make.js';
import { joined, raise, unless } from '../language/errors.js';
import { format, repr, str } from '../language/format.js';
import { selfOf, setAttribute } from '../language/items.js';
import type { Machine } from '../language/machine.js';
import { lengthOf, next } from '../language/iteration.js';
import { compare, truth } from '../language/comparisons.js';
import { binary } from '../language/operators.js';
import { type Args, define, definer, integer } from '../language/signature.js';
import {
  Builtin,
  ClassValue,
  Dict,
  Float,
  Func,
  Instance,
  Iterator,
  List,
  Method,
  Range,
  Slice,
  Super,
  Tuple,
  type Value,
  identityOf,
  isNumber,
  numberIn,
  typeName,
} from '../language/values.js';
import { worked } from '../language/work.js';
import { absolute } from './array-calls.js';
import { halfToEven, toNumber } from './math.js';
import { entriesOf, sorted } from './container-methods.js';

const errors = `Exception ValueError TypeError IndexError KeyError NameError AttributeError ZeroDivisionError RuntimeError
NotImplementedError AssertionError ArithmeticError OverflowError StopIteration RecursionError MemoryError ImportError`;

export function rounded(value: Value, digits: Value): Value {
  if (!isNumber(value))
    return raise('TypeError', `type ${typeName(value)} doesn't define __round__ method`);
  const plain = numberIn(value);
  if (digits === null) return toNumber(new Float(halfToEven(plain)), 'int');
  const places = integer(digits, 'ndigits');
  const near = (scale: number) => halfToEven(plain / scale) * scale;
  if (!(value instanceof Float)) return places >= 0 ? plain : near(10 ** -places);
  const text = () => Number(format(value, `.${Math.min(places, 100)}f`));
  return new Float(places >= 0 ? text() : near(10 ** -places));
}

const types = {
  range: (value: Value) => value instanceof Range,
  int: (value: Value) => typeof value === 'number' || typeof value === 'boolean',
  float: (value: Value) => value instanceof Float,
  bool: (value: Value) => typeof value === 'boolean',
  str: (value: Value) => typeof value === 'string',
  list: (value: Value) => value instanceof List,
  tuple: (value: Value) => value instanceof Tuple,
  set: (value: Value) => value instanceof Dict && value.isSet,
  dict: (value: Value) => value instanceof Dict && !value.isSet,
  object: () => true,
  type: (value: Value) => value instanceof ClassValue,
};

/** Whether a value is of a type, or of a subclass. */
function isInstance(value: Value, type: Value): boolean {
  worked(1);
  if (type instanceof Tuple) return type.items.some((each) => isInstance(value, each));
  if (type instanceof ClassValue) return value instanceof Instance && value.type.isA(type);
  if (type instanceof Builtin && type.isType) return type.isType(value);
  return raise('TypeError', 'isinstance() arg 2 must be a type, a tuple of types, or a union');
}

export function builtins(machine: Machine): ReadonlyMap<string, Value> {
  const names = new Map<string, Value>();
  const all = (value: Value) => [...machine.iterate(value)];
  const add = definer(names);
  const type = (name: keyof typeof types, signature: string, call: (args: Args) => Value) =>
    names.set(name, new Builtin(name, define(name, signature, call).call, types[name]));

  add('print', "*values, sep=' ', end='\n', flush=False", ({ values, sep, end }) => {
    const texts = (values as Tuple).items.map((value) => str(value));
    const part = (value: Value, fallback: string) => (value === null ? fallback : str(value));
    machine.print(joined(texts, part(sep!, ' ')) + part(end!, '\n'));
    return null;
  });
  add('len', 'value', ({ value }) => lengthOf(value!));
  type('range', 'start, stop=None, step=1', ({ start, stop, step }) => {
    const by = integer(step!, 'range');
    if (by === 0) raise('ValueError', 'range() arg 3 must not be zero');
    const first = integer(start!, 'range');
    return stop === null ? new Range(0, first, by) : new Range(first, integer(stop!, 'range'), by);
  });
  add('enumerate', 'items, start=0', ({ items, start }) => {
    const pairs = function* (): IterableIterator<Value> {
      let i = integer(start!, 'start');
      for (const item of machine.iterate(items!)) yield new Tuple([i++, item]);
    };
    return new Iterator('enumerate', pairs());
  });
  /** Items of several iterables side by side, to the end of the shortest. */
  const together = function* (all: readonly Value[]): IterableIterator<Value[]> {
    const rows = all.map((row) => machine.iterate(row));
    while (rows.length > 0) {
      const items: Value[] = [];
      for (const row of rows) {
        const { value, done } = row.next() as IteratorResult<Value, void>;
        if (done) return;
        items.push(value as Value);
      }
      yield items;
    }
  };
  add('zip', '*rows', ({ rows }) => {
    const tuples = function* (): IterableIterator<Value> {
      for (const each of together((rows as Tuple).items)) yield new Tuple(each);
    };
    return new Iterator('zip', tuples());
  });
  add('map', 'func, *rows', ({ func, rows }) => {
    const made = function* (): IterableIterator<Value> {
      for (const each of together((rows as Tuple).items)) yield machine.call(func!, each);
    };
    return new Iterator('map', made());
  });
  add('filter', 'func, items', ({ func, items }) => {
    const made = function* (): IterableIterator<Value> {
      for (const item of machine.iterate(items!))
        if (truth(func === null ? item : machine.call(func!, [item]))) yield item;
    };
    return new Iterator('filter', made());
  });
  add('reversed', 'items', ({ items }) => new Iterator('reversed', all(items!).reverse().values()));
  add(
    'sorted',
    'items, *, key=None, reverse=False',
    ({ items, key, reverse }) => new List(sorted(machine, all(items!), key!, reverse!)),
  );
  add('iter', 'items', ({ items }) => new Iterator('iterator', machine.iterate(items!)));
  add('next', 'items', ({ items }) => next(items!));
  add('sum', 'items, start=0', ({ items, start }) =>
    all(items!).reduce((a, b) => binary('+', a, b), start!),
  );
  for (const [name, sign] of [
    ['max', '>'],
    ['min', '<'],
  ] as const) {
    add(name, '*items, key=None, **others', ({ items, key, others }) => {
      const given = (items as Tuple).items;
      const values = given.length === 1 ? all(given[0]!) : given;
      const [wrong] = [...(others as Dict).entries.values()].filter(([word]) => word !== 'default');
      if (wrong) raise('TypeError', `${name}() got an unexpected keyword argument '${wrong[0]}'`);
      if (values.length === 0) {
        const fallback = (others as Dict).get('default');
        if (fallback !== undefined) return fallback;
        raise('ValueError', `${name}() arg is an empty sequence`);
      }
      const keyOf = (value: Value) => (key === null ? value : machine.call(key!, [value]));
      return values.reduce((a, b) => (truth(compare(sign, keyOf(b), keyOf(a))) ? b : a));
    });
  }
  add('abs', 'value', ({ value }) => {
    if (value instanceof ArrayValue) return absolute(value);
    if (!isNumber(value!)) raise('TypeError', `bad operand type for abs(): '${typeName(value!)}'`);
    const plain = Math.abs(numberIn(value as number));
    return value instanceof Float ? new Float(plain) : plain;
  });
  add('round', 'value, ndigits=None', ({ value, ndigits }) => {
    if (value instanceof ArrayValue) return rounded(plainNumber(value, value.item()), ndigits!);
    return rounded(value!, ndigits!);
  });
  add('pow', 'a, b', ({ a, b }) => binary('**', a!, b!));
  add('divmod', 'a, b', ({ a, b }) => new Tuple([binary('//', a!, b!), binary('%', a!, b!)]));
  for (const [name, wanted] of [
    ['all', false],
    ['any', true],
  ] as const) {
    add(name, 'items', ({ items }) => {
      for (const each of machine.iterate(items!)) if (truth(each) === wanted) return wanted;
      return !wanted;
    });
  }
  add('repr', 'value', ({ value }) => repr(value!));
  add('id', 'value', ({ value }) =>
    typeof value === 'object' && value !== null ? identityOf(value) : 0,
  );
  add('format', "value, spec=''", ({ value, spec }) => format(value!, String(spec)));
  add('callable', 'value', ({ value }) =>
    [Builtin, Func, Method, ClassValue].some((each) => value instanceof each),
  );
  add('isinstance', 'value, type', (args) => isInstance(args['value']!, args['type']!));
  add('hasattr', 'value, name', ({ value, name }) => {
    const found = () => machine.attribute(value!, String(name));
    return unless('AttributeError', found) !== undefined;
  });
  add('getattr', 'value, name, *fallback', ({ value, name, fallback }) => {
    const [other] = (fallback as Tuple).items;
    const find = () => machine.attribute(value!, String(name));
    const found = other === undefined ? find() : unless('AttributeError', find);
    return found === undefined ? other! : found;
  });
  add('setattr', 'value, name, to', ({ value, name, to }) => {
    setAttribute(value!, String(name), to!);
    return null;
  });
  add('super', 'type, value', ({ type, value }) => {
    if (!(type instanceof ClassValue)) raise('TypeError', 'super() argument 1 must be a type');
    if (!isInstance(value!, type!))
      raise('TypeError', 'super(type, obj): obj must be an instance or subtype of type');
    return new Super(value!, (type as ClassValue).base);
  });
  add('slice', '*bounds', ({ bounds }) => {
    const [start = null, stop, step = null] = (bounds as Tuple).items;
    return stop === undefined ? new Slice(null, start, null) : new Slice(start, stop, step);
  });
  type('int', 'value=0', ({ value }) => toNumber(value!, 'int'));
  type('float', 'value=0.0', ({ value }) => toNumber(value!, 'float'));
  type('bool', 'value=False', ({ value }) => truth(value!));
  type('str', "value=''", ({ value }) => str(value!));
  type('list', 'items=None', ({ items }) => new List(items === null ? [] : all(items!)));
  type('tuple', 'items=None', ({ items }) => new Tuple(items === null ? [] : all(items!)));
  type('set', 'items=None', ({ items }) => {
    const made = new Dict(true);
    if (items !== null) for (const item of machine.iterate(items!)) made.set(item, null);
    return made;
  });
  type('dict', 'items=None, **named', ({ items, named }) => {
    const made = new Dict();
    for (const each of items === null ? [named!] : [items!, named!])
      for (const [key, value] of entriesOf(machine, each)) made.set(key, value);
    return made;
  });
  type('object', '', () => null);
  type('type', 'value', ({ value }) => {
    if (value instanceof Instance) return value.type;
    const name = typeName(value!);
    const unknown = () =>
      new Builtin(
        name === 'Tensor' ? 'torch.Tensor' : name,
        () => null,
        () => false,
      );
    return names.get(name) ?? unknown();
  });
  const base = new ClassValue('BaseException', undefined, true);
  const keep = define('__init__', 'self, *args', ({ self, args }) => {
    selfOf(self).names.set('args', args!);
    return null;
  });
  base.names.set('__init__', keep);
  for (const name of errors.split(/\s+/)) {
    const parent = name === 'Exception' ? base : (names.get('Exception') as ClassValue);
    names.set(name, new ClassValue(name, parent));
  }
  names.set('__name__', '__main__');
  return names;
}
