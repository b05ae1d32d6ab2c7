// What a running program has: its records, what it has printed, where it is, and how values are called.
import type { Recorder } from '../arrays/record.js';
import { ArrayValue } from '../arrays/array.js';
import type { ClassValue, Named, Value } from './values.js';

/** What happened on a line of the code. */
export interface LineRecord {
  times: number;
  readonly names: Map<string, ArrayValue>;
  printed: string;
}

export interface Machine {
  readonly recorder: Recorder;
  /** The line that is running, counted from 1. */
  line: number;
  print(text: string): void;
  call(callee: Value, args: readonly Value[], named?: Named): Value;
  /** `value.name` */
  attribute(value: Value, name: string): Value;
  /** A method that a class of the program has, called; undefined where it has none. */
  special(value: Value, name: string, args?: readonly Value[]): Value | undefined;
  makeInstance(type: ClassValue, args: readonly Value[], named: Named): Value;
  /** The seed of the next random numbers. */
  seed: number;
}
