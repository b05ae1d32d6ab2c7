import { TrilError } from '../error.js';
import { checkKeys, checkName, describe } from '../names.js';
import { argumentsOf, find, frozen, planOf, type Graph, type Node } from './plan.js';

/** One change of a graph, as plain data. */
export type GraphEdit =
  | {
      /** Name of the node to compute in another way; properties that are not given do not change. */
      readonly replace: string;
      readonly operation?: string;
      readonly inputs?: readonly string[];
      readonly options?: Readonly<Record<string, unknown>>;
    }
  | {
      /** Name of the node to remove. */
      readonly remove: string;
      /** Node to read instead (default: the first input of the removed node). */
      readonly instead?: string;
    }
  | {
      /** Name of the node to give another input. */
      readonly rewire: string;
      /** Name of the input, such as `'b'` of `matmul`. */
      readonly input: string;
      /** Name of the node that becomes the input. */
      readonly to: string;
    }
  | {
      /** A new node; `rewire` makes other nodes read it. */
      readonly add: Node;
    };

const kinds = {
  replace: ['replace', 'operation', 'inputs', 'options'],
  remove: ['remove', 'instead'],
  rewire: ['rewire', 'input', 'to'],
  add: ['add'],
};

const names = Object.keys(kinds) as (keyof typeof kinds)[];

/** Returns the nodes after one change. */
function changed(call: string, nodes: readonly Node[], edit: GraphEdit): readonly Node[] {
  const is = typeof edit === 'object' && edit !== null && names.find((name) => name in edit);
  if (!is) {
    const problem = `each must be one of ${names.join(', ')}; one is ${describe(edit)}`;
    throw new TrilError(call, 'edits', problem);
  }
  checkKeys(call, 'edits', 'field', edit, kinds[is]);
  const plan = planOf(call, { nodes });
  const swap = (name: string, by: Partial<Node>) =>
    nodes.map((node) => (node.name === name ? { ...node, ...by } : node));
  if ('add' in edit) return [...nodes, { ...edit.add }];
  if ('replace' in edit) {
    const { replace, ...by } = edit;
    const { node } = find(call, 'replace', plan, replace);
    const isOther = by.operation !== undefined && by.operation !== node.operation;
    return swap(replace, isOther ? { options: {}, ...by } : by);
  }
  if ('rewire' in edit) {
    const { node, operation } = find(call, 'rewire', plan, edit.rewire);
    const known = argumentsOf(operation, node.inputs.length);
    checkName(call, 'input', 'input', edit.input, known);
    find(call, 'to', plan, edit.to);
    const at = known.indexOf(edit.input);
    return swap(node.name, { inputs: node.inputs.map((each, i) => (i === at ? edit.to : each)) });
  }
  const { node } = find(call, 'remove', plan, edit.remove);
  const instead = edit.instead ?? node.inputs[0];
  if (instead === undefined) {
    throw new TrilError(call, 'remove', `${node.name} has no input to read in its place`);
  }
  find(call, 'instead', plan, instead);
  return nodes
    .filter((each) => each !== node)
    .map((each) => ({
      ...each,
      inputs: each.inputs.map((name) => (name === node.name ? instead : name)),
    }));
}

/**
 * Applies changes to a graph, one after another, and returns the new graph; the given graph does not change. Mistakes
 * and ablations are edits of the right graph. Nodes without a name that no node reads any more are removed.
 *
 * @throws TrilError for an unknown node, and if shapes no longer fit
 *
 * @example
 * ```ts
 * import { edit, formula, graph } from 'tril/graph';
 *
 * const scaled = graph({ Q: ['T', 'D'], K: ['T', 'D'] }, ({ Q, K }, { matmul, transpose, divide, sqrt }) => ({
 *   scores: divide(matmul(Q, transpose(K)), sqrt('D')),
 * }));
 * formula(edit(scaled, [{ replace: 'scores', operation: 'multiply' }]), 'scores'); // '\\mathrm{scores} = Q K^{\\top} \\odot \\sqrt{D}'
 * const [, , , product] = scaled.nodes.map(({ name }) => name);
 * formula(edit(scaled, [{ rewire: product!, input: 'a', to: 'K' }]), 'scores'); // '\\mathrm{scores} = \\frac{K K^{\\top}}{\\sqrt{D}}'
 * edit(scaled, [{ remove: 'score' }]); // throws TrilError: edit: remove: unknown node "score"; did you mean "scores"?
 * ```
 */
export function edit(graph: Graph, edits: readonly GraphEdit[]): Graph {
  const call = 'edit';
  planOf(call, graph);
  if (!Array.isArray(edits)) {
    throw new TrilError(call, 'edits', `must be an array, is ${describe(edits)}`);
  }
  let nodes: readonly Node[] = graph.nodes;
  for (const each of edits as readonly GraphEdit[]) nodes = changed(call, nodes, each);
  const plan = planOf(call, { nodes });
  const kept = new Set(nodes.filter(({ name }) => !name.startsWith('_')).map(({ name }) => name));
  // This set grows during its iteration.
  for (const name of kept) for (const input of plan.get(name)!.node.inputs) kept.add(input);
  return frozen([...plan.values()].map(({ node }) => node).filter(({ name }) => kept.has(name)));
}
