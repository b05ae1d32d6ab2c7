// Builds a graph from calls that read like a program: each call returns a value, which later calls take.
import { TrilError } from '../error.js';
import { checkFunction, checkKeys, describe, integerOption } from '../names.js';
import type { Calls, GraphOperand, Value } from './calls.js';
import { frozen, planOf, stepOf, type Graph, type Node, type Step } from './plan.js';
import { constant, one, parseSize, sizeText, times, type Size } from './sizes.js';
import { table } from './table.js';

/** Collects the nodes of a graph that is being built. */
export class Builder {
  readonly #steps = new Map<Value, Step>();
  readonly #inputs = new Map<Value, readonly Value[]>();
  readonly calls: Calls;

  constructor(readonly call: string) {
    const names = Object.keys(table).filter((name) => name !== 'input');
    const made = names.map((name) => [name, this.#callOf(name)] as const);
    const split = this.#split.bind(this);
    this.calls = Object.freeze({ ...Object.fromEntries(made), split }) as unknown as Calls;
  }

  make(node: Node, inputs: readonly Value[] = []): Value {
    const value = Object.freeze({}) as Value;
    const steps = inputs.map((each) => this.#steps.get(each)!);
    this.#steps.set(value, stepOf(this.call, node, steps));
    this.#inputs.set(value, inputs);
    return value;
  }

  /** Makes a value of a known step. */
  take(step: Step): Value {
    const value = Object.freeze({}) as Value;
    this.#steps.set(value, step);
    return value;
  }

  has = (value: unknown): value is Value => this.#steps.has(value as Value);

  /** Returns the nodes on which the values of `named` depend, in the order of their creation. */
  nodes(named: ReadonlyMap<Value, string>, hidden: (i: number) => string): Node[] {
    const needed = new Set<Value>(named.keys());
    for (const value of needed) for (const each of this.#inputs.get(value) ?? []) needed.add(each);
    const made = [...this.#steps].filter(([value]) => needed.has(value) && this.#inputs.has(value));
    const taken = [...this.#steps].filter(([value]) => !this.#inputs.has(value));
    const names = new Map([
      ...taken.map(([value, { node }]) => [value, node.name] as const),
      ...made.map(([value], i) => [value, hidden(i + 1)] as const),
      ...named,
    ]);
    return made.map(([value, { node }]) => ({
      ...node,
      name: names.get(value)!,
      inputs: this.#inputs.get(value)!.map((each) => names.get(each)!),
    }));
  }

  /** Returns a value unchanged; for a number or a size, makes a node. */
  #operand(argument: string, operand: unknown): Value {
    if (this.has(operand)) return operand;
    if (typeof operand !== 'number' && typeof operand !== 'string') {
      const problem = `must be a value of this graph, a number or a size, is ${describe(operand)}`;
      throw new TrilError(this.call, argument, problem);
    }
    parseSize(this.call, argument, operand);
    const node = { name: String(operand), operation: 'number', inputs: [] };
    return this.make({ ...node, options: { value: operand } });
  }

  #split(
    x: GraphOperand,
    sections: number,
    { axis = 0 }: { readonly axis?: number } = {},
  ): Value[] {
    const value = this.#operand('split.x', x);
    const { shape } = this.#steps.get(value)!;
    const size = shape.at(axis) ?? one; // slice throws for an axis that does not exist
    const count = integerOption(this.call, 'split.sections', sections, Number.NaN, 1);
    const bound = (part: number) => sizeText(times(size, constant(part / count)));
    return Array.from({ length: count }, (_, part) =>
      this.calls.slice(value, { axis, start: bound(part), stop: bound(part + 1) }),
    );
  }

  #callOf(name: string) {
    const { takes, then, options: known } = table[name]!;
    return (...given: readonly unknown[]): Value => {
      const rest = [...given];
      const inputs: Value[] = [];
      const spread = takes.includes('...');
      const operands = spread ? (rest.shift() as readonly unknown[]) : rest.splice(0, takes.length);
      if (!Array.isArray(operands)) {
        throw new TrilError(this.call, `${name}.tensors`, 'must be an array of values');
      }
      for (const [i, operand] of operands.entries()) {
        const isOption = typeof operand === 'object' && operand !== null && !this.has(operand);
        if (takes[i]?.endsWith('?') && (operand === undefined || operand === null)) continue;
        if (takes[i]?.endsWith('?') && isOption) {
          rest.unshift(operand);
          continue;
        }
        const argument = `${name}.${takes[i]?.replace('?', '') ?? `tensors[${i}]`}`;
        if (!spread && inputs.length < i) {
          throw new TrilError(this.call, argument, 'is given, but not the one before it');
        }
        inputs.push(this.#operand(argument, operand));
      }
      const options = then === undefined ? rest[0] : { [then]: rest[0], ...(rest[1] as object) };
      checkKeys(this.call, `${name}.options`, 'option', options ?? {}, Object.keys(known));
      const plain = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
      const node = { name, operation: name, inputs: [], options: Object.fromEntries(plain) };
      return this.make(node, inputs);
    };
  }
}

/**
 * Declares a computation. `inputs` has the shape of each input, in numbers or named sizes. `build` is called once with
 * a value for each input and with all operations, and returns the values to name. Numbers and sizes can be operands
 * directly. Nodes without a name get one that begins with `_`. The graph is plain data.
 *
 * @throws TrilError if shapes do not fit: with the node, the argument and all shapes
 *
 * @example
 * ```ts
 * import { graph } from 'tril/graph';
 *
 * const scaled = graph({ Q: ['T', 'D'], K: ['S', 'D'] }, ({ Q, K }, { matmul, transpose, divide, sqrt }) => ({
 *   scores: divide(matmul(Q, transpose(K)), sqrt('D')),
 * }));
 * scaled.nodes.map(({ name, operation }) => `${name} ${operation}`).at(-1); // 'scores divide'
 * graph({ Q: ['T', 'D'] }, ({ Q }, { matmul }) => ({ scores: matmul(Q, Q) })); // throws TrilError: graph: matmul.b: D columns meet T rows; a is Q [T, D], b is Q [T, D]
 * ```
 */
export function graph<const Inputs extends Readonly<Record<string, readonly Size[]>>>(
  inputs: Inputs,
  build: (
    inputs: { readonly [Name in keyof Inputs]: Value },
    calls: Calls,
  ) => Readonly<Record<string, Value>>,
): Graph {
  const call = 'graph';
  checkKeys(call, 'inputs', 'input', inputs, Object.keys(inputs ?? {}));
  checkFunction(call, 'build', build);
  const builder = new Builder(call);
  const named = new Map<Value, string>();
  const given = Object.entries(inputs).map(([name, shape]) => {
    const value = builder.make({ name, operation: 'input', inputs: [], options: { shape } });
    named.set(value, name);
    return [name, value] as const;
  });
  const values = Object.fromEntries(given) as { readonly [Name in keyof Inputs]: Value };
  const results: unknown = build(values, builder.calls);
  checkKeys(call, 'build', 'value', results, Object.keys(results ?? {}));
  for (const [name, value] of Object.entries(results as object)) {
    if (!builder.has(value)) {
      throw new TrilError(call, name, `must be a value of this graph, is ${describe(value)}`);
    }
    const known = named.get(value);
    if (known !== undefined && known !== name) {
      throw new TrilError(call, name, `is ${known} already`);
    }
    named.set(value, name);
  }
  const made = frozen(builder.nodes(named, (i) => `_${i}`));
  planOf(call, made);
  return made;
}
