// Graphs as data, and as checked plans: in the order of computing, with the shape of every node.
import { TrilError } from '../error.js';
import { checkKeys, checkName, describe } from '../names.js';
import { Tensor } from '../tensor.js';
import type { Fused, Operation, Shape, Sized } from './operation.js';
import { evaluate, namesOf, numberOf, shapeText, sizeText, type Sizes } from './sizes.js';
import { table } from './table.js';

/** A named operation with the names of its inputs and its options. It can be written as JSON. */
export interface Node {
  /**
   * Letters, digits and `_`, unique in the graph. Formulas and programs write a node in place if its name begins with
   * `_`.
   */
  readonly name: string;
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A computation as plain data that can be posted, compared, put into a link, and edited. */
export interface Graph {
  readonly nodes: readonly Node[];
}

/** Tensors by the names of their nodes. */
export type GraphValues = Readonly<Record<string, Tensor>>;

/** The numbers of a tensor in row-major order, in a form that a Worker can post. */
export interface NodeNumbers {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** The values for readers that compute nothing: tensors by the names of their nodes, or their numbers. */
export type GraphNumbers = Readonly<Record<string, Tensor | NodeNumbers>>;

/** A checked node. */
export interface Step {
  readonly node: Node;
  readonly operation: Operation | Fused;
  readonly options: object;
  readonly inputs: readonly Step[];
  readonly shape: Shape;
}

/** All steps, each after its inputs. */
export type Plan = ReadonlyMap<string, Step>;

export const isFused = (operation: Operation | Fused): operation is Fused => 'unfold' in operation;
export const isInput = ({ node }: Step): boolean => node.operation === 'input';
/** Whether the value is written in place. */
export const isHidden = ({ node }: Step): boolean => node.name.startsWith('_');

/** The names of a node's inputs. */
export const argumentsOf = ({ takes }: Operation | Fused, count: number): string[] =>
  takes.includes('...')
    ? Array.from({ length: count }, (_, i) => `tensors[${i}]`)
    : takes.slice(0, count).map((name) => name.replace('?', ''));

/** Checks a node with its inputs, and returns its step with options and shape. */
export function stepOf(call: string, node: Node, inputs: readonly Step[]): Step {
  checkName(call, node.name, 'operation', node.operation, Object.keys(table));
  const operation = table[node.operation]!;
  const names = argumentsOf(operation, inputs.length);
  const fail = (argument: string, problem: string) => {
    const shapes = inputs.map(({ node: { name }, shape }, i) => {
      return `${i === 0 ? '; ' : ', '}${names[i]} is ${name} ${shapeText(shape)}`;
    });
    return new TrilError(call, `${node.name}.${argument}`, problem + shapes.join(''));
  };
  const most = operation.takes.includes('...') ? Infinity : operation.takes.length;
  const least = operation.takes.filter((name) => !name.endsWith('?')).length;
  if (inputs.length < least || inputs.length > most) {
    const takes = operation.takes.join(', ') || 'nothing';
    throw fail('inputs', `${node.operation} takes ${takes}, and is given ${inputs.length} inputs`);
  }
  checkKeys(call, `${node.name}.options`, 'option', node.options, Object.keys(operation.options));
  const options = Object.fromEntries(
    Object.entries(operation.options).map(([name, check]) => {
      const read = check as (call: string, argument: string, value: unknown) => unknown;
      return [name, read(call, `${node.name}.${name}`, node.options[name])];
    }),
  );
  const shape = operation.shape(
    inputs.map((each) => each.shape),
    options,
    fail,
  );
  return { node, operation, options, inputs, shape };
}

function checkNode(call: string, node: unknown): asserts node is Node {
  checkKeys(call, 'nodes', 'field', node, ['name', 'operation', 'inputs', 'options']);
  const { name, inputs } = node as Node;
  if (typeof name !== 'string' || !/^(?!__)[A-Za-z_]\w*$/.test(name)) {
    const problem = `names are of letters, digits and _, but do not begin with __; one is ${describe(name)}`;
    throw new TrilError(call, 'nodes', problem);
  }
  if (Array.isArray(inputs) && inputs.every((each) => typeof each === 'string')) return;
  throw new TrilError(call, `${name}.inputs`, 'must be an array of names');
}

function makePlan(call: string, graph: Graph): Plan {
  checkKeys(call, 'graph', 'field', graph, ['nodes']);
  if (!Array.isArray(graph.nodes)) {
    throw new TrilError(call, 'nodes', `must be an array, is ${describe(graph.nodes)}`);
  }
  const nodes = new Map<string, Node>();
  for (const node of graph.nodes as readonly unknown[]) {
    checkNode(call, node);
    if (nodes.has(node.name)) throw new TrilError(call, node.name, 'is the name of two nodes');
    nodes.set(node.name, node);
  }
  const plan = new Map<string, Step>();
  const visit = (node: Node, way: readonly string[]): Step => {
    const known = plan.get(node.name);
    if (known) return known;
    if (way.includes(node.name)) {
      const circle = [...way.slice(way.indexOf(node.name)), node.name].join(', ');
      throw new TrilError(call, `${node.name}.inputs`, `it is made of itself: ${circle}`);
    }
    const inputs = node.inputs.map((name) => {
      checkName(call, `${node.name}.inputs`, 'node', name, [...nodes.keys()]);
      return visit(nodes.get(name)!, [...way, node.name]);
    });
    const step = stepOf(call, node, inputs);
    plan.set(node.name, step);
    return step;
  };
  for (const node of nodes.values()) visit(node, []);
  return plan;
}

/** The plans of immutable graphs, which are checked only once. */
const plans = new WeakMap<Graph, Plan>();
const unchanging = new WeakSet<Graph>();

/** Returns the steps of a graph in the order of computing. @throws TrilError if it is not a graph */
export function planOf(call: string, graph: Graph): Plan {
  const known = plans.get(graph);
  if (known) return known;
  const plan = makePlan(call, graph);
  if (unchanging.has(graph)) plans.set(graph, plan);
  return plan;
}

function frozenCopy(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze((value as unknown[]).map(frozenCopy));
  if (typeof value !== 'object' || value === null) return value;
  const copied = Object.entries(value).map(([key, each]) => [key, frozenCopy(each)] as const);
  return Object.freeze(Object.fromEntries(copied));
}

/** Makes an immutable graph. */
export function frozen(nodes: readonly Node[]): Graph {
  const freeze = ({ name, operation, inputs, options }: Node) =>
    frozenCopy({ name, operation, inputs, options }) as Node;
  const graph = Object.freeze({ nodes: Object.freeze(nodes.map(freeze)) });
  unchanging.add(graph);
  return graph;
}

/** Finds the step of that name. @throws TrilError if there is none */
export function find(call: string, argument: string, plan: Plan, name: string): Step {
  checkName(call, argument, 'node', name, [...plan.keys()]);
  return plan.get(name)!;
}

/** Returns the tensor of a node. @throws TrilError if it is missing */
export function tensorOf(call: string, values: GraphValues, name: string): Tensor {
  const tensor: unknown = values?.[name];
  if (tensor instanceof Tensor) return tensor;
  throw new TrilError(call, name, `must be a tensor, is ${describe(tensor)}`);
}

const isNumbers = (value: unknown): value is NodeNumbers => {
  const { shape, data } = Object(value) as Partial<NodeNumbers>;
  return Array.isArray(shape) && ArrayBuffer.isView(data);
};

/** Returns the tensor of a node, or its numbers. @throws TrilError if both are missing */
function valueOf(call: string, values: GraphNumbers, name: string): Tensor | NodeNumbers {
  const value: unknown = values?.[name];
  if (!isNumbers(value)) return tensorOf(call, values as GraphValues, name);
  const { shape, data } = value;
  if (shape.reduce((size, each) => size * each, 1) === data.length) return value;
  throw new TrilError(call, name, `has ${data.length} numbers of [${shape.join(', ')}]`);
}

/** Returns the numbers of a node; reads them if it has a tensor. @throws TrilError if they are missing */
export function numbersOf(call: string, values: GraphNumbers, name: string): NodeNumbers {
  const value = valueOf(call, values, name);
  return value instanceof Tensor ? { shape: value.shape, data: value.read() } : value;
}

/** Finds the numbers of the named sizes from the shapes of the inputs. @throws TrilError if two shapes disagree */
export function bind(call: string, plan: Plan, values: GraphNumbers): Sizes {
  const sizes = Object.create(null) as Record<string, number>; // a size may be called constructor
  const inputs = [...plan.values()].filter(isInput);
  const shapeOf = ({ node: { name } }: Step) => valueOf(call, values, name).shape;
  const refuse = (step: Step) => {
    const { name } = step.node;
    const is = [...new Set(step.shape.flatMap(namesOf))].filter((size) => size in sizes);
    const known = is.map((size) => `${size} = ${sizes[size]}`).join(', ');
    const text = `must be ${shapeText(step.shape)}, is [${shapeOf(step).join(', ')}]`;
    return new TrilError(call, name, known ? `${text}; ${known}` : text, { [name]: shapeOf(step) });
  };
  for (const step of inputs) {
    if (shapeOf(step).length !== step.shape.length) throw refuse(step);
  }
  const axes = inputs.flatMap((step) =>
    step.shape.map((size, axis) => [size, shapeOf(step)[axis]!] as const),
  );
  // Plain names come first, then names that are the only unknown of a product or sum.
  for (const isPlain of [true, false]) {
    for (const [size, value] of axes) {
      const [name, ...others] = namesOf(size).filter((each) => !(each in sizes));
      if (name === undefined || others.length > 0) continue;
      const [none, each] = [0, 1].map((number) => evaluate(size, { ...sizes, [name]: number }));
      const solved = (value - none!) / (each! - none!);
      if (isPlain ? sizeText(size) === name : Number.isFinite(solved)) sizes[name] = solved;
    }
  }
  for (const step of inputs) {
    const wrong = step.shape.some((size, axis) => evaluate(size, sizes) !== shapeOf(step)[axis]);
    if (wrong) throw refuse(step);
  }
  return sizes;
}

/** Returns a shape in numbers. @throws TrilError if a size is missing, or is not an integer of at least 0 */
export function shapeIn(call: string, step: Step, sizes: Sizes): readonly number[] {
  return step.shape.map((size) => {
    const value = numberOf(size) ?? evaluate(size, sizes);
    if (Number.isInteger(value) && value >= 0) return value;
    const missing = namesOf(size).find((name) => typeof sizes[name] !== 'number');
    const is = missing === undefined ? `${sizeText(size)} is ${value}` : `there is no ${missing}`;
    throw new TrilError(call, step.node.name, `is ${shapeText(step.shape)}, but ${is}`);
  });
}

/** Returns a step's options and shapes in numbers. */
export const sized = (call: string, step: Step, sizes: Sizes): Sized<object> => ({
  options: step.options,
  inputs: step.inputs.map((each) => shapeIn(call, each, sizes)),
  output: shapeIn(call, step, sizes),
  sizes,
});
