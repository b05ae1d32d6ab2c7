// What Python has without an import: print, len, range, ... and the kinds of errors.
import { elementwise } from '../arrays/arithmetic.js';
import { ArrayValue } from '../arrays/array.js';
import { plainNumber } from '../arrays/make.js';
import { Raised, raise } from '../language/errors.js';
import { format, repr, str } from '../language/format.js';
import type { Machine } from '../language/machine.js';
import { binary, compare, iterate, lengthOf, truth } from '../language/operators.js';
import { define, integer } from '../language/signature.js';
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
  Tuple,
  type Value,
  identityOf,
  isNumber,
  numberIn,
  typeName,
} from '../language/values.js';
import { toNumber } from './math.js';
import { sorted } from './plain-methods.js';

const errors = `Exception ValueError TypeError IndexError KeyError NameError AttributeError ZeroDivisionError RuntimeError
NotImplementedError AssertionError ArithmeticError OverflowError StopIteration RecursionError MemoryError ImportError`;

export function rounded(value: Value, digits: Value): Value {
  if (!isNumber(value))
    return raise('TypeError', `type ${typeName(value)} doesn't define __round__ method`);
  const plain = numberIn(value);
  if (digits === null) {
    const low = Math.floor(plain);
    const isHalf = plain - low === 0.5;
    return isHalf ? low + (low % 2 === 0 ? 0 : 1) : Math.round(plain) + 0;
  }
  const places = integer(digits, 'ndigits');
  if (!(value instanceof Float))
    return places >= 0 ? plain : Math.round(plain * 10 ** places) / 10 ** places;
  return new Float(
    places >= 0
      ? Number(format(value, `.${Math.min(places, 100)}f`))
      : Math.round(plain * 10 ** places) / 10 ** places,
  );
}

/** `type(x) is T`, and for classes all below. */
function isInstance(value: Value, type: Value): boolean {
  if (type instanceof Tuple) return type.items.some((each) => isInstance(value, each));
  if (type instanceof ClassValue) return value instanceof Instance && value.type.isA(type);
  if (type instanceof Builtin && type.isType) return type.isType(value);
  return raise('TypeError', 'isinstance() arg 2 must be a type, a tuple of types, or a union');
}

