// A record of every operation: computed by the core at once, and added as a node to one graph.
import { TrilError } from '../../error.js';
import { product } from '../../graph/operations/common.js';
import { frozen, stepOf } from '../../graph/plan.js';
import type { Graph, GraphValues, Step } from '../../graph/plan.js';
import type { Tril } from '../../load.js';
import type { Tensor } from '../../tensor.js';
import { Raised, raise, Stopped } from '../language/errors.js';
import type { Meter } from '../language/work.js';
import { printing, type Printing } from './print-options.js';

/** A computed or given value. */
export interface Recorded {
  readonly step: Step;
  readonly tensor: Tensor;
  /** The line of the code, counted from 1; 0 for given values. */
  readonly line: number;
}

/** The limits at which a program is stopped. Work is counted, never timed. */
export interface ProgramLimits {
  /**
   * Statements, calls and iterations of loops; an operation on arrays counts as 32, and 16 items that are compared or iterated
   * elsewhere count as one, as do 64 characters of text (default 1,000,000).
   */
  readonly steps?: number;
  /**
   * Numbers in all arrays that are made, and numbers read by reductions; 128 products of a matrix product count as one. The
   * items of all lists that are made have a separate limit of the same size (default 50,000,000, which are 200 MB).
   */
  readonly elements?: number;
  /** Nested calls (default 100). */
  readonly depth?: number;
  /** Characters of code (default 1,000,000). */
  readonly code?: number;
}

/** Number of items, iterated by a built-in function, that count as a step. */
const itemsOfStep = 16;
/**
 * Number of items that count as an operation on arrays, whose node takes at least as long as 32 statements, about a tenth of a
 * millisecond.
 */
const itemsOfNode = 32 * itemsOfStep;
/** Number of products of a matrix product that count as a number. */
const productsOfNumber = 128;
/** Operations that read only as many numbers as they write. */
const picks = ['slice', 'take', 'embedding'];

/** Number of numbers that an operation processes, in or out. */
function workOf(operation: string, inputs: readonly Tensor[], output: readonly number[]): number {
  const size = product(output);
  if (picks.includes(operation)) return size;
  const isProduct = operation === 'matmul' || operation === 'linear';
  const products = isProduct ? (size * inputs[0]!.shape.at(-1)!) / productsOfNumber : 0;
  return inputs.reduce((most, each) => Math.max(most, each.size), Math.max(size, products));
}

/** Python's kind for an error of the core. */
export const kindOf = (error: TrilError): string =>
  error.argument === 'memory' ? 'MemoryError' : 'ValueError';

export class Recorder implements Meter {
  readonly #all: Recorded[] = [];
  /** The line that is running. */
  line = 0;
  /** The print options of arrays. */
  printing: Printing = printing;
  readonly #names = new Map<Recorded, string>();
  readonly #taken = new Map<string, number>();
  readonly #numbers = new Map<number, Recorded>();
  #steps = 0;
  #elements = 0;
  #listed = 0;

  constructor(
    readonly tril: Tril,
    readonly limits: Required<ProgramLimits>,
  ) {}

  /** Resets all counts: the values of a stopped program are still printed. */
  restart(): void {
    this.#steps = this.#elements = this.#listed = 0;
  }

