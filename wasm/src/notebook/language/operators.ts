// Operators between values: numbers by Python's rules, arrays by NumPy's and PyTorch's, strings, lists and tuples.
import { ArrayValue, Dtype } from '../arrays/array.js';
import { arithmetic, inverted, negative } from '../arrays/arithmetic.js';
import { getItem } from '../arrays/indexing.js';
import { arrayOf } from '../arrays/make.js';
import { matmul, type Texts } from '../arrays/products.js';
import { raise } from './errors.js';
import {
  Builtin,
  Dict,
  Instance,
  Float,
  isNumber,
  Iterator,
  keyOf,
  List,
  numberIn,
  Range,
  Tuple,
  typeName,
} from './values.js';

import type { Value } from './values.js';

const inRange = (value: number): number => {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  return raise('OverflowError', 'integers here have at most 53 bits; write a float, as 2.0 ** 60');
};

const zero = (text: string): never => raise('ZeroDivisionError', text);

function power(a: number, b: number, isFloat: boolean): Value {
  if (a === 0 && b < 0) zero('0.0 cannot be raised to a negative power');
  if (a < 0 && !Number.isInteger(b)) {
    raise(
      'NotImplementedError',
      'a number below 0 to a broken power is complex, and complex numbers are not in this subset',
    );
  }
  const value = a === 1 ? 1 : a ** b;
  if (isFloat || b < 0) {
    if (!Number.isFinite(value) && Number.isFinite(a) && Number.isFinite(b)) {
      raise('OverflowError', "(34, 'Numerical result out of range')");
    }
    return new Float(value);
  }
  return inRange(value);
}

function onNumbers(sign: string, x: Value, y: Value, a: number, b: number): Value | undefined {
  const isFloat = x instanceof Float || y instanceof Float;
  const number = (value: number) => (isFloat ? new Float(value) : inRange(value));
  switch (sign) {
    case '+':
      return number(a + b);
    case '-':
      return number(a - b);
    case '*':
      return number(a * b);
    case '/':
      return b === 0
        ? zero(isFloat ? 'float division by zero' : 'division by zero')
        : new Float(a / b);
    case '//':
      if (b === 0)
        zero(isFloat ? 'float floor division by zero' : 'integer division or modulo by zero');
      return number(Math.floor(a / b));
    case '%':
      if (b === 0) zero(isFloat ? 'float modulo' : 'integer division or modulo by zero');
      return number(a - b * Math.floor(a / b));
    case '**':
      return power(a, b, isFloat);
  }
  if (isFloat) return undefined;
  const isBoolean = typeof x === 'boolean' && typeof y === 'boolean';
  const bits = {
    '&': a & b,
    '|': a | b,
    '^': a ^ b,
    '<<': a * 2 ** b,
    '>>': Math.floor(a / 2 ** b),
  };
  const value = bits[sign as '&'];
  if (value === undefined) return undefined;
  return isBoolean && '&|^'.includes(sign) ? value !== 0 : inRange(value);
}

function repeated<Item>(items: readonly Item[], times: number): Item[] {
  if (items.length * times > 1e6) raise('MemoryError', 'a list may have a million items');
  return Array.from({ length: Math.max(0, times) }, () => items).flat();
}

function onSequences(sign: string, x: Value, y: Value): Value | undefined {
  if (sign === '+') {
    if (typeof x === 'string' && typeof y === 'string') {
      if (x.length + y.length > 1e6) raise('MemoryError', 'a string may have a million characters');
      return x + y;
    }
    if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
      if (x.items.length + y.items.length > 1e6)
        raise('MemoryError', 'a list may have a million items');
    }
    if (x instanceof List && y instanceof List) return new List([...x.items, ...y.items]);
    if (x instanceof Tuple && y instanceof Tuple) return new Tuple([...x.items, ...y.items]);
    if (typeof x === 'string' && !(y instanceof ArrayValue)) {
      raise('TypeError', `can only concatenate str (not "${typeName(y)}") to str`);
    }
    if (x instanceof List && !(y instanceof ArrayValue)) {
      raise('TypeError', `can only concatenate list (not "${typeName(y)}") to list`);
    }
  }
  if (sign === '*') {
    const [some, times] = typeof x === 'number' || typeof x === 'boolean' ? [y, x] : [x, y];
    if (typeof times !== 'number' && typeof times !== 'boolean') return undefined;
    if (some instanceof List) return new List(repeated(some.items, Number(times)));
    if (some instanceof Tuple) return new Tuple(repeated(some.items, Number(times)));
    if (typeof some === 'string') return repeated([some], Number(times)).join('');
  }
  return undefined;
}

