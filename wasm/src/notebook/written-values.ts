// The values of a program as text, as far as the limits allow.
import { ArrayValue } from './arrays/array.js';
import type { Recorder } from './arrays/record.js';
import { Raised } from './language/errors.js';
import { repr } from './language/format.js';
import {
  Builtin,
  ClassValue,
  Func,
  isNumber,
  List,
  Module,
  numberIn,
  Tuple,
  typeName,
  type Value,
} from './language/values.js';
import type { ProgramValue } from './program-run.js';

export const isShown = (value: Value): boolean =>
  ![Module, Func, Builtin, ClassValue].some((type) => value instanceof type);

/** Maximum characters of the text of all values, and maximum items of each. */
export const room = { text: 1e7, items: 10_000 };
export type Room = typeof room;

/** `repr(value)`, where it can be written. */
export function textOf(value: Value, left: Room): string {
  if (left.text <= 0) return '...';
  try {
    const text = repr(value);
    left.text -= text.length + 20;
    return text;
  } catch (error) {
    left.text -= 1e6;
    if (error instanceof Raised) return '...';
    throw error;
  }
}

export function describeValue(
  recorder: Recorder,
  value: Value,
  left: Room,
  depth = 0,
): ProgramValue {
  const type = typeName(value);
  if (value instanceof ArrayValue) {
    const { shape, dtype } = value;
    const node = recorder.nameOf(recorder.uncounted(() => value.recorded));
    return { type, text: textOf(value, left), node, shape: [...shape], dtype };
  }
  const text = textOf(value, left);
  if (value === null || typeof value === 'string') return { type, text, value };
  if (isNumber(value))
    return { type, text, value: typeof value === 'boolean' ? value : numberIn(value) };
  if ((value instanceof List || value instanceof Tuple) && depth < 4) {
    left.items -= Math.min(1000, value.items.length);
    if (left.items < 0 || left.text <= 0) return { type, text };
    const items = value.items
      .slice(0, 1000)
      .map((item) => describeValue(recorder, item, left, depth + 1));
    return { type, text, items };
  }
  return { type, text };
}
