// Arithmetic operators between values: numbers by Python's rules, arrays by NumPy's and PyTorch's, strings, lists and
// tuples.
import { ArrayValue } from '../arrays/array.js';
import { arithmetic, inverted, negative } from '../arrays/arithmetic.js';
import { arrayOf } from '../arrays/make.js';
import { matmul, type Texts } from '../arrays/products.js';
import { checkLength, checkText, checkTextLength, raise } from './errors.js';
import { percent } from './percent.js';
import {
  Dict,
  Float,
  isNumber,
  isRow,
  List,
  numberIn,
  special,
  Tuple,
  typeName,
  type Value,
} from './values.js';
import { read, worked } from './work.js';

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
      'a negative number raised to a fractional power is complex, and complex numbers are not supported here',
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

function onSequences(sign: string, x: Value, y: Value): Value | undefined {
  if (sign === '+') {
    if (typeof x === 'string' && typeof y === 'string') {
      checkTextLength(x.length + y.length);
      // The engine joins texts without copying them.
      read((x.length + y.length) / 16);
      return x + y;
    }
    const isList = x instanceof List && y instanceof List;
    if (isList || (x instanceof Tuple && y instanceof Tuple)) {
      checkLength(x.items.length + y.items.length);
      return new (isList ? List : Tuple)([...x.items, ...y.items]);
    }
    const name = typeof x === 'string' ? 'str' : x instanceof List ? 'list' : undefined;
    if (name) raise('TypeError', `can only concatenate ${name} (not "${typeName(y)}") to ${name}`);
  }
  if (sign === '*') {
    const [some, number] = typeof x === 'number' || typeof x === 'boolean' ? [y, x] : [x, y];
    if (typeof number !== 'number' && typeof number !== 'boolean') return undefined;
    const times = Math.max(0, Number(number));
    if (typeof some === 'string') {
      checkText(some.length * times);
      return some.repeat(times);
    }
    if (!(some instanceof List || some instanceof Tuple)) return undefined;
    checkLength(some.items.length * times);
    const items: Value[] = [];
    for (let i = 0; i < times; ++i) for (const each of some.items) items.push(each);
    return new (some instanceof List ? List : Tuple)(items);
  }
  return undefined;
}

/** Set operations. */
function onSets(sign: string, x: Dict, y: Dict): Value | undefined {
  if (!'|&-^'.includes(sign)) return undefined;
  worked(x.entries.size + y.entries.size);
  const made = new Dict(true);
  for (const [name, [key]] of x.entries) {
    if (sign === '|' || y.entries.has(name) === (sign === '&')) made.set(key, null);
  }
  for (const [name, [key]] of y.entries) {
    if (sign === '|' || (sign === '^' && !x.entries.has(name))) made.set(key, null);
  }
  return made;
}

export const isArray = (value: Value): value is ArrayValue => value instanceof ArrayValue;

/** Both as arrays or numbers, where one of them is an array; NumPy takes lists, too. */
export function operands(x: Value, y: Value): readonly [Value, Value] | undefined {
  const [array, other] = isArray(x) ? [x, y] : [y as ArrayValue, x];
  if (isNumber(other) || isArray(other)) return [x, y];
  if (!isRow(other) || array.library === 'torch') return undefined;
  const made = arrayOf(array.recorder, other, 'numpy');
  return isArray(x) ? [x, made] : [made, y];
}

/** Python's names of the methods for operators. */
const methods: Readonly<Record<string, string>> = {
  ...{ '+': 'add', '-': 'sub', '*': 'mul', '/': 'truediv', '//': 'floordiv', '%': 'mod' },
  ...{ '@': 'matmul', '**': 'pow' },
};

/** The result of a method of x on y, or of a reflected method of y on x. */
export function eitherOf(name: string, x: Value, y: Value, back: string): Value | undefined {
  const own = special(x, name, [y]);
  return own === undefined ? special(y, back, [x]) : own;
}

/** `x sign= y` by a method of x, if it has one. */
export const inPlace = (sign: string, x: Value, y: Value): Value | undefined =>
  methods[sign] && special(x, `__i${methods[sign]}__`, [y]);

/** `x sign y`; `texts` are the source code of both sides. */
export function binary(sign: string, x: Value, y: Value, texts?: Texts): Value {
  const name = methods[sign];
  const own = name && eitherOf(`__${name}__`, x, y, `__r${name}__`);
  if (own !== undefined) return own;
  if (sign === '%' && typeof x === 'string') return percent(x, y);
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
    const areSets = x instanceof Dict && y instanceof Dict && x.isSet && y.isSet;
    const value = areSets ? onSets(sign, x, y) : onSequences(sign, x, y);
    if (value !== undefined) return value;
  }
  const types = `'${typeName(x)}' and '${typeName(y)}'`;
  const word = sign === '**' ? '** or pow()' : sign;
  return raise('TypeError', `unsupported operand type(s) for ${word}: ${types}`);
}

export function unary(sign: string, x: Value): Value {
  const own = special(x, `__${{ '-': 'neg', '+': 'pos', '~': 'invert' }[sign as '-']}__`);
  if (own !== undefined) return own;
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