const isArray = (value: Value): value is ArrayValue => value instanceof ArrayValue;

/** Both as arrays or numbers, where one of them is an array; NumPy takes lists, too. */
function operands(x: Value, y: Value): readonly [Value, Value] | undefined {
  const [array, other] = isArray(x) ? [x, y] : [y as ArrayValue, x];
  if (isNumber(other) || isArray(other)) return [x, y];
  const isList = other instanceof List || other instanceof Tuple;
  if (!isList || array.library === 'torch') return undefined;
  const made = arrayOf(array.recorder, other, 'numpy');
  return isArray(x) ? [x, made] : [made, y];
}

/** `x sign y`; `texts` are both sides as the code writes them. */
export function binary(sign: string, x: Value, y: Value, texts?: Texts): Value {
  if (isNumber(x) && isNumber(y)) {
    const value = onNumbers(sign, x, y, numberIn(x), numberIn(y));
    if (value !== undefined) return value;
  } else if (isArray(x) || isArray(y)) {
    const both = operands(x, y);
    if (both && sign === '@') {
      if (isArray(both[0]) && isArray(both[1])) return matmul(both[0], both[1], texts);
      raise(
        'ValueError',
        'matmul: Input operand does not have enough dimensions (a number has none)',
      );
    }
    if (both) return arithmetic(sign, ...both);
    if (
      (typeof x === 'string' || typeof y === 'string') &&
      [x, y].some((each) => isArray(each) && each.library === 'numpy')
    ) {
      raise('UFuncTypeError', `an array has no ${sign} with a string`);
    }
  } else {
    if (sign === '%' && typeof x === 'string') {
      raise('NotImplementedError', 'text % values is not in this subset; write an f-string');
    }
    const value = onSequences(sign, x, y);
    if (value !== undefined) return value;
    if (x instanceof Dict && y instanceof Dict && x.isSet && y.isSet)
      return setOperation(sign, x, y);
  }
  const types = `'${typeName(x)}' and '${typeName(y)}'`;
  const word = sign === '**' ? '** or pow()' : sign;
  return raise('TypeError', `unsupported operand type(s) for ${word}: ${types}`);
}

function setOperation(sign: string, x: Dict, y: Dict): Value {
  const made = new Dict(true);
  const keys = [...x.entries, ...(sign === '|' ? y.entries : [])];
  for (const [name, [key]] of keys) {
    const has = y.entries.has(name);
    if (sign === '|' || (sign === '&' ? has : !has)) made.set(key, null);
  }
  return made;
}

export function unary(sign: string, x: Value): Value {
  if (isArray(x)) {
    if (sign === '-') return negative(x);
    return sign === '~' ? inverted(x) : x;
  }
  if (isNumber(x)) {
    const value = numberIn(x);
    if (sign === '-') return x instanceof Float ? new Float(-value) : inRange(-value);
    if (sign === '+') return x instanceof Float ? x : value;
    if (!(x instanceof Float)) return -value - 1;
  }
  return raise('TypeError', `bad operand type for unary ${sign}: '${typeName(x)}'`);
}

/** Whether a value counts as true. */
export function truth(value: Value): boolean {
  if (value === null) return false;
  if (isNumber(value)) return numberIn(value) !== 0;
  if (typeof value === 'string') return value !== '';
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict) return value.entries.size > 0;
  if (value instanceof Range) return value.length > 0;
  if (!isArray(value)) return true;
  if (value.size === 1) return value.numbers()[0] !== 0;
  if (value.library === 'torch') {
    return raise('RuntimeError', 'Boolean value of Tensor with more than one value is ambiguous');
  }
  const text =
    'The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()';
  return raise('ValueError', text);
}

