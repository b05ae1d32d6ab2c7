// Random graphs of all operations, with their inputs: sizes 0 and 1, broadcasting, values with many readers.
import { shapes, type Graph, type GraphValues, type Node, type Size, type Sizes } from 'tril/graph';
import { operations } from './graph-cases.js';
import { compute, type Numbers } from './graph-reference.js';
import { tril } from './helpers.js';

/** A generator of integers below `n`, the same for the same seed. */
export function dice(seed: number): (n: number) => number {
  let state = Math.imul(seed + 1, 2654435761);
  state = Math.imul(state ^ (state >>> 15), 2246822519); // or consecutive graphs would be alike
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
type Roll = ReturnType<typeof dice>;

export type Data = Record<string, Numbers>;
/** The options for these inputs, the first of which has these sizes; undefined if the inputs do not fit. */
type Wanted = (
  inputs: readonly Numbers[],
  roll: Roll,
  named: readonly Size[],
) => object | undefined;

const inputs = {
  ...{ x: ['T', 'D'], y: ['S', 'D'], row: ['D'], column: ['T', 1], stack: [2, 'T', 'S'] },
  ...{ seen: ['T', 'S'], ids: ['T'], table: [3, 'D'], logits: ['T', 3] },
  ...{ three: ['3*D', 'D'], square: ['D', 'D'], bias: ['3*D'] },
} as const;
const inputCount = Object.keys(inputs).length;
/** The integer inputs and their bounds: operations use their numbers to choose. */
export const wholes: Readonly<Record<string, number>> = { seen: 2, ids: 3 };

const sizesOf = (roll: Roll): Sizes =>
  Object.fromEntries(['T', 'S', 'D'].map((size) => [size, [0, 1, 1, 2, 3, 4][roll(6)]!]));

/** Doubles around 0 that are exact in float32; those of `column` are positive. */
function givenOf(roll: Roll, sizes: Sizes): Data {
  const names = Object.entries(inputs).map(([name, shape]) => {
    return { name, operation: 'input', inputs: [], options: { shape } };
  });
  return Object.fromEntries(
    Object.entries(shapes({ nodes: names }, sizes)).map(([name, shape]) => {
      const one = () => Math.fround((roll(4000) + roll(4000)) / 2000 - 2);
      const of = wholes[name] ? () => roll(wholes[name]!) : one;
      const data = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, of);
      return [
        name,
        { shape, data: name === 'column' ? data.map((x) => Math.abs(x) + 0.25) : data },
      ];
    }),
  );
}

const isFull = ({ data }: Numbers) => data.length > 0;
const anyAxis = ({ shape }: Numbers, roll: Roll) => roll(2 * shape.length) - shape.length;
/** The result of `make` if the inputs fit. */
const where =
  (fits: (...inputs: readonly Numbers[]) => boolean, make: Wanted = () => ({})): Wanted =>
  (all, ...rest) =>
    fits(...all) ? make(all, ...rest) : undefined;

const along: Wanted = ([x], roll) => ({ axis: anyAxis(x!, roll) });
const reduced: Wanted = ([x], roll) => ({
  ...(roll(3) > 0 && { axis: anyAxis(x!, roll) }),
  keepDims: roll(2) === 0,
});
const rules = (keys: number, roll: Roll) => ({
  ...(roll(3) === 0 && { causal: true }),
  ...(roll(4) === 0 && { window: { left: roll(3), right: roll(2) } }),
  ...(roll(4) === 0 && { strided: { local: 1 + roll(2), stride: 1 + roll(3) } }),
  ...(roll(4) === 0 && { padding: [roll(keys + 1)] }),
});

/**
 * The number of inputs of each operation that has not exactly one, and its possible options; undefined if the inputs do
 * not fit.
 */
