// Python's math, and numbers of what stands for one.
import { ArrayValue } from '../arrays/array.js';
import { plainNumber } from '../arrays/make.js';
import { raise } from '../language/errors.js';
import { repr } from '../language/format.js';
import { binary, iterate } from '../language/operators.js';
import { define } from '../language/signature.js';
import { Float, Module, type Value, isNumber, numberIn, typeName } from '../language/values.js';

/** A number of Python of a text or a number. */
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
export function mathModule(): Module {
  const names = new Map<string, Value>();
  const float = (name: string, of: (x: number) => number) => {
    const call = ({ x }: Readonly<Record<string, Value>>) => {
      const value = of(numberIn(toNumber(x!, 'float') as Float));
      if (Number.isNaN(value) && !Number.isNaN(numberIn(toNumber(x!, 'float') as Float)))
        raise('ValueError', 'math domain error');
      return new Float(value);
    };
    names.set(name, define(name, 'x', call));
  };
  const plain = {
    sqrt: Math.sqrt,
    exp: Math.exp,
    sin: Math.sin,
    cos: Math.cos,
    tan: Math.tan,
    tanh: Math.tanh,
    log2: Math.log2,
    log10: Math.log10,
    fabs: Math.abs,
    atan: Math.atan,
  };
  for (const [name, of] of Object.entries(plain)) float(name, of);
  names.set(
    'log',
    define('log', 'x, base=None', ({ x, base }) => {
      const value = numberIn(toNumber(x!, 'float') as Float);
      if (value <= 0) raise('ValueError', 'math domain error');
      return new Float(
        Math.log(value) /
          (base === null ? 1 : Math.log(numberIn(toNumber(base!, 'float') as Float))),
      );
    }),
  );
  for (const [name, of] of [
    ['floor', Math.floor],
    ['ceil', Math.ceil],
    ['trunc', Math.trunc],
  ] as const) {
    names.set(
      name,
      define(name, 'x', ({ x }) => of(numberIn(toNumber(x!, 'float') as Float)) + 0),
    );
  }
  names.set(
    'pow',
    define('pow', 'x, y', ({ x, y }) => binary('**', toNumber(x!, 'float'), y!)),
  );
  names.set(
    'isnan',
    define('isnan', 'x', ({ x }) => Number.isNaN(numberIn(toNumber(x!, 'float') as Float))),
  );
  names.set(
    'isinf',
    define(
      'isinf',
      'x',
      ({ x }) => Math.abs(numberIn(toNumber(x!, 'float') as Float)) === Infinity,
    ),
  );
  names.set(
    'isclose',
    define('isclose', 'a, b, rel_tol=1e-9, abs_tol=0.0', (args) => {
      const [a, b, relative, absolute] = ['a', 'b', 'rel_tol', 'abs_tol'].map((name) =>
        numberIn(toNumber(args[name]!, 'float') as Float),
      ) as [number, number, number, number];
      return (
        a === b ||
        Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), absolute)
      );
    }),
  );
  names.set(
    'prod',
    define('prod', 'items', ({ items }) =>
      [...iterate(items!)].reduce((a, b) => binary('*', a, b), 1 as Value),
    ),
  );
  for (const [name, value] of Object.entries({
    pi: Math.PI,
    e: Math.E,
    inf: Infinity,
    nan: NaN,
    tau: 2 * Math.PI,
  })) {
    names.set(name, new Float(value));
  }
  return new Module('math', names);
}