export function equals(x: Value, y: Value): boolean {
  if (x === y && !isArray(x) && !(x instanceof Float)) return true;
  if (isNumber(x) && isNumber(y)) return numberIn(x) === numberIn(y);
  if (isArray(x) || isArray(y)) return truth(compare('==', x, y));
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    return (
      x.items.length === y.items.length && x.items.every((item, i) => equals(item, y.items[i]!))
    );
  }
  if (x instanceof Range && y instanceof Range)
    return (
      x.length === y.length &&
      (x.length === 0 || x.start === y.start) &&
      (x.length < 2 || x.step === y.step)
    );
  if (x instanceof Dict && y instanceof Dict) {
    if (x.entries.size !== y.entries.size) return false;
    return [...x.entries].every(([name, [, value]]) => {
      const other = y.entries.get(name);
      return other !== undefined && equals(value, other[1]);
    });
  }
  if (x instanceof Builtin && y instanceof Builtin && x.isType && y.isType)
    return x.name === y.name;
  if (x instanceof Dtype || y instanceof Dtype) {
    const nameOf = (each: Value) => (each instanceof Dtype ? each.name : each);
    return nameOf(x) === nameOf(y);
  }
  return x === y;
}

function order(sign: string, x: Value, y: Value): number {
  if (isNumber(x) && isNumber(y)) return numberIn(x) - numberIn(y);
  if (typeof x === 'string' && typeof y === 'string') return x < y ? -1 : Number(x > y);
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    const differs = x.items.findIndex(
      (item, i) => i >= y.items.length || !equals(item, y.items[i]!),
    );
    if (differs < 0) return x.items.length - y.items.length;
    return differs >= y.items.length ? 1 : order(sign, x.items[differs]!, y.items[differs]!);
  }
  const types = `'${typeName(x)}' and '${typeName(y)}'`;
  return raise('TypeError', `'${sign}' not supported between instances of ${types}`);
}

export function compare(sign: string, x: Value, y: Value): Value {
  switch (sign) {
    case 'is':
    case 'is not':
      return (x === y) === (sign === 'is');
    case 'in':
    case 'not in':
      return contains(y, x) === (sign === 'in');
  }
  if (isArray(x) || isArray(y)) {
    const both = operands(x, y);
    if (both) return arithmetic(sign, ...both);
    if (sign === '==' || sign === '!=') return sign === '!=';
  }
  if (sign === '==') return equals(x, y);
  if (sign === '!=') return !equals(x, y);
  const by = order(sign, x, y);
  return { '<': by < 0, '<=': by <= 0, '>': by > 0, '>=': by >= 0 }[sign as '<'];
}

export function contains(all: Value, item: Value): boolean {
  if (typeof all === 'string') {
    if (typeof item === 'string') return all.includes(item);
    return raise(
      'TypeError',
      `'in <string>' requires string as left operand, not ${typeName(item)}`,
    );
  }
  if (all instanceof Dict) return all.entries.has(keyOf(item));
  if (all instanceof Range && isNumber(item)) {
    const at = (numberIn(item) - all.start) / all.step;
    return Number.isInteger(at) && at >= 0 && at < all.length;
  }
  if (isArray(all)) {
    const found = arithmetic('==', all, item);
    return found.numbers().some((each) => each !== 0);
  }
  for (const each of iterate(all)) if (each === item || equals(each, item)) return true;
  return false;
}

/** What is gone through in a loop. */
export function* iterate(value: Value): IterableIterator<Value> {
  if (value instanceof List || value instanceof Tuple) yield* value.items;
  else if (typeof value === 'string') yield* value;
  else if (value instanceof Dict) for (const [key] of value.entries.values()) yield key;
  else if (value instanceof Iterator) yield* value.items;
  else if (value instanceof Instance && value.names.has('_items'))
    yield* iterate(value.names.get('_items')!);
  else if (value instanceof Range) {
    for (let i = 0; i < value.length; ++i) yield value.start + i * value.step;
  } else if (isArray(value)) {
    if (value.rank === 0) {
      const text =
        value.library === 'torch'
          ? 'iteration over a 0-d tensor'
          : `'${typeName(value)}' object is not iterable`;
      raise('TypeError', text);
    }
    for (let i = 0; i < value.shape[0]!; ++i) yield elementOf(value, i);
  } else raise('TypeError', `'${typeName(value)}' object is not iterable`);
}

const elementOf = (value: ArrayValue, i: number): Value => getItem(value, i);

/** How many items a value has. */
export function lengthOf(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  if (value instanceof List || value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.entries.size;
  if (value instanceof Range) return value.length;
  if (isArray(value) && value.rank > 0) return value.shape[0]!;
  if (isArray(value)) {
    raise(
      'TypeError',
      value.library === 'torch' ? 'len() of a 0-d tensor' : 'len() of unsized object',
    );
  }
  return raise('TypeError', `object of type '${typeName(value)}' has no len()`);
}
