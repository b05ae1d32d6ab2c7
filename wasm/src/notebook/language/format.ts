// Values as text: the output of print, str, repr and f-strings.
import { ArrayValue, Dtype, shortest } from '../arrays/array.js';
import { printNumpy, printTorch, twoDigits } from '../arrays/print.js';
import { checkTextLength, raise } from './errors.js';
import {
  Builtin,
  ClassValue,
  Dict,
  ellipsis,
  Float,
  Func,
  Instance,
  isNumber,
  List,
  Module,
  numberIn,
  Range,
  Slice,
  special,
  Tuple,
  typeName,
  type Value,
} from './values.js';
import { read } from './work.js';

/** A float as Python writes it: the shortest digits, and from 1e16 on and below 1e-4 with an exponent. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    return twoDigits(value.toExponential());
  }
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const quoted = (text: string): string => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll(quote, `\\${quote}`);
  return quote + inner + quote;
};

/** `repr(value)` */
export function repr(value: Value, depth = 0, room = { left: 1e6 }): string {
  if (depth > 20) return '...';
  const inner = (each: Value) => {
    const text = repr(each, depth + 1, room);
    room.left -= text.length + 2;
    checkTextLength(1e6 - room.left);
    read(text.length + 2);
    return text;
  };
  if (typeof value === 'string') return quoted(value);
  if (value instanceof List) return `[${value.items.map(inner).join(', ')}]`;
  if (value instanceof Tuple) {
    const items = value.items.map(inner).join(', ');
    if (value.title) return `${value.title}([${items}])`;
    return value.items.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (value instanceof Dict) {
    const all = [...value.entries.values()];
    if (value.isSet)
      return all.length === 0 ? 'set()' : `{${all.map(([key]) => inner(key)).join(', ')}}`;
    return `{${all.map(([key, item]) => `${inner(key)}: ${inner(item)}`).join(', ')}}`;
  }
  if (value instanceof ArrayValue) {
    if (value.library === 'torch') return printTorch(value);
    return value.isScalar ? str(value) : printNumpy(value, true);
  }
  if (!(value instanceof Instance)) return str(value);
  const own = ownText(value, '__repr__');
  if (own !== undefined) return own;
  if (value.type.isError) return `${value.type.name}(${messagesOf(value).map(inner).join(', ')})`;
  return `<${value.type.name} object ${value.id}>`;
}

/** The text from an object's own method. */
function ownText(value: Instance, name: string): string | undefined {
  const own = special(value, name);
  if (own === undefined || typeof own === 'string') return own;
  return raise('TypeError', `${name} returned non-string (type ${typeName(own)})`);
}

/** The arguments of an error. */
function messagesOf(value: Instance): readonly Value[] {
  const args = value.names.get('args');
  return args instanceof Tuple ? args.items : [];
}

/** `str(value)` */
export function str(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' || typeof value === 'string') return String(value);
  if (value === ellipsis) return 'Ellipsis';
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof ArrayValue) {
    if (value.library === 'torch') return printTorch(value);
    if (!value.isScalar) return printNumpy(value, false);
    const number = value.numbers()[0]!;
    if (value.dtype === 'bool') return number ? 'True' : 'False';
    return value.dtype === 'int64' ? String(number) : floatText(shortest(number));
  }
  if (value instanceof Range) {
    const step = value.step === 1 ? '' : `, ${value.step}`;
    return `range(${value.start}, ${value.stop}${step})`;
  }
  if (value instanceof Slice)
    return `slice(${[value.start, value.stop, value.step].map((each) => repr(each)).join(', ')})`;
  if (value instanceof Dtype) return value.text;
  if (value instanceof Func) return `<function ${value.name}>`;
  if (value instanceof Builtin)
    return value.isType ? `<class '${value.name}'>` : `<built-in function ${value.name}>`;
  if (value instanceof ClassValue) return `<class '__main__.${value.name}'>`;
  if (value instanceof Module) return `<module '${value.name}'>`;
  if (value instanceof Instance) {
    const own = ownText(value, '__str__');
    if (own !== undefined || !value.type.isError || value.type.find('__repr__'))
      return own ?? repr(value);
    const all = messagesOf(value);
    return all.length === 1 ? str(all[0]!) : all.length === 0 ? '' : repr(new Tuple(all));
  }
  return value instanceof List || value instanceof Tuple || value instanceof Dict
    ? repr(value)
    : `<${typeName(value)}>`;
}

/** Digits in groups of three. */
const grouped = (digits: string, sign: string): string =>
  digits.replace(/^\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, sign));

