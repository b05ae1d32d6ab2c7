// The representation of a program's values. Integers, booleans, strings and None are JavaScript's own numbers, booleans,
// strings and null; a float is a Float, so that 2 and 2.0 stay distinct.
import { ArrayValue, Dtype } from '../arrays/array.js';
import { outside, raise } from './errors.js';
import { listed, read, worked } from './work.js';

export class Float {
  constructor(readonly value: number) {}
}

export class List {
  constructor(readonly items: Value[]) {
    listed(items.length);
  }
}

export class Tuple {
  constructor(
    readonly items: readonly Value[],
    /** A name for the type, such as `torch.Size`. */
    readonly title = '',
  ) {
    listed(items.length);
  }
}

/** The work of a new entry: it takes much more memory than an item of a list. */
const newEntry = 16;

/** A dictionary or, with nulls as values, a set. */
export class Dict {
  readonly entries = new Map<string, readonly [Value, Value]>();

  constructor(readonly isSet = false) {}

  get = (key: Value): Value | undefined => this.entries.get(keyOf(key))?.[1];
  set(key: Value, value: Value): void {
    const name = keyOf(key);
    if (!this.entries.has(name)) worked(newEntry);
    this.entries.set(name, [this.entries.get(name)?.[0] ?? key, value]);
  }
}

export class Range {
  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
  ) {}

  get length(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step));
  }

  /** @throws Raised where there are too many for a list */
  get items(): readonly number[] {
    if (this.length > 1e7) raise('MemoryError', 'a list may have 10,000,000 numbers');
    worked(this.length);
    return Array.from({ length: this.length }, (_, i) => this.start + i * this.step);
  }
}

export class Slice {
  constructor(
    readonly start: Value,
    readonly stop: Value,
    readonly step: Value,
  ) {}
}

/** An iterator, which can be used once: a zip, an enumerate, a generator. */
export class Iterator {
  constructor(
    readonly title: string,
    readonly items: IterableIterator<Value>,
  ) {}
}

export type Named = ReadonlyMap<string, Value>;
export type Call = (args: readonly Value[], named: Named) => Value;

/** A built-in function. */
export class Builtin {
  constructor(
    readonly name: string,
    readonly call: Call,
    /** Whether it is a type, such as `int`. */
    readonly isType: ((value: Value) => boolean) | undefined = undefined,
  ) {}
}

/** A function of the program. */
export class Func {
  /** The class in which it is defined, for `super()`. */
  owner: ClassValue | undefined;

  constructor(
    readonly name: string,
    readonly call: Call,
    readonly decorator: '' | 'property' | 'staticmethod' = '',
  ) {}
}

/** A function bound to its first argument. */
export class Method {
  constructor(
    readonly self: Value,
    readonly func: Func | Builtin,
  ) {}
}

export class ClassValue {
  readonly names = new Map<string, Value>();

  constructor(
    readonly name: string,
    readonly base: ClassValue | undefined,
    /** Whether its objects can be raised. */
    readonly isError: boolean = Boolean(base?.isError),
  ) {}

  find(name: string): Value | undefined {
    const own = this.names.get(name);
    return own === undefined ? this.base?.find(name) : own;
  }

  isA = (other: ClassValue): boolean => this === other || Boolean(this.base?.isA(other));
}

export class Instance {
  readonly names = new Map<string, Value>();

  constructor(
    readonly type: ClassValue,
    /** Its number in the run, counted from 1, as printed. */
    readonly id: number,
  ) {}
}

/** The result of `super()`. */
export class Super {
  constructor(
    readonly self: Value,
    readonly type: ClassValue | undefined,
  ) {}
}

export class Module {
  constructor(
    readonly name: string,
    readonly names: ReadonlyMap<string, Value>,
  ) {}
}

class Ellipsis {
  readonly isEllipsis = true;
}
export const ellipsis = new Ellipsis();