const counts: Readonly<Record<string, (roll: Roll) => number>> = {
  ...{ number: () => 0, tri: () => 0, concatenate: (roll) => 1 + roll(3), put: () => 2 },
  ...{ mask: (roll) => 1 + roll(2), linear: (roll) => 2 + roll(2), where: () => 3 },
  ...{ layerNorm: (roll) => 1 + roll(3), rmsNorm: (roll) => 1 + roll(2), embedding: () => 2 },
  ...{
    crossEntropy: () => 2,
    attention: (roll) => 3 + roll(2),
    multiHeadAttention: (roll) => 3 + roll(2),
  },
  ...Object.fromEntries(
    ['matmul', 'add', 'subtract', 'multiply', 'divide', 'power', 'maximum', 'minimum', 'equal']
      .concat('notEqual', 'less', 'lessEqual', 'greater', 'greaterEqual')
      .map((name) => [name, () => 2]),
  ),
};
const options: Readonly<Record<string, Wanted>> = {
  number: (_, roll) => ({ value: [2, 0.5, -1, 'T + 1', '2*D'][roll(5)] }),
  tri: (_, roll) => ({ rows: ['T', 'S', 2][roll(3)] }),
  ...{ softmax: along, logSoftmax: along, concatenate: along },
  ...{ sum: reduced, mean: where(isFull, reduced) },
  // Empty inputs have no maximum or minimum.
  ...{ max: where(isFull, reduced), min: where(isFull, reduced), argmax: where(isFull, reduced) },
  transpose: ([x], roll) => {
    if (roll(2) === 0) return {};
    const axes = [...x!.shape.keys()];
    return { axes: axes.map((axis, i) => axes[(i + 1) % axes.length] ?? axis) };
  },
  reshape: (_, roll, named) =>
    named.some((size) => /[-+/]/u.test(String(size)))
      ? undefined
      : { shape: [[named.join('*')], [1, ...named], [...named, 1]][roll(3)] },
  slice: ([x], roll) => {
    const axis = anyAxis(x!, roll);
    const start = roll(x!.shape.at(axis)! + 1);
    return {
      axis,
      start,
      ...(roll(2) === 0 && { stop: start + roll(x!.shape.at(axis)! - start + 1) }),
    };
  },
  take: ([x], roll) => {
    const axis = anyAxis(x!, roll);
    const size = x!.shape.at(axis)!;
    return { axis, indices: Array.from({ length: size > 0 ? roll(4) : 0 }, () => roll(size)) };
  },
  put: where(
    (x, values) => isFull(x!) || !isFull(values!),
    ([x, values], roll) => ({ places: [values!.data.map(() => roll(x!.data.length))] }),
  ),
  runningAverage: where(isFull, (_, roll) => ({ sum: roll(2) === 0 })),
  mask: ([x], roll) => ({
    ...(roll(2) === 0 && { hidden: roll(5) - 2 }),
    ...rules(x!.shape.at(-1)!, roll),
  }),
  layerNorm: (_, roll) => (roll(2) === 0 ? {} : { eps: 0.5 }),
  rmsNorm: (_, roll) => (roll(2) === 0 ? {} : { eps: 0.5 }),
  embedding: where((ids, table) =>
    ids!.data.every((id) => Number.isInteger(id) && id >= 0 && id < table!.shape[0]!),
  ),
  crossEntropy: where((logits, targets) =>
    targets!.data.every((id) => Number.isInteger(id) && id >= 0 && id < logits!.shape.at(-1)!),
  ),
  attention: where(
    (...all) => all.every(isFull),
    (all, roll) => ({
      ...(roll(2) === 0 && { scale: (roll(5) - 1) / 4 }),
      ...(all[3] && { kind: roll(2) === 0 ? 'additive' : 'boolean' }),
      ...rules(all[1]!.shape.at(-2)!, roll),
    }),
  ),
  multiHeadAttention: where(
    (x, three, square) => {
      const width = x!.shape.at(-1)!;
      const isShaped = three!.shape.join() === `${3 * width},${width}`;
      return isShaped && square!.shape.join() === `${width},${width}` && isFull(x!);
    },
    ([x], roll) => ({ heads: x!.shape.at(-1)! % 2 === 0 ? 1 + roll(2) : 1, causal: roll(2) === 0 }),
  ),
};

export interface Random {
  readonly graph: Graph;
  readonly sizes: Sizes;
  readonly given: Data;
  /** Every value in doubles. */
  readonly values: Data;
  /** The first computed node. */
  readonly lead: string;
}

/**
 * Whether all numbers have a size at which float32 can be compared; a mask, and operations that read its -inf, may give
 * -inf.
 */
function isTame({ data }: Numbers, inputs: readonly Numbers[], operation: string): boolean {
  const mayHide = operation === 'mask' || inputs.some((each) => each.data.includes(-Infinity));
  return data.every((value) => Math.abs(value) <= 20 || (mayHide && value === -Infinity));
}

/** The graph with another node, computed from any earlier values, or undefined if none fits. */
function grown(roll: Roll, before: Random, operation: string, tries: number): Random | undefined {
  const names = before.graph.nodes.map(({ name }) => name);
  const named = shapes(before.graph);
  const made = names.length > inputCount ? inputCount : 0;
  for (let i = 0; i < tries; ++i) {
    const count = counts[operation]?.(roll) ?? 1;
    // Half of the inputs are computed values, if there are any.
    const pick = () =>
      names[roll(2) === 0 ? roll(names.length) : made + roll(names.length - made)]!;
    const from = Array.from({ length: count }, pick);
    const given = from.map((name) => before.values[name]!);
    const wanted = options[operation] ?? (() => ({}));
    const own = wanted(given, roll, named[from[0] ?? ''] ?? []);
    if (!own) continue;
    const name = `${roll(4) === 0 ? '_' : ''}v${names.length}`;
    const node = { name, operation, inputs: from, options: own as Node['options'] };
    const graph = { nodes: [...before.graph.nodes, node] };
    try {
      shapes(graph, before.sizes);
    } catch {
      continue; // The shapes did not fit.
    }
    const values = compute(graph, before.given, before.values);
    if (isTame(values[name]!, given, operation)) return { ...before, graph, values };
  }
  return undefined;
}

/**
 * A graph whose first node has the operation `lead`, and other nodes any operation; undefined if that does not fit the
 * sizes.
 */
function madeOf(lead: string, roll: Roll): Random | undefined {
  const sizes = sizesOf(roll);
  const given = givenOf(roll, sizes);
  const nodes = Object.entries(inputs).map(([name, shape]) => {
    return { name, operation: 'input', inputs: [], options: { shape } };
  });
  let made = grown(roll, { graph: { nodes }, sizes, given, values: given, lead }, lead, 3000);
  if (!made) return undefined;
  made = { ...made, lead: made.graph.nodes.at(-1)!.name };
  for (let i = 0; i < 10; ++i) {
    made = grown(roll, made, operations[roll(operations.length)]!, 40) ?? made;
  }
  return made;
}

const known = new Map<number, Random>();
/** The graph of a seed, which begins with the operation of that index. */
export function randomGraph(seed: number): Random {
  const roll = dice(seed);
  for (let made = known.get(seed); ; made = madeOf(operations[seed % operations.length]!, roll)) {
    if (!made) continue;
    known.set(seed, made);
    return made;
  }
}

/** Seeds of two graphs for each first operation. */
export const seeds: readonly number[] = [...operations, ...operations].map((_, i) => i);

export const tensorsOf = (given: Data): GraphValues =>
  Object.fromEntries(
    Object.entries(given).map(([name, { shape, data }]) => [
      name,
      tril.tensor([...shape], Float32Array.from(data)),
    ]),
  );