  /** Finishes earlier work without counting it. */
  uncounted<Result>(call: () => Result): Result {
    const before = [this.#steps, this.#elements] as const;
    this.#steps = this.#elements = -Infinity;
    try {
      return call();
    } finally {
      [this.#steps, this.#elements] = before;
    }
  }

  /** Counts a step of work. @throws Raised at the limit of steps */
  step = (): void => this.worked(itemsOfStep);

  worked(items: number): void {
    this.#steps += items / itemsOfStep;
    if (this.#steps <= this.limits.steps) return;
    const max = this.limits.steps.toLocaleString('en');
    throw new Stopped('TimeoutError', `stopped after ${max} steps: a loop that does not end?`);
  }

  listed(items: number): void {
    this.#listed += items;
    if (this.#listed <= this.limits.elements) return;
    const [found, max] = [items, this.limits.elements].map((n) => n.toLocaleString('en'));
    throw new Stopped(
      'MemoryError',
      `stopped at a list of ${found} items: all lists together may have ${max}`,
    );
  }

  /**
   * Checks the size of an array before it is made, and gives it. @throws Raised where the array is too
   * large
   */
  check(shape: readonly number[]): number {
    if (shape.some((size) => size < 0)) raise('ValueError', 'negative dimensions are not allowed');
    // An array without numbers, since one axis is empty, can have very long other axes.
    this.#checkNumbers(product(shape.filter((size) => size > 0)));
    return product(shape);
  }

  #checkNumbers(size: number): void {
    if (this.#elements + size <= this.limits.elements) return;
    const [found, max] = [size, this.limits.elements].map((n) => n.toLocaleString('en'));
    const text = `stopped at an array of ${found} numbers: all arrays together may have ${max}`;
    throw new Stopped('MemoryError', text);
  }

  /** Counts numbers before they are made. @throws Raised at the limit of numbers */
  elements(shape: readonly number[]): void {
    this.#elements += this.check(shape);
  }

  #add(operation: string, inputs: readonly Recorded[], options: object, tensor?: Tensor): Recorded {
    const node = {
      ...{ name: `_${this.#all.length + 1}`, operation },
      inputs: inputs.map(({ step }) => step.node.name),
      options: options as Record<string, unknown>,
    };
    const steps = inputs.map(({ step }) => step);
    this.worked(itemsOfNode);
    try {
      const step = stepOf('runProgram', node, steps);
      const shape = step.shape.map((size) => size.get('') ?? 0);
      const tensors = inputs.map((each) => each.tensor);
      if (!tensor) this.elements([Math.ceil(workOf(operation, tensors, shape))]);
      const sized = {
        ...{ options: step.options, output: shape, sizes: {} },
        inputs: tensors.map((each) => each.shape),
      };
      const run = () => step.operation.run(this.tril, tensors, sized);
      const made = { step, tensor: tensor ?? this.tril.scope(run), line: this.line };
      this.#all.push(made);
      return made;
    } catch (error) {
      if (!(error instanceof TrilError)) throw error;
      throw new Raised(kindOf(error), `${operation}: ${error.problem}`);
    }
  }

  /** Computes an operation and records its value. */
  make(operation: string, inputs: readonly Recorded[], options: object = {}): Recorded {
    return this.#add(operation, inputs, options);
  }

  /** A tensor from outside the graph. */
  input(tensor: Tensor, name?: string): Recorded {
    const made = this.#add('input', [], { shape: [...tensor.shape] }, tensor);
    if (name !== undefined) this.name(made, name);
    return made;
  }

  /** Numbers without a history, given as a list or as a function of their place. */
  constant(
    shape: readonly number[],
    numbers: ArrayLike<number> | ((place: number) => number),
  ): Recorded {
    this.elements(shape);
    const isRule = typeof numbers === 'function';
    const all = isRule ? new Float32Array(product(shape)) : new Float32Array(numbers);
    if (isRule) for (let i = 0; i < all.length; ++i) all[i] = numbers(i);
    return this.input(this.tril.tensor(shape.length === 0 ? [1] : shape, all));
  }

  number(value: number): Recorded {
    const known = this.#numbers.get(value);
    if (known) return known;
    // The graph treats a number this small as a rounding of 0.
    const isPlain = Number.isFinite(value) && (value === 0 || Math.abs(value) > 1e-8);
    const made = isPlain ? this.#add('number', [], { value }) : this.constant([1], [value]);
    this.#numbers.set(value, made);
    return made;
  }

  /** Gives a value the name of a variable, unless it has one. */
  name(value: Recorded, variable: string): void {
    if (this.#names.has(value) || value.step.node.operation === 'number') return;
    const plain = variable.replace(/[^\w]/g, '').replace(/^_+/, '') || 'value';
    const start = /^\d/.test(plain) ? `v${plain}` : plain;
    const times = (this.#taken.get(start) ?? 0) + 1;
    this.#taken.set(start, times);
    const name = times === 1 ? start : `${start}_${times}`;
    if (times > 1 && this.#taken.has(name)) this.name(value, variable);
    else {
      this.#taken.set(name, Math.max(1, this.#taken.get(name) ?? 0));
      this.#names.set(value, name);
    }
  }

  nameOf = (value: Recorded): string => this.#names.get(value) ?? value.step.node.name;

  /** The nodes computed on each line, in order. */
  nodesByLine(): ReadonlyMap<number, readonly string[]> {
    const nodes = new Map<number, string[]>();
    for (const each of this.#all) {
      if (each.step.node.operation === 'number') continue;
      if (!nodes.has(each.line)) nodes.set(each.line, []);
      nodes.get(each.line)!.push(this.nameOf(each));
    }
    return nodes;
  }

  /** The graph of all computed values, and its tensors by the names of its nodes. */
  finish(): { graph: Graph; tensors: GraphValues } {
    const nameOf = new Map(this.#all.map((each) => [each.step, this.nameOf(each)]));
    const nodes = this.#all.map(({ step }) => ({
      ...step.node,
      name: nameOf.get(step)!,
      inputs: step.inputs.map((each) => nameOf.get(each)!),
    }));
    const tensors = this.#all.map((each) => [this.nameOf(each), each.tensor] as const);
    return { graph: frozen(nodes), tensors: Object.fromEntries(tensors) };
  }
}