export type Value =
  | null
  | boolean
  | number
  | string
  | Ellipsis
  | Float
  | List
  | Tuple
  | Dict
  | Range
  | Slice
  | Iterator
  | ArrayValue
  | Dtype
  | Builtin
  | Func
  | Method
  | ClassValue
  | Instance
  | Super
  | Module;

const plainNames = { boolean: 'bool', number: 'int', string: 'str' } as const;
const titles: readonly (readonly [unknown, string])[] = [
  [Float, 'float'],
  [List, 'list'],
  [Range, 'range'],
  [Slice, 'slice'],
  [Builtin, 'builtin_function_or_method'],
  [Func, 'function'],
  [Ellipsis, 'ellipsis'],
  [Method, 'method'],
  [ClassValue, 'type'],
  [Module, 'module'],
  [Dtype, 'dtype'],
  [Super, 'super'],
];

/** Python's name of a value's type. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value !== 'object') return plainNames[typeof value as 'number'];
  if (value instanceof Instance) return value.type.name;
  if (value instanceof Tuple) return value.title || 'tuple';
  if (value instanceof Dict) return value.isSet ? 'set' : 'dict';
  if (value instanceof Iterator) return value.title;
  if (value instanceof ArrayValue) {
    if (value.library === 'torch') return 'Tensor';
    return value.isScalar ? `numpy.${value.dtype}` : 'numpy.ndarray';
  }
  return titles.find(([type]) => value instanceof (type as typeof Float))?.[1] ?? 'object';
}

export const isNumber = (value: Value): value is number | boolean | Float =>
  typeof value === 'number' || typeof value === 'boolean' || value instanceof Float;

export const numberIn = (value: number | boolean | Float): number =>
  value instanceof Float ? value.value : Number(value);

export const isRow = (value: Value): value is List | Tuple | Range =>
  value instanceof List || value instanceof Tuple || value instanceof Range;

/** The characters of a text as Python counts them. */
export function characters(text: string): ArrayLike<string> {
  // This search is much faster than any other loop over the text.
  const hasPairs = /[\ud800-\udfff]/.test(text);
  read(hasPairs ? 4 * text.length : text.length / 16);
  return hasPairs ? [...text] : text;
}

const none: Named = new Map();

/** Calls a special method, with two underscores, of a class of the program. */
export function special(
  value: Value,
  name: string,
  args: readonly Value[] = [],
): Value | undefined {
  const found = value instanceof Instance ? value.type.find(name) : undefined;
  if (!(found instanceof Func || found instanceof Builtin)) return undefined;
  return found.call([value, ...args], none);
}

const identities = new WeakMap<object, number>();
let last = 0;
/** A number that identifies an object during its life. */
export function identityOf(value: object): number {
  if (!identities.has(value)) identities.set(value, ++last);
  return identities.get(value)!;
}

/** A text that is the same for equal keys. @throws Raised for values that cannot be keys */
export function keyOf(value: Value): string {
  if (typeof value === 'string') read(value.length);
  else worked(1);
  if (value === null) return 'None';
  if (isNumber(value)) return `n${numberIn(value)}`;
  if (typeof value === 'string') return `s${value}`;
  if (value instanceof Tuple) return `(${value.items.map((item) => `${keyOf(item)},`).join('')})`;
  if (value instanceof List || value instanceof Dict) {
    raise('TypeError', `unhashable type: '${typeName(value)}'`);
  }
  if (value instanceof Instance && value.type.find('__hash__')) throw outside('__hash__');
  if (value instanceof Instance && value.type.find('__eq__')) {
    raise('TypeError', `unhashable type: '${typeName(value)}'`);
  }
  if (value instanceof ArrayValue && value.isScalar) return `n${value.item()}`;
  if (value instanceof ArrayValue && value.library === 'numpy') {
    raise('TypeError', `unhashable type: 'numpy.ndarray'`);
  }
  return typeof value === 'object' ? `o${identityOf(value)}` : String(value);
}
