import { booleanOption, checkKeys } from '../names.js';
import { Cells, keyOf, type Cell } from './cells.js';
import { isInput, type Graph, type GraphNumbers } from './plan.js';

/** The options of `sources`. */
export interface SourcesOptions {
  /** Go down to the inputs of the graph, and give the cells of these (default false). */
  readonly deep?: boolean;
}

/**
 * The cells of its inputs that a cell of `node` is made of, each once; what a mask hides is no part of it: neither a score of
 * -inf, nor what is weighted by the 0 that softmax makes of it. `values` is what `run` gave, or the numbers of it.
 *
 * @throws TrilError for a node or a cell that is not there, and for values that are missing
 *
 * @example
 * ```ts
 * import { graph, run, sources } from 'tril/graph';
 *
 * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
 * const values = run(tril, gram, { X: tril.tensor([[1, 2], [3, 4]]) });
 * sources(gram, values, 'G', [0, 1], { deep: true }).map(({ node, index }) => `${node} ${index}`); // ['X 0,0', 'X 0,1', 'X 1,0', 'X 1,1']
 * sources(gram, values, 'G', [0, 2]); // throws TrilError: sources: index: must be a cell of G, is [0, 2]
 * ```
 */
export function sources(
  graph: Graph,
  values: GraphNumbers,
  node: string,
  index: readonly number[],
  options: SourcesOptions = {},
): readonly Cell[] {
  const call = 'sources';
  checkKeys(call, 'options', 'option', options, ['deep']);
  const deep = booleanOption(call, 'deep', options.deep, false);
  const cells = new Cells(call, graph, values);
  const { plan } = cells;
  cells.find(node, index);
  const start: Cell = { node, index };
  const found = new Map([[keyOf(start), start]]);
  // A map that grows while it is gone through.
  for (const cell of found.values()) {
    if (!deep && cell !== start) continue;
    for (const each of cells.shown(plan.get(cell.node)!, cell.index).flat()) {
      if (!found.has(keyOf(each))) found.set(keyOf(each), each);
    }
  }
  const all = [...found.values()];
  return deep ? all.filter((cell) => isInput(plan.get(cell.node)!)) : all.slice(1);
}