export function builtins(machine: Machine): ReadonlyMap<string, Value> {
  const names = new Map<string, Value>();
  const special = (value: Instance, name: string) => machine.special(value, name);
  const counted = function* (value: Value): IterableIterator<Value> {
    for (const each of iterate(value)) {
      machine.recorder.step();
      yield each;
    }
  };
  const all = (value: Value) => [...counted(value)];
  const add = (name: string, signature: string, call: Parameters<typeof define>[2]) =>
    names.set(name, define(name, signature, call));
  const type = (
    name: string,
    isType: (value: Value) => boolean,
    signature: string,
    call: Parameters<typeof define>[2],
  ) => {
    names.set(name, new Builtin(name, define(name, signature, call).call, isType));
  };

  add('print', "*values, sep=' ', end='\n', file=None, flush=False", ({ values, sep, end }) => {
    const texts = (values as Tuple).items.map((value) => str(value, special));
    const part = (value: Value, fallback: string) => (value === null ? fallback : str(value));
    machine.print(texts.join(part(sep!, ' ')) + part(end!, '\n'));
    return null;
  });
  add('len', 'value', ({ value }) => {
    const own = value instanceof Instance ? machine.special(value, '__len__') : undefined;
    if (own !== undefined) return own;
    const items = value instanceof Instance ? value.names.get('_items') : undefined;
    return lengthOf(items ?? value!);
  });
  type(
    'range',
    (value) => value instanceof Range,
    'start, stop=None, step=1',
    ({ start, stop, step }) => {
      const numbers = [start!, stop ?? null, step!].map((each) =>
        each === null ? null : integer(each, 'range'),
      );
      const [first, last, by] = numbers as [number, number | null, number];
      if (by === 0) raise('ValueError', 'range() arg 3 must not be zero');
      return last === null ? new Range(0, first, by) : new Range(first, last, by);
    },
  );
  add('enumerate', 'items, start=0', ({ items, start }) => {
    const pairs = function* (): IterableIterator<Value> {
      let i = integer(start!, 'start');
      for (const item of counted(items!)) yield new Tuple([i++, item]);
    };
    return new Iterator('enumerate', pairs());
  });
  add('zip', '*rows, strict=False', ({ rows }) => {
    const tuples = function* (): IterableIterator<Value> {
      const each = (rows as Tuple).items.map((row) => counted(row));
      while (each.length > 0) {
        const next = each.map((row) => row.next());
        if (next.some(({ done }) => done)) return;
        yield new Tuple(next.map(({ value }) => value as Value));
      }
    };
    return new Iterator('zip', tuples());
  });
  add('map', 'func, *rows', ({ func, rows }) => {
    const items = (rows as Tuple).items.map(all);
    const count = Math.min(...items.map((row) => row.length));
    const made = Array.from({ length: count }, (_, i) =>
      machine.call(
        func!,
        items.map((row) => row[i]!),
      ),
    );
    return new Iterator('map', made.values());
  });
  add('filter', 'func, items', ({ func, items }) => {
    const isKept = (item: Value) => truth(func === null ? item : machine.call(func!, [item]));
    return new Iterator('filter', all(items!).filter(isKept).values());
  });
  add('reversed', 'items', ({ items }) => new Iterator('reversed', all(items!).reverse().values()));
  add(
    'sorted',
    'items, *, key=None, reverse=False',
    ({ items, key, reverse }) => new List(sorted(machine, all(items!), key!, reverse!)),
  );
  add('iter', 'items', ({ items }) => new Iterator('iterator', counted(items!)));
  add('next', 'items', ({ items }) => {
    if (!(items instanceof Iterator))
      raise('TypeError', `'${typeName(items!)}' object is not an iterator`);
    const { value, done } = (items as Iterator).items.next();
    return done ? raise('StopIteration', '') : (value as Value);
  });
  add('sum', 'items, start=0', ({ items, start }) =>
    all(items!).reduce((a, b) => binary('+', a, b), start!),
  );
  for (const [name, sign] of [
    ['max', '>'],
    ['min', '<'],
  ] as const) {
    add(name, '*items, key=None', ({ items, key }) => {
      const given = (items as Tuple).items;
      const values = given.length === 1 ? all(given[0]!) : given;
      if (values.length === 0) raise('ValueError', `${name}() arg is an empty sequence`);
      const keyOf = (value: Value) => (key === null ? value : machine.call(key!, [value]));
      return values.reduce((a, b) => (truth(compare(sign, keyOf(b), keyOf(a))) ? b : a));
    });
  }
  add('abs', 'value', ({ value }) => {
    if (value instanceof ArrayValue)
      return elementwise('maximum', value, elementwise('multiply', value, -1));
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
  add('all', 'items', ({ items }) => all(items!).every(truth));
  add('any', 'items', ({ items }) => all(items!).some(truth));
  add('repr', 'value', ({ value }) => repr(value!, special));
  add('id', 'value', ({ value }) =>
    typeof value === 'object' && value !== null ? identityOf(value) : 0,
  );
  add('format', "value, spec=''", ({ value, spec }) => format(value!, String(spec), special));
  add('callable', 'value', ({ value }) =>
    [Builtin, Func, Method, ClassValue].some((each) => value instanceof each),
  );
  add('isinstance', 'value, type', (args) => isInstance(args['value']!, args['type']!));
  add('hasattr', 'value, name', ({ value, name }) => {
    try {
      machine.attribute(value!, String(name));
      return true;
    } catch (error) {
      if (error instanceof Raised && error.kind === 'AttributeError') return false;
      throw error;
    }
  });
  add('getattr', 'value, name', ({ value, name }) => machine.attribute(value!, String(name)));
  add('setattr', 'value, name, to', ({ value, name, to }) => {
    if (!(value instanceof Instance))
      raise('AttributeError', `'${typeName(value!)}' object has no attribute '${str(name!)}'`);
    (value as Instance).names.set(String(name), to!);
    return null;
  });
  add('super', '*args', () => raise('RuntimeError', 'super(): no arguments'));
  add('slice', 'start, stop=None, step=None', ({ start, stop, step }) =>
    stop === null ? new Slice(null, start!, null) : new Slice(start!, stop!, step!),
  );
  type(
    'int',
    (value) => typeof value === 'number' || typeof value === 'boolean',
    'value=0',
    ({ value }) => toNumber(value!, 'int'),
  );
  type(
    'float',
    (value) => value instanceof Float,
    'value=0.0',
    ({ value }) => toNumber(value!, 'float'),
  );
  type(
    'bool',
    (value) => typeof value === 'boolean',
    'value=False',
    ({ value }) => truth(value!),
  );
  type(
    'str',
    (value) => typeof value === 'string',
    "value=''",
    ({ value }) => str(value!, special),
  );
  type(
    'list',
    (value) => value instanceof List,
    'items=None',
    ({ items }) => new List(items === null ? [] : all(items!)),
  );
  type(
    'tuple',
    (value) => value instanceof Tuple,
    'items=None',
    ({ items }) => new Tuple(items === null ? [] : all(items!)),
  );
  type(
    'set',
    (value) => value instanceof Dict && value.isSet,
    'items=None',
    ({ items }) => {
      const made = new Dict(true);
      if (items !== null) for (const item of all(items!)) made.set(item, null);
      return made;
    },
  );
  type(
    'dict',
    (value) => value instanceof Dict && !value.isSet,
    'items=None, **named',
    ({ items, named }) => {
      const made = new Dict();
      if (items instanceof Dict)
        for (const [key, value] of items.entries.values()) made.set(key, value);
      else if (items !== null) {
        for (const pair of all(items!)) {
          const [key, value] = all(pair);
          made.set(key!, value!);
        }
      }
      for (const [key, value] of (named as Dict).entries.values()) made.set(key, value);
      return made;
    },
  );
  type(
    'object',
    () => true,
    '',
    () => null,
  );
  type(
    'type',
    (value) => value instanceof ClassValue,
    'value',
    ({ value }) => {
      if (value instanceof Instance) return value.type;
      const known = names.get(typeName(value!));
      return (
        known ??
        new Builtin(
          typeName(value!).replace(/^Tensor$/, 'torch.Tensor'),
          () => null,
          () => false,
        )
      );
    },
  );
  const base = new ClassValue('BaseException', undefined);
  const keep = define('__init__', 'self, *args', ({ self, args }) => {
    (self as Instance).names.set('args', args!);
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
