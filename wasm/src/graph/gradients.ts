import { TrilError, shapeText } from '../error.js';
import { checkKeys, describe } from '../names.js';
import { Tensor } from '../tensor.js';
import type { Tril } from '../load.js';
import { bind, find, isFused, planOf, sized } from './plan.js';
import type { Graph, GraphValues, Step } from './plan.js';
import { unfoldAll } from './unfold.js';
import { checkTril, complete } from './run.js';

/** The options of `gradients`. */
export interface GradientsOptions {
  /** The gradient of `of`, in its shape (default: ones, which gives the gradients of the sum). */
  readonly dOutput?: Tensor;
}

/**
 * Computes the gradients of the value `of` with respect to the values `by`, inputs or others, with the core's backward
 * passes, as tensors by name. `values` is the result of `run`; only the inputs are required. The gradient of a value
 * that does not affect `of`, or of integers that select, such as `ids`, is 0.
 *
 * @throws TrilError for an unknown node, and for a `dOutput` of the wrong shape
 *
 * @example
 * ```ts
 * import { gradients, graph, run } from 'tril/graph';
 *
 * const squares = graph({ x: [3] }, ({ x }, { multiply }) => ({ y: multiply(x, x) }));
 * const values = run(tril, squares, { x: tril.tensor([1, 2, -3]) });
 * gradients(tril, squares, values, 'y', ['x']).x!.toArray(); // [2, 4, -6]
 * gradients(tril, squares, values, 'z', ['x']); // throws TrilError: gradients: of: unknown node "z"
 * ```
 */
export function gradients(
  tril: Tril,
  graph: Graph,
  values: GraphValues,
  of: string,
  by: readonly string[],
  options: GradientsOptions = {},
): GraphValues {
  const call = 'gradients';
  checkTril(call, tril);
  checkKeys(call, 'options', 'option', options, ['dOutput']);
  const plan = planOf(call, unfoldAll(call, graph));
  const target = find(call, 'of', plan, of);
  if (!Array.isArray(by)) {
    throw new TrilError(call, 'by', `must be an array of names, is ${describe(by)}`);
  }
  const wanted = new Map(by.map((name: string) => [find(call, 'by', plan, name), name]));
  const sizes = bind(call, plan, values);
  return tril.scope(() => {
    const all = complete(call, tril, plan, values);
    const flows = new Map([[target, seedOf(tril, all[of]!, options.dOutput)]]);
    // The steps on which a requested gradient depends: only these get gradients.
    const leads = new Set<Step>();
    for (const step of plan.values()) {
      if (wanted.has(step) || step.inputs.some((each) => leads.has(each))) leads.add(step);
    }
    for (const step of [...plan.values()].reverse()) {
      const dOutput = flows.get(step);
      if (!dOutput || !leads.has(step) || isFused(step.operation)) continue;
      if (!step.inputs.some((each) => leads.has(each))) continue;
      const tensors = step.inputs.map(({ node }) => all[node.name]!);
      const computed = { ...sized(call, step, sizes), tensors, result: all[step.node.name]! };
      for (const [i, flow] of step.operation.gradient(tril, dOutput, computed).entries()) {
        const from = step.inputs[i];
        if (!flow || !from || !leads.has(from)) continue;
        const known = flows.get(from);
        flows.set(from, known ? tril.add(known, flow) : flow);
      }
    }
    const found = [...wanted].map(([step, name]) => {
      const flow = flows.get(step) ?? tril.zeros(all[name]!.shape);
      // One tensor may be the flow of several steps, so each returned tensor is a copy.
      return [name, tril.reshape(flow, flow.shape)] as const;
    });
    return Object.fromEntries(found);
  });
}

function seedOf(tril: Tril, value: Tensor, given: Tensor | undefined): Tensor {
  if (given === undefined) return tril.add(tril.zeros(value.shape), 1);
  const fits = given instanceof Tensor && given.shape.join() === value.shape.join();
  if (fits) return given;
  const is = given instanceof Tensor ? shapeText(given.shape) : describe(given);
  const problem = `must be a tensor ${shapeText(value.shape)}, is ${is}`;
  throw new TrilError('gradients', 'dOutput', problem);
}