/** A number with that many digits after the point; ties of the exact value go to the even digit. */
function fixed(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21)
    return BigInt(value).toString() + (digits ? `.${'0'.repeat(digits)}` : '');
  // toFixed rounds exactly, but ties go up; Python's go to the even digit.
  const exact = value.toFixed(100);
  const end = exact.indexOf('.') + 1 + digits;
  const isHalf = digits < 100 && /^50*$/.test(exact.slice(end));
  const before = exact.slice(0, end).replace(/\.$/, '');
  return isHalf && /[02468]$/.test(before) ? before : value.toFixed(Math.min(digits, 100));
}

function general(value: number, digits: number): string {
  const wanted = Math.max(1, digits);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const exponent = Number(value.toExponential(wanted - 1).split('e')[1]);
  if (exponent < -4 || exponent >= wanted) {
    const [head = '', tail = ''] = value.toExponential(wanted - 1).split('e');
    return twoDigits(`${head.includes('.') ? head.replace(/\.?0+$/, '') : head}e${tail}`);
  }
  const text = value.toFixed(Math.max(0, wanted - 1 - exponent));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function numberText(value: number, type: string, digits: number | undefined): string {
  if (!Number.isFinite(value)) return floatText(value);
  switch (type.toLowerCase()) {
    case 'f':
      return fixed(value, digits ?? 6);
    case 'e':
      return twoDigits(value.toExponential(digits ?? 6));
    case 'g':
      return general(value, digits ?? 6);
    case '%':
      return `${fixed(value * 100, digits ?? 6)}%`;
    default:
      return digits === undefined
        ? floatText(value)
        : general(value, digits).replace(/^(-?\d+)$/, '$1.0');
  }
}

const tooWide = (): never => raise('MemoryError', 'a format is at most 100,000 wide');

/** `format(value, spec)` */
export function format(value: Value, spec: string): string {
  if (spec === '') return str(value);
  const pattern = /^(?:(.)?([<>=^]))?([+\- ])?#?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;
  const found = pattern.exec(spec);
  if (!found) raise('ValueError', 'Invalid format specifier');
  const [, fill, align, plus, zeros, width, group, precision, type = ''] = found!;
  const digits = precision === undefined ? undefined : Number(precision);
  if ((digits ?? 0) > 1e5 && typeof value !== 'string') tooWide();
  const isArray = value instanceof ArrayValue;
  if (isArray && (value.rank > 0 || value.size !== 1)) {
    const name = value.library === 'torch' ? 'Tensor' : 'numpy.ndarray';
    raise('TypeError', `unsupported format string passed to ${name}.__format__`);
  }
  const plain: Value = isArray
    ? value.dtype === 'int64'
      ? value.item()
      : value.dtype === 'bool'
        ? value.item() !== 0
        : new Float(value.item())
    : value;
  const isText = typeof plain === 'string';
  if (!isText && !isNumber(plain)) {
    raise('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`);
  }
  const wrong = (): never =>
    raise('ValueError', `Unknown format code '${type}' for object of type '${typeName(plain)}'`);
  let [sign, body] = ['', ''];
  if (isText) {
    if (type && type !== 's') wrong();
    body = digits === undefined ? plain : plain.slice(0, digits);
  } else {
    const number = numberIn(plain as number);
    const isInteger = !(plain instanceof Float);
    if (type === 's' || (!isInteger && 'dbxXo'.includes(type) && type)) wrong();
    const size = Math.abs(number);
    if (isInteger && (type === '' || 'dbxXo'.includes(type))) {
      const base = { b: 2, o: 8, x: 16, X: 16 }[type] ?? 10;
      body = size.toString(base);
    } else body = numberText(size, type, digits);
    if (type && type === type.toUpperCase()) body = body.toUpperCase();
    if (group) body = grouped(body, group);
    const isNegative = number < 0 || Object.is(number, -0);
    sign = isNegative ? '-' : plus === '+' ? '+' : plus === ' ' ? ' ' : '';
  }
  const missing = Math.max(0, Number(width ?? 0) - sign.length - [...body].length);
  if (missing > 1e5) tooWide();
  const side = align ?? (zeros && !isText ? '=' : isText ? '<' : '>');
  const pad = fill ?? (zeros ? '0' : ' ');
  if (side === '=') return sign + pad.repeat(missing) + body;
  if (side === '<') return sign + body + pad.repeat(missing);
  if (side === '>') return pad.repeat(missing) + sign + body;
  return pad.repeat(missing >> 1) + sign + body + pad.repeat(missing - (missing >> 1));
}
