// The cost of a graph whose values are all computed, one call after another.
import { cost, type Graph } from 'tril/graph';

export function costOfGraph(graph: Graph, sizes: Readonly<Record<string, number>>) {
  const all = cost(graph, sizes);
  const bytes = Object.values(all.nodes).reduce((sum, node) => sum + node.bytes, 0);
  return { ...all, bytes };
}
