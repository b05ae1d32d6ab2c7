// What a running program has, for what is built in: its records, what it prints, and how values are called.
import type { Recorder } from '../arrays/record.js';
import type { Named, Value } from './values.js';

export interface Machine {
  readonly recorder: Recorder;
  /** The seed of the next random numbers. */
  seed: number;
  print(text: string): void;
  call(callee: Value, args: readonly Value[], named?: Named): Value;
  /** `value.name` */
  attribute(value: Value, name: string): Value;
  /** What a loop over a value goes through, each counted as a step. */
  iterate(value: Value): IterableIterator<Value>;
}
