import { TrilError } from '../error.js';
import { checkKeys, describe } from '../names.js';
import type { Tensor } from '../tensor.js';
import type { Tril } from '../load.js';
import {
  bind,
  isInput,
  planOf,
  sized,
  tensorOf,
  type Graph,
  type GraphValues,
  type Plan,
} from './plan.js';

/** Throws unless `tril` is a result of `loadTril`. */
export function checkTril(call: string, tril: unknown): void {
  if (typeof (tril as Tril | undefined)?.scope === 'function') return;
  throw new TrilError(call, 'tril', `must be what loadTril gives, is ${describe(tril)}`);
}

/** The sizes of each plan's steps for its last inputs, since the next inputs mostly have the same shapes. */
const lasts = new WeakMap<Plan, { readonly shapes: string; readonly steps: SizedSteps }>();
type SizedSteps = ReadonlyMap<string, ReturnType<typeof sized>>;

function sizedSteps(call: string, plan: Plan, given: GraphValues): SizedSteps {
  const inputs = [...plan.values()].filter(isInput);
  const shapes = inputs.map(({ node }) => tensorOf(call, given, node.name).shape.join()).join(';');
  const last = lasts.get(plan);
  if (last?.shapes === shapes) return last.steps;
  const sizes = bind(call, plan, given);
  const steps = new Map([...plan].map(([name, step]) => [name, sized(call, step, sizes)]));
  lasts.set(plan, { shapes, steps });
  return steps;
}

/** Computes all values of a plan that are not given. */
export function complete(call: string, tril: Tril, plan: Plan, given: GraphValues): GraphValues {
  const steps = sizedSteps(call, plan, given);
  return tril.scope(() => {
    const values: Record<string, Tensor> = {};
    for (const [name, step] of plan) {
      if (Object.hasOwn(given, name)) {
        values[name] = tensorOf(call, given, name);
        continue;
      }
      const inputs = step.inputs.map(({ node }) => values[node.name]!);
      try {
        values[name] = step.operation.run(tril, inputs, steps.get(name)!);
      } catch (error) {
        if (!(error instanceof TrilError) || error.call === call) throw error;
        const problem = `${error.call}: ${error.argument}: ${error.problem}`;
        throw new TrilError(call, name, problem, error.shapes);
      }
    }
    return values;
  });
}

/**
 * Computes every value of a graph with the calls of `tril`, and returns tensors by name, including the given inputs.
 * The caller, or a scope, disposes them.
 *
 * @throws TrilError for an input that is missing or unknown or has the wrong shape, and for the errors of the core
 *
 * @example
 * ```ts
 * import { graph, run } from 'tril/graph';
 *
 * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
 * const { G } = run(tril, gram, { X: tril.tensor([[1, 2], [3, 4]]) });
 * G!.toArray(); // [[5, 11], [11, 25]]
 * run(tril, gram, { X: tril.tensor([1, 2]) }); // throws TrilError: run: X: must be [T, C], is [2]
 * ```
 */
export function run(tril: Tril, graph: Graph, inputs: GraphValues): GraphValues {
  const call = 'run';
  checkTril(call, tril);
  const plan = planOf(call, graph);
  const names = [...plan.values()].filter(isInput).map(({ node }) => node.name);
  checkKeys(call, 'inputs', 'input', inputs, names);
  return complete(call, tril, plan, inputs);
}
