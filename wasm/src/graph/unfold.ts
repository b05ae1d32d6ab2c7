import { TrilError } from '../error.js';
import { Builder } from './build.js';
import { find, frozen, isFused, planOf, type Graph, type Node, type Plan } from './plan.js';

/** Returns the graph with each fused step that `isChosen` accepts unfolded once. */
function opened(call: string, plan: Plan, isChosen: (name: string) => boolean): Graph {
  const nodes: Node[] = [];
  for (const [name, step] of plan) {
    const { node, operation, options, shape } = step;
    if (!isFused(operation) || !isChosen(name)) {
      nodes.push(node);
      continue;
    }
    const builder = new Builder(call);
    const inputs = step.inputs.map((each) => builder.take(each));
    const shapes = step.inputs.map((each) => each.shape);
    const parts = operation.unfold(
      inputs,
      { options, inputs: shapes, output: shape },
      builder.calls,
    );
    const keys = Object.keys(parts);
    const named = Object.entries(parts).map(([key, value]) => {
      return [value, key === keys.at(-1) ? name : `${name}_${key}`] as const;
    });
    nodes.push(
      ...builder.nodes(new Map(named), (i) => `${name.startsWith('_') ? '' : '_'}${name}_${i}`),
    );
  }
  return frozen(nodes);
}

const unfolded = new WeakMap<Plan, Graph>();

/** Returns the graph without fused steps. */
export function unfoldAll(call: string, graph: Graph): Graph {
  const plan = planOf(call, graph);
  const known = unfolded.get(plan);
  if (known) return known;
  let made = graph;
  for (let inner = plan; [...inner.values()].some(({ operation }) => isFused(operation));) {
    made = opened(call, inner, () => true);
    inner = planOf(call, made);
  }
  unfolded.set(plan, made);
  return made;
}

/**
 * Returns the graph with a fused operation replaced by elementary operations; without a `node` all fused operations are
 * replaced. Both forms give the same values. The names of the new nodes begin with the name of the fused node.
 *
 * @throws TrilError for an unknown node, or a node that is not fused
 *
 * @example
 * ```ts
 * import { graph, unfold } from 'tril/graph';
 *
 * const one = graph({ X: ['T', 'D'] }, ({ X }, { attention }) => ({ Y: attention(X, X, X, { causal: true }) }));
 * unfold(one).nodes.map(({ name }) => name).filter((name) => !name.startsWith('_')); // ['X', 'Y_scores', 'Y_masked', 'Y_weights', 'Y']
 * unfold(one, 'X'); // throws TrilError: unfold: node: X is input, which is not fused
 * ```
 */
export function unfold(graph: Graph, node?: string): Graph {
  const call = 'unfold';
  const plan = planOf(call, graph);
  if (node === undefined) return unfoldAll(call, graph);
  const step = find(call, 'node', plan, node);
  if (isFused(step.operation)) return opened(call, plan, (name) => name === node);
  const problem = `${node} is ${step.node.operation}, which is not fused`;
  throw new TrilError(call, 'node', problem);
}
