import { booleanOption, checkKeys } from '../names.js';
import { Cells, keyOf, type Cell } from './cells.js';
import { isInput, type Graph, type GraphNumbers } from './plan.js';

/** The options of `sources`. */
export interface SourcesOptions {
  /** Whether to go down to the inputs of the graph, and return their cells (default false). */
  readonly deep?: boolean;
}

/**
 * Returns the input cells from which a cell of `node` is computed, each once. Cells that a mask hides are left out:
 * scores of -inf, and the values weighted by the 0 that softmax makes of them. `values` is the result of `run`, or its
 * numbers.
 *
 * @throws TrilError for an unknown node or cell, and for missing values
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
  // This map grows during its iteration.
  for (const cell of found.values()) {
    if (!deep && cell !== start) continue;
    for (const each of cells.shown(plan.get(cell.node)!, cell.index).flat()) {
      if (!found.has(keyOf(each))) found.set(keyOf(each), each);
    }
  }
  const all = [...found.values()];
  return deep ? all.filter((cell) => isInput(plan.get(cell.node)!)) : all.slice(1);
}
