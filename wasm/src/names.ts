import { describe } from './describe.js';
import { TrilError } from './error.js';
import { isSignal } from './kinds.js';

export { describe };

/** The number of letters to change, add or leave out to turn `a` into `b` (Levenshtein 1966). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, d: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.d - b.d);
  return best && best.d <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/**
 * The core writes `kv_heads` where JavaScript writes `kvHeads`: names of options and arguments are
 * converted by this rule only.
 */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
/** The inverse. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Throws for a name that is not among `known`, with the closest known one. */
export function checkName(
  call: string,
  argument: string,
  what: string,
  name: unknown,
  known: readonly string[],
): void {
  if (known.includes(name as string)) return;
  const guess = typeof name === 'string' ? nearest(name, known) : undefined;
  const advice = guess ? `did you mean "${guess}"?` : `there are: ${known.join(', ')}`;
  throw new TrilError(call, argument, `unknown ${what} ${describe(name)}; ${advice}`);
}

/** Throws unless `value` is a plain object without keys outside `known`. */
export function checkKeys(
  call: string,
  argument: string,
  what: string,
  value: unknown,
  known: readonly string[],
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TrilError(call, argument, `must be an object, is ${describe(value)}`);
  }
  for (const key of Object.keys(value)) checkName(call, key, what, key, known);
}

/** The value itself, once known to be a boolean; `fallback` where it is not given. */
export function booleanOption(
  call: string,
  argument: string,
  value: unknown,
  fallback: boolean,
): boolean {
  if (value === undefined) return fallback;
  if (typeof value === 'boolean') return value;
  throw new TrilError(call, argument, `must be true or false, is ${describe(value)}`);
}

/** The value itself, once known to be a number; the core checks its range. */
export function numberOption(
  call: string,
  argument: string,
  value: unknown,
  fallback: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number') return value;
  throw new TrilError(call, argument, `must be a number, is ${describe(value)}`);
}

/** The value itself, once known to be a number or not given. */
export function optionalNumber(call: string, argument: string, value: unknown): number | undefined {
  return value === undefined ? undefined : numberOption(call, argument, value, Number.NaN);
}

/** The value itself, once known to be a string; the core checks whether there is such a name. */
export function stringOption(
  call: string,
  argument: string,
  value: unknown,
  fallback: string,
): string {
  if (value === undefined) return fallback;
  if (typeof value === 'string') return value;
  throw new TrilError(call, argument, `must be a string, is ${describe(value)}`);
}

/** The value itself, once known to be a whole number of at least `minimum`. */
export function integerOption(
  call: string,
  argument: string,
  value: unknown,
  fallback: number,
  minimum: number = -(2 ** 31),
): number {
  const number = numberOption(call, argument, value, fallback);
  if (Number.isInteger(number) && number >= minimum && number < 2 ** 31) return number;
  const range = minimum > -(2 ** 31) ? ` of at least ${minimum}` : '';
  throw new TrilError(call, argument, `must be a whole number${range}, is ${describe(value)}`);
}

/** The value itself, once known to be an AbortSignal or not given. */
export function signalOption(
  call: string,
  argument: string,
  value: unknown,
): AbortSignal | undefined {
  if (value === undefined || isSignal(value)) return value;
  throw new TrilError(call, argument, `must be an AbortSignal, is ${describe(value)}`);
}

/** Throws unless `value` can be called. */
export function checkFunction(call: string, argument: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new TrilError(call, argument, `must be a function, is ${describe(value)}`);
}
