// Cells of computed values: their positions, their numbers, and the cells from which each is computed.
import { TrilError } from '../error.js';
import { describe } from '../names.js';
import type { Index, Place, Sized } from './operation.js';
import { ravel } from './operations/common.js';
import { bind, find, isFused, isInput, numbersOf, planOf, sized } from './plan.js';
import type { Graph, GraphNumbers, NodeNumbers, Plan, Step } from './plan.js';
import type { Sizes } from './sizes.js';
import { unfoldAll } from './unfold.js';

/** A cell of a value: a node and a position. */
export interface Cell {
  readonly node: string;
  /** The position: an integer for each axis. */
  readonly index: readonly number[];
}

export const keyOf = ({ node, index }: Cell): string => `${node}[${index.join(', ')}]`;

/** Operations whose result is 0 where one of their numbers is 0: products, and copies. */
const passing = new Set(['multiply', 'transpose', 'reshape', 'slice', 'take', 'concatenate']);

export class Cells {
  readonly plan: Plan;
  readonly #sizes: Sizes;
  #inner: Plan | undefined;
  readonly #numbers = new Map<string, NodeNumbers>();
  readonly #zeros = new Map<string, boolean>();

  constructor(
    readonly call: string,
    readonly graph: Graph,
    readonly values: GraphNumbers,
  ) {
    this.plan = planOf(call, graph);
    this.#sizes = bind(call, this.plan, values);
  }

  sized = (step: Step): Sized<object> => sized(this.call, step, this.#sizes);

  /** Finds the step of a requested cell. @throws TrilError if the cell does not exist */
  find(node: string, index: unknown): Step {
    const step = find(this.call, 'node', this.plan, node);
    const shape = this.sized(step).output;
    const isThere =
      Array.isArray(index) &&
      index.length === shape.length &&
      shape.every((size, axis) => {
        const place: unknown = index[axis];
        return Number.isInteger(place) && (place as number) >= 0 && (place as number) < size;
      });
    if (isThere) return step;
    const is = Array.isArray(index) ? `[${index.map(describe).join(', ')}]` : describe(index);
    const problem = `must be a cell of ${node}, is ${is}; its shape is [${shape.join(', ')}]`;
    throw new TrilError(this.call, 'index', problem, { [node]: shape });
  }

  /** Returns the number in a cell. */
  read({ node, index }: Cell): number {
    let numbers = this.#numbers.get(node);
    if (!numbers) this.#numbers.set(node, (numbers = numbersOf(this.call, this.values, node)));
    return numbers.data[ravel(numbers.shape, index)]!;
  }

  /**
   * Returns the input cells of a cell, grouped as its operation combines them; for a fused operation, each cell alone.
   */
  terms(step: Step, index: Index): Cell[][] {
    if (!isFused(step.operation)) return this.#small(step, index);
    const start = { node: step.node.name, index };
    const found = new Map([[keyOf(start), start]]);
    // This map grows during its iteration, up to cells outside of the fused operation.
    for (const cell of found.values()) {
      if (cell !== start && this.plan.has(cell.node)) continue;
      const step = this.#innerPlan().get(cell.node)!;
      for (const each of this.#unhidden(step, this.#small(step, cell.index)).flat()) {
        if (!found.has(keyOf(each))) found.set(keyOf(each), each);
      }
    }
    const outside = [...found.values()].filter(
      (cell) => cell !== start && this.plan.has(cell.node),
    );
    return outside.map((cell) => [cell]);
  }

  /** Returns `terms` without the cells that a mask hides. */
  shown(step: Step, index: Index): Cell[][] {
    if (this.#isZero({ node: step.node.name, index })) return [];
    return this.#unhidden(step, this.terms(step, index));
  }

  /** Removes scores of -inf, and products with weights that softmax makes of them. */
  #unhidden(step: Step, terms: Cell[][]): Cell[][] {
    if (!step.node.operation.endsWith('oftmax')) {
      return terms.filter((term) => !term.some((cell) => this.#isZero(cell)));
    }
    return this.#isLost(terms[0]![0]!) ? [] : terms.filter(([cell]) => !this.#isLost(cell!));
  }

  #innerPlan = (): Plan => (this.#inner ??= planOf(this.call, unfoldAll(this.call, this.graph)));
  #stepOf = ({ node }: Cell): Step => this.plan.get(node) ?? this.#innerPlan().get(node)!;

  /** Whether a score is -inf: by its number or, inside a fused operation, by its operation. */
  #isLost(cell: Cell): boolean {
    if (this.plan.has(cell.node)) return this.read(cell) === -Infinity;
    const step = this.#stepOf(cell);
    const terms = this.#small(step, cell.index).flat();
    const { operation } = step.node;
    const hides = operation === 'mask' && terms.length === 0;
    if (hides) return (step.options as { hidden: number }).hidden === -Infinity;
    const passes = ['mask', 'add', 'reshape'].includes(operation);
    return passes && terms.some((each) => this.#isLost(each));
  }

  /** Whether a cell is 0 because of a mask: a weight, a copy of it, or a product with it. */
  #isZero(cell: Cell): boolean {
    if (this.plan.has(cell.node) && this.read(cell) !== 0) return false;
    const key = keyOf(cell);
    const known = this.#zeros.get(key);
    if (known !== undefined) return known;
    const step = this.#stepOf(cell);
    const terms = this.#small(step, cell.index).flat();
    const { operation } = step.node;
    const isZero =
      operation === 'softmax'
        ? this.#isLost(terms[0]!)
        : passing.has(operation) && terms.some((each) => this.#isZero(each));
    this.#zeros.set(key, isZero);
    return isZero;
  }

  #small(step: Step, index: Index): Cell[][] {
    if (isInput(step) || isFused(step.operation)) return [];
    const cellOf = ([input, at]: Place): Cell => ({
      node: step.inputs[input]!.node.name,
      index: at,
    });
    const terms = step.operation.cells(index, this.sized(step), (place) =>
      this.read(cellOf(place)),
    );
    return terms.map((term) => term.map(cellOf));
  }
}
