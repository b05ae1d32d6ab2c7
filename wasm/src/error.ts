import { describe } from './describe.js';
import type { TrainingStep } from './training-step.js';
import type { WordVectorStep } from './word-vector-types.js';

/** The shapes of the tensors that a failed call was given, by argument. */
export type Shapes = Readonly<Record<string, readonly number[]>>;

/**
 * What every call throws for a bad argument, before anything is computed: which call, which
 * argument, and why. Nothing has been written or allocated, and the next call works.
 */
export class TrilError extends Error {
  override readonly name = 'TrilError';
  /** The call that was refused, such as `'matmul'`. */
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

/** What went wrong, with the reports of the steps that were done before. */
export function afterSteps(error: unknown, steps: TrilError['steps'] = []): unknown {
  if (error instanceof TrilError && steps.length > 0) error.steps = steps;
  return error;
}

/** `[2, 3]`, as messages write a shape. */
export function shapeText(shape: readonly unknown[]): string {
  // Symbols and bare objects cannot be joined.
  const text = (size: unknown) => (typeof size === 'number' ? String(size) : describe(size));
  return `[${shape.map(text).join(', ')}]`;
}
