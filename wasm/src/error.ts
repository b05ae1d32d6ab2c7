import { describe } from './describe.js';
import type { TrainingStep } from './training-step.js';
import type { WordVectorStep } from './word-vector-types.js';

/** The shapes of a failed call's tensors, by argument. */
export type Shapes = Readonly<Record<string, readonly number[]>>;

/**
 * The error of every call for a bad argument, thrown before anything is computed: the call, the
 * argument, and the reason. Nothing has been written or allocated, and the next call works.
 */
export class TrilError extends Error {
  override readonly name = 'TrilError';
  /** The refused call, such as `'matmul'`. */
  readonly call: string;
  /** The argument or option at fault, such as `'b'`; `'memory'` where memory ran out. */
  readonly argument: string;
  /** The problem, with the shapes that do not fit: the message without call and argument. */
  readonly problem: string;
  /** The shapes of all tensors of the call. */
  readonly shapes?: Shapes;
  /** The reports of the training steps that were done before one failed. */
  steps?: readonly (TrainingStep | WordVectorStep)[];

  constructor(call: string, argument: string, problem: string, shapes?: Shapes) {
    super(`${call}: ${argument}: ${problem}`);
    this.call = call;
    this.argument = argument;
    this.problem = problem;
    if (shapes) this.shapes = shapes;
  }
}

/** The error, with the reports of the steps before it. */
export function afterSteps(error: unknown, steps: TrilError['steps'] = []): unknown {
  if (error instanceof TrilError && steps.length > 0) error.steps = steps;
  return error;
}

/** A shape as messages write it, `[2, 3]`. */
export function shapeText(shape: readonly unknown[]): string {
  // Symbols and objects without a prototype cannot be joined.
  const text = (size: unknown) => (typeof size === 'number' ? String(size) : describe(size));
  return `[${shape.map(text).join(', ')}]`;
}
