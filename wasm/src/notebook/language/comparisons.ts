// Truth and comparisons of values: by Python's rules, and for arrays by NumPy's and PyTorch's.
import { Dtype } from '../arrays/array.js';
import { arithmetic } from '../arrays/arithmetic.js';
import { raise } from './errors.js';
import { iterate } from './iteration.js';
import { eitherOf, isArray, operands } from './operators.js';
import {
  Builtin,
  Dict,
  Float,
  Instance,
  isNumber,
  isRow,
  keyOf,
  List,
  numberIn,
  Range,
  special,
  Tuple,
  typeName,
  type Value,
} from './values.js';
import { read, worked } from './work.js';

/** Whether a value counts as true. */
export function truth(value: Value): boolean {
  const own = special(value, '__bool__') ?? special(value, '__len__');
  if (own !== undefined) return truth(own);
  if (value === null) return false;
  if (isNumber(value)) return numberIn(value) !== 0;
  if (typeof value === 'string') return value !== '';
  if (value instanceof Dict) return value.entries.size > 0;
  if (value instanceof Range) return value.length > 0;
  if (isRow(value)) return value.items.length > 0;
  if (!isArray(value)) return true;
  if (value.size === 1) return value.numbers()[0] !== 0;
  if (value.library === 'torch') {
    return raise('RuntimeError', 'Boolean value of Tensor with more than one value is ambiguous');
  }
  const text =
    'The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()';
  return raise('ValueError', text);
}

const comparisons = {
  ...{ '==': ['eq', 'eq'], '!=': ['ne', 'ne'] },
  ...{ '<': ['lt', 'gt'], '<=': ['le', 'ge'], '>': ['gt', 'lt'], '>=': ['ge', 'le'] },
} as const;

/** `x sign y` by a method of either, if there is one. */
function byMethod(sign: string, x: Value, y: Value): Value | undefined {
  if (!(x instanceof Instance || y instanceof Instance)) return undefined;
  const [name, back] = comparisons[sign as '=='];
  const own = eitherOf(`__${name}__`, x, y, `__${back}__`);
  return own === undefined && sign === '!=' ? !truth(compare('==', x, y)) : own;
}

/** Whether items of collections are equal. */
export function equals(x: Value, y: Value): boolean {
  worked(1);
  if (typeof x === 'string' && typeof y === 'string') read(Math.min(x.length, y.length));
  if (x === y && !isArray(x) && !(x instanceof Float)) return true;
  const own = byMethod('==', x, y);
  if (own !== undefined) return truth(own);
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
    worked(x.entries.size);
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

function ordered(sign: string, x: Value, y: Value): boolean {
  worked(1);
  const by = <Plain extends number | string>(a: Plain, b: Plain): boolean =>
    ({ '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b })[sign as '<'];
  if (isNumber(x) && isNumber(y)) return by(numberIn(x), numberIn(y));
  if (typeof x === 'string' && typeof y === 'string') {
    read(Math.min(x.length, y.length));
    return by(x, y);
  }
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    const [a, b] = [x.items, y.items];
    const differs = a.findIndex((item, i) => i >= b.length || !equals(item, b[i]!));
    return differs < 0 || differs >= b.length
      ? by(a.length, b.length)
      : truth(compare(sign, a[differs]!, b[differs]!));
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
  const own = byMethod(sign, x, y);
  if (own !== undefined) return own;
  if (isArray(x) || isArray(y)) {
    const both = operands(x, y);
    if (both) return arithmetic(sign, ...both);
    if (sign === '==' || sign === '!=') return sign === '!=';
  }
  if (sign === '==') return equals(x, y);
  return sign === '!=' ? !equals(x, y) : ordered(sign, x, y);
}

export function contains(all: Value, item: Value): boolean {
  const own = special(all, '__contains__', [item]);
  if (own !== undefined) return truth(own);
  if (typeof all === 'string') {
    read(all.length);
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
