// Functions that are built in, with a signature as Python writes it: `a, axis=None, *, keepdims=False`.
import { raise } from './errors.js';
import { Builtin, Dict, Float, Tuple, typeName, type Named, type Value } from './values.js';
import { ArrayValue } from '../arrays/array.js';
import { isNumber, List, numberIn, Range } from './values.js';

interface Slot {
  readonly name: string;
  readonly star: string;
  readonly namedOnly: boolean;
  readonly fallback: Value | undefined;
}

function fallbackOf(text: string | undefined): Value | undefined {
  if (text === undefined) return undefined;
  const words: Readonly<Record<string, Value>> = { None: null, True: true, False: false };
  if (Object.hasOwn(words, text)) return words[text]!;
  if (text.startsWith("'")) return text.slice(1, -1);
  return /[.e]/.test(text) ? new Float(Number(text)) : Number(text);
}

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
      return [{ name, star, namedOnly: was, fallback: fallbackOf(fallback) }];
    });
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The arguments of a call by name. */
export type Args = Readonly<Record<string, Value>>;

/** A function with a signature; `call` gets its arguments by name. */
export function define(name: string, signature: string, call: (args: Args) => Value): Builtin {
  const slots = slotsOf(signature);
  const rest = slots.find(({ star }) => star === '*');
  const others = slots.find(({ star }) => star === '**');
  const plain = slots.filter(({ star }) => star === '');
  const positional = plain.filter(({ namedOnly }) => !namedOnly);
  const short = name.split('.').at(-1)!;
  return new Builtin(name, (args: readonly Value[], named: Named) => {
    const given: Record<string, Value> = {};
    if (args.length > positional.length && !rest) {
      const takes = plural(positional.length, 'positional argument');
      raise('TypeError', `${short}() takes ${takes} but ${args.length} were given`);
    }
    for (const [i, value] of args.slice(0, positional.length).entries()) {
      given[positional[i]!.name] = value;
    }
    if (rest) given[rest.name] = new Tuple(args.slice(positional.length));
    const extra = new Dict();
    for (const [key, value] of named) {
      if (!plain.some((slot) => slot.name === key)) {
        if (!others) raise('TypeError', `${short}() got an unexpected keyword argument '${key}'`);
        extra.set(key, value);
      } else if (Object.hasOwn(given, key)) {
        raise('TypeError', `${short}() got multiple values for argument '${key}'`);
      } else given[key] = value;
    }
    if (others) given[others.name] = extra;
    for (const slot of plain) {
      if (Object.hasOwn(given, slot.name)) continue;
      if (slot.fallback === undefined) {
        raise('TypeError', `${short}() missing required argument: '${slot.name}'`);
      }
      given[slot.name] = slot.fallback!;
    }
    return call(given);
  });
}

/** An integer that an argument is. */
export function integer(value: Value, what: string): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  if (value instanceof ArrayValue && value.size === 1 && value.dtype === 'int64')
    return value.item();
  return raise(
    'TypeError',
    `${what}: '${typeName(value)}' object cannot be interpreted as an integer`,
  );
}

/** A number that an argument is. */
export function number(value: Value, what: string): number {
  if (isNumber(value)) return numberIn(value);
  if (value instanceof ArrayValue && value.size === 1) return value.item();
  return raise('TypeError', `${what}: must be real number, not ${typeName(value)}`);
}

/** Integers: one, or several in a list, a tuple or one after another. */
export function integers(value: Value, what: string): number[] {
  if (value instanceof Tuple || value instanceof List) {
    const [first] = value.items;
    const isInner = value.items.length === 1 && (first instanceof Tuple || first instanceof List);
    return isInner ? integers(first, what) : value.items.map((item) => integer(item, what));
  }
  if (value instanceof Range && value.length <= 64)
    return Array.from({ length: value.length }, (_, i) => value.start + i * value.step);
  return [integer(value, what)];
}
