import { planOf, shapeIn, type Graph } from './plan.js';
import { numberOf, sizeText, type Size, type Sizes } from './sizes.js';

/**
 * Returns the shape of every value, in named sizes.
 *
 * @throws TrilError if `graph` is not a graph
 *
 * @example
 * ```ts
 * import { graph, shapes } from 'tril/graph';
 *
 * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
 * shapes(gram).G; // ['T', 'T']
 * shapes(gram, { T: 3, C: 8 }).G; // [3, 3]
 * shapes(gram, { C: 8 }); // throws TrilError: shapes: X: is [T, C], but there is no T
 * ```
 */
export function shapes(graph: Graph): Readonly<Record<string, readonly Size[]>>;
/**
 * Returns the shape of every value, in numbers.
 *
 * @throws TrilError if a size is missing, or is not an integer
 */
export function shapes(graph: Graph, sizes: Sizes): Readonly<Record<string, readonly number[]>>;
export function shapes(
  graph: Graph,
  sizes?: Sizes,
): Readonly<Record<string, readonly Size[] | readonly number[]>> {
  const call = 'shapes';
  const named = [...planOf(call, graph)].map(([name, step]) => {
    const inNames = () => step.shape.map((size) => numberOf(size) ?? sizeText(size));
    return [name, sizes ? shapeIn(call, step, sizes) : inNames()] as const;
  });
  return Object.fromEntries(named);
}
