// The running program as built-in functions see it: its recorder, its output, and calls of values.
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
  /** The items of a loop over a value, each counted as a step. */
  iterate(value: Value): IterableIterator<Value>;
}
