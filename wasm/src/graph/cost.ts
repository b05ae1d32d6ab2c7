import { isFused, isInput, planOf, shapeIn, type Graph, type Step } from './plan.js';
import { unfoldAll } from './unfold.js';
import { constant, count, evaluate, plus, sizeText, times, type Sizes, type Sum } from './sizes.js';

/** The cost of a node: a number, or a formula in the sizes. */
export interface NodeCost<Count extends number | string> {
  /** Floating-point operations, counted as in `tril.cost`. */
  readonly flops: Count;
  /** 4 bytes for each number that the node reads or writes. */
  readonly bytes: Count;
}

/** The cost of a graph, in total and by node. */
export interface GraphCost<Count extends number | string> extends NodeCost<Count> {
  /** 4 bytes for each number of the inputs. */
  readonly inputBytes: Count;
  /** 4 bytes for each number of the values that no other node reads. */
  readonly outputBytes: Count;
  /** 4 bytes for each number of the intermediate values, all of which `run` keeps. */
  readonly heldBytes: Count;
  readonly nodes: Readonly<Record<string, NodeCost<Count>>>;
}

const bytesOf = (steps: readonly Step[]): Sum =>
  times(constant(4), plus(...steps.map(({ shape }) => count(shape))));

function costOf({ operation, options, inputs, shape }: Step): Sum {
  if (isFused(operation)) return constant(0);
  return operation.flops({ options, inputs: inputs.map((each) => each.shape), output: shape });
}

/**
 * Counts the cost of computing a graph from its definition, as formulas in its sizes. The total `bytes` is the minimum
 * that goes through memory: inputs and outputs. A fused operation counts as its unfolded form.
 *
 * @throws TrilError if `graph` is not a graph
 *
 * @example
 * ```ts
 * import { cost, graph } from 'tril/graph';
 *
 * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
 * cost(gram).flops; // '2*C*T*T'
 * cost(gram).nodes.G!.bytes; // '8*C*T + 4*T*T'
 * cost(gram, { T: 10, C: 64 }).flops; // 12800
 * cost(gram, { T: 10 }); // throws TrilError: cost: X: is [T, C], but there is no C
 * ```
 */
export function cost(graph: Graph): GraphCost<string>;
/**
 * Counts the cost of computing a graph in numbers.
 *
 * @throws TrilError if a size is missing, or is not an integer
 */
export function cost(graph: Graph, sizes: Sizes): GraphCost<number>;
export function cost(graph: Graph, sizes?: Sizes): GraphCost<string> | GraphCost<number> {
  const call = 'cost';
  const plan = planOf(call, unfoldAll(call, graph));
  if (sizes) for (const step of plan.values()) shapeIn(call, step, sizes);
  const write = (sum: Sum) => (sizes ? evaluate(sum, sizes) : sizeText(sum)) as never;
  const steps = [...plan.values()];
  const read = new Set(steps.flatMap(({ inputs }) => inputs));
  const given = steps.filter(isInput);
  const results = steps.filter((step) => !read.has(step) && !isInput(step));
  const between = steps.filter((step) => read.has(step) && !isInput(step));
  const nodes = steps
    .filter((step) => !isInput(step))
    .map((step) => {
      const bytes = bytesOf([...step.inputs, step]);
      return [step.node.name, { flops: write(costOf(step)), bytes: write(bytes) }] as const;
    });
  return {
    flops: write(plus(...steps.map(costOf))),
    bytes: write(bytesOf([...given, ...results])),
    inputBytes: write(bytesOf(given)),
    outputBytes: write(bytesOf(results)),
    heldBytes: write(bytesOf(between)),
    nodes: Object.fromEntries(nodes),
  };
}
