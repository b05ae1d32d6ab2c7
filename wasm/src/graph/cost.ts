import { isFused, isInput, planOf, shapeIn, type Graph, type Step } from './plan.js';
import { unfoldAll } from './unfold.js';
import { constant, count, evaluate, plus, sizeText, times, type Sizes, type Sum } from './sizes.js';

/** The cost of a node: a number, or a formula in the sizes. */
export interface NodeCost<Count extends number | string> {
  /** Floating-point operations, counted as `tril.cost` counts them. */
  readonly flops: Count;
  /** 4 bytes for each number that it reads or makes. */
  readonly bytes: Count;
}

/** The cost of a graph, in total and by node. */
export interface GraphCost<Count extends number | string> extends NodeCost<Count> {
  /** 4 bytes for each number of the inputs. */
  readonly inputBytes: Count;
  /** 4 bytes for each number of the values that nothing else is made of. */
  readonly outputBytes: Count;
  /** 4 bytes for each number of the values between, all of which `run` keeps. */
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
 * What computing a graph costs, counted from its definition, as formulas in its sizes. `bytes` of the whole is what goes through
 * memory at least: inputs and outputs. A fused operation is counted as what it is made of.
 *
 * @throws TrilError where the graph is none
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
 * The same as numbers.
 *
 * @throws TrilError where a size is missing, or is no whole number
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
