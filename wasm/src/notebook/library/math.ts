// Python's math, and conversions to numbers.
import { ArrayValue } from '../arrays/array.js';
import { plainNumber } from '../arrays/make.js';
import { raise } from '../language/errors.js';
import { repr } from '../language/format.js';
import type { Machine } from '../language/machine.js';
import { binary } from '../language/operators.js';
import { definer } from '../language/signature.js';
import { Float, Module, type Value, isNumber, numberIn, typeName } from '../language/values.js';

/** The nearest integer, with ties to even. */
export function halfToEven(value: number): number {
  const low = Math.floor(value);
  return value - low === 0.5 ? low + (low % 2 === 0 ? 0 : 1) : Math.round(value);
}

/** A text or a number as a Python number. */
export function toNumber(value: Value, name: 'int' | 'float'): Value {
  if (value instanceof ArrayValue) {
    const isMany = value.size !== 1 && value.library === 'numpy';
    if (isMany) raise('TypeError', 'only size-1 arrays can be converted to Python scalars');
    return toNumber(plainNumber(value, value.item()), name);
  }
  if (isNumber(value)) {
    const plain = numberIn(value);
    if (name === 'float') return new Float(plain);
    if (Number.isNaN(plain)) raise('ValueError', 'cannot convert float NaN to integer');
    if (!Number.isFinite(plain)) raise('OverflowError', 'cannot convert float infinity to integer');
    return Math.trunc(plain) + 0;
  }
  if (typeof value === 'string') {
    const trimmed = value.trim().toLowerCase();
    const special = {
      inf: Infinity,
      '-inf': -Infinity,
      infinity: Infinity,
      '-infinity': -Infinity,
      nan: NaN,
    }[trimmed];
    if (name === 'float' && special !== undefined) return new Float(special);
    const isRight =
      name === 'int'
        ? /^[+-]?\d+$/.test(trimmed)
        : /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(trimmed);
    if (isRight) return name === 'int' ? Number(trimmed) : new Float(Number(trimmed));
    const text =
      name === 'int'
        ? `invalid literal for int() with base 10: ${repr(value)}`
        : `could not convert string to float: ${repr(value)}`;
    raise('ValueError', text);
  }
  const kinds =
    name === 'int' ? 'a string, a bytes-like object or a real number' : 'a string or a real number';
  return raise('TypeError', `${name}() argument must be ${kinds}, not '${typeName(value)}'`);
}

/** Python's `math`. */
export function mathModule(machine: Machine): Module {
  const names = new Map<string, Value>();
  const real = (value: Value): number => numberIn(toNumber(value, 'float') as Float);
  const add = definer(names);
  const inDomain = (value: number, isIn: boolean): Value =>
    isIn ? new Float(value) : raise('ValueError', 'math domain error');
  const { sqrt, exp, sin, cos, tan, tanh, log2, log10, abs: fabs, atan } = Math;
  for (const [name, of] of Object.entries({
    ...{ sqrt, exp, sin, cos, tan, tanh, log2, log10, fabs, atan },
  })) {
    add(name, 'x', ({ x }) => {
      const value = of(real(x!));
      return inDomain(value, !Number.isNaN(value) || Number.isNaN(real(x!)));
    });
  }
  add('log', 'x, base=None', ({ x, base }) => {
    const [value, by] = [real(x!), base === null ? Math.E : real(base!)];
    return inDomain(base === null ? Math.log(value) : Math.log(value) / Math.log(by), value > 0);
  });
  const { floor, ceil, trunc } = Math;
  for (const [name, of] of Object.entries({ floor, ceil, trunc }))
    add(name, 'x', ({ x }) => of(real(x!)) + 0);
  add('pow', 'x, y', ({ x, y }) => binary('**', toNumber(x!, 'float'), y!));
  add('isnan', 'x', ({ x }) => Number.isNaN(real(x!)));
  add('isinf', 'x', ({ x }) => Math.abs(real(x!)) === Infinity);
  add('isclose', 'a, b, rel_tol=1e-9, abs_tol=0.0', (args) => {
    const [a, b, relative, absolute] = ['a', 'b', 'rel_tol', 'abs_tol'].map((name) =>
      real(args[name]!),
    ) as [number, number, number, number];
    const size = Math.max(Math.abs(a), Math.abs(b));
    return a === b || Math.abs(a - b) <= Math.max(relative * size, absolute);
  });
  add('prod', 'items', ({ items }) =>
    [...machine.iterate(items!)].reduce((a, b) => binary('*', a, b), 1 as Value),
  );
  const constants = { pi: Math.PI, e: Math.E, inf: Infinity, nan: NaN, tau: 2 * Math.PI };
  for (const [name, value] of Object.entries(constants)) names.set(name, new Float(value));
  return new Module('math', names);
}
