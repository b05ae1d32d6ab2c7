// Arguments of functions: bound to parameters by Python's rules, and read as numbers.
import { ArrayValue } from '../arrays/array.js';
import { checkText, raise } from './errors.js';
import {
  Builtin,
  Dict,
  Float,
  isNumber,
  isRow,
  List,
  numberIn,
  Tuple,
  typeName,
  type Named,
  type Value,
} from './values.js';
import { read, worked } from './work.js';

export interface Slot {
  readonly name: string;
  /** `*args` or `**named`. */
  readonly star: '' | '*' | '**';
  /** Whether it follows a `*`. */
  readonly namedOnly: boolean;
  readonly fallback: Value | undefined;
}

/** The arguments of a call by name. */
export type Args = Readonly<Record<string, Value>>;

const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);

const listed = (names: readonly string[]): string => {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length < 2) return quoted.join('');
  const comma = quoted.length > 2 ? ',' : '';
  return `${quoted.slice(0, -1).join(', ')}${comma} and ${quoted.at(-1)}`;
};

/** The parameters of a function. */
export class Signature {
  readonly #plain: readonly Slot[];
  readonly #positional: readonly Slot[];
  readonly #rest: Slot | undefined;
  readonly #others: Slot | undefined;

  constructor(
    readonly name: string,
    slots: readonly Slot[],
  ) {
    this.#plain = slots.filter(({ star }) => star === '');
    this.#positional = this.#plain.filter(({ namedOnly }) => !namedOnly);
    this.#rest = slots.find(({ star }) => star === '*');
    this.#others = slots.find(({ star }) => star === '**');
  }

  /** The value of each parameter. @throws Raised where the arguments do not fit */
  bind(args: readonly Value[], named: Named): Args {
    const [plain, positional, rest, others] = [
      ...[this.#plain, this.#positional, this.#rest, this.#others],
    ] as const;
    const fail = (problem: string) => raise('TypeError', `${this.name}() ${problem}`);
    const values = Object.create(null) as Record<string, Value>;
    for (const [i, slot] of positional.entries()) if (i < args.length) values[slot.name] = args[i]!;
    if (args.length > positional.length && !rest) {
      const max = positional.length;
      const min = positional.filter(({ fallback }) => fallback === undefined).length;
      const takes = min < max ? `from ${min} to ${max}` : `${max}`;
      const were = args.length === 1 ? 'was' : 'were';
      const word = plural('argument', min < max ? 2 : max);
      fail(`takes ${takes} positional ${word} but ${args.length} ${were} given`);
    }
    const extra = new Dict();
    for (const [key, value] of named) {
      if (!plain.some(({ name }) => name === key)) {
        if (!others) fail(`got an unexpected keyword argument '${key}'`);
        extra.set(key, value);
      } else if (key in values) fail(`got multiple values for argument '${key}'`);
      else values[key] = value;
    }
    for (const isNamed of [false, true]) {
      const missing = plain.filter(
        ({ name, namedOnly, fallback }) =>
          namedOnly === isNamed && fallback === undefined && !(name in values),
      );
      if (missing.length === 0) continue;
      const what = `${isNamed ? 'keyword-only' : 'positional'} ${plural('argument', missing.length)}`;
      const names = listed(missing.map(({ name }) => name));
      fail(`missing ${missing.length} required ${what}: ${names}`);
    }
    for (const { name, fallback } of plain) if (!(name in values)) values[name] = fallback!;
    if (rest) values[rest.name] = new Tuple(args.slice(positional.length));
    if (others) values[others.name] = extra;
    return values;
  }
}

function fallbackOf(text: string | undefined): Value | undefined {
  if (text === undefined) return undefined;
  const words: Readonly<Record<string, Value>> = { None: null, True: true, False: false };
  if (Object.hasOwn(words, text)) return words[text]!;
  if (text.startsWith("'")) return text.slice(1, -1);
  return /[.e]/.test(text) ? new Float(Number(text)) : Number(text);
}

/** A signature as Python writes it: `a, axis=None, *, keepdims=False`. */
function slotsOf(signature: string): Slot[] {
  let namedOnly = false;
  return signature
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .flatMap((part): Slot[] => {
      const [, star = '', name = '', fallback] = /^(\**)(\w*)(?:=(.*))?$/s.exec(part)!;
      const was = namedOnly;
      if (star === '*') namedOnly = true;
      if (!name) return [];
      return [{ name, star: star as '*', namedOnly: was, fallback: fallbackOf(fallback) }];
    });
}

/** A function with a signature; `call` gets its arguments by name. */
export function define(name: string, signature: string, call: (args: Args) => Value): Builtin {
  const own = new Signature(name.split('.').at(-1)!, slotsOf(signature));
  return new Builtin(name, (args, named) => call(own.bind(args, named)));
}

/** Methods by name. */
export type MethodTable = Readonly<Record<string, Builtin>>;
/**
 * Methods of a built-in type by name, each with its signature; the items they read and make are counted as
 * work.
 */
export const methodTable = (
  methods: Readonly<Record<string, readonly [string, (args: Args) => Value]>>,
): MethodTable =>
  Object.fromEntries(
    Object.entries(methods).map(([name, [signature, call]]) => {
      const checked = (args: Args) => {
        if (typeof args['self'] === 'string') read(args['self'].length);
        const value = call(args);
        if (typeof value === 'string') checkText(value.length);
        if (value instanceof List) worked(value.items.length);
        return value;
      };
      return [name, define(name, `self, ${signature}`, checked)];
    }),
  );

/** Adds functions with signatures to the names of a module. */
export const definer =
  (names: Map<string, Value>) =>
  (name: string, signature: string, call: (args: Args) => Value): unknown =>
    names.set(name, define(name, signature, call));

/** PyTorch's names of arguments, with NumPy's name of each. */
const torchWords: Readonly<Record<string, string>> = { dim: 'axis', keepdim: 'keepdims' };

/** A function of PyTorch, whose signature uses NumPy's names. */
export function defineTorch(name: string, signature: string, call: (args: Args) => Value): Builtin {
  const inner = define(name, signature, call);
  const renamed = (named: Named) =>
    new Map([...named].map(([key, value]) => [torchWords[key] ?? key, value]));
  return new Builtin(name, (args, named) => inner.call(args, renamed(named)));
}

/** An argument as an integer. */
export function integer(value: Value, what: string): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  if (value instanceof ArrayValue && value.size === 1 && value.dtype === 'int64')
    return value.item();
  return raise(
    'TypeError',
    `${what}: '${typeName(value)}' object cannot be interpreted as an integer`,
  );
}

/** An argument as a number. */
export function number(value: Value, what: string): number {
  if (isNumber(value)) return numberIn(value);
  if (value instanceof ArrayValue && value.size === 1) return value.item();
  return raise('TypeError', `${what}: must be real number, not ${typeName(value)}`);
}

/** Arguments as integers: one, or several in a list, a tuple or separately. */
export function integers(value: Value, what: string): number[] {
  if (!isRow(value)) return [integer(value, what)];
  const { items } = value;
  return items.length === 1 && isRow(items[0]!)
    ? integers(items[0], what)
    : items.map((item) => integer(item, what));
}
