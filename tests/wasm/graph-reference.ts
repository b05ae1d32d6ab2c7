// Graphs in doubles, written out plainly and apart from the package: what its readers are judged by.
import type { Graph, Node } from 'tril/graph';

/** Numbers in row-major order. */
export interface Numbers {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

export type Given = Readonly<Record<string, Numbers>>;
type At = (index: readonly number[]) => number;

const product = (sizes: readonly number[]) => sizes.reduce((a, b) => a * b, 1);

/** Every index of a shape, in row-major order. */
export function indicesOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, size) => all.flatMap((index) => [...Array(size).keys()].map((i) => [...index, i])),
    [[]],
  );
}

const offset = (shape: readonly number[], index: readonly number[]) =>
  shape.reduce((sum, size, axis) => sum * size + index[axis]!, 0);

export const at = ({ shape, data }: Numbers, index: readonly number[]): number =>
  data[offset(shape, index)]!;

export const fill = (shape: readonly number[], value: At): Numbers => ({
  shape,
  data: indicesOf(shape).map(value),
});

/** A value as if it were repeated: axes are counted from the last. */
const repeated =
  (x: Numbers): At =>
  (index) =>
    at(
      x,
      x.shape.map((size, axis) => (size === 1 ? 0 : index[axis + index.length - x.shape.length]!)),
    );

function joint(a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  return [...Array(rank).keys()].map((axis) => {
    const [x, y] = [a[axis - rank + a.length] ?? 1, b[axis - rank + b.length] ?? 1];
    return x === 1 ? y : x;
  });
}

/** erf to 1e-15 (its series, and for large x the continued fraction). */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  if (size < 2.5) {
    let [term, sum] = [size, size];
    for (let n = 1; n < 80; ++n) {
      term *= -(size * size) / n;
      sum += term / (2 * n + 1);
    }
    return (Math.sign(x) * 2 * sum) / Math.sqrt(Math.PI);
  }
  let fraction = 0;
  for (let n = 120; n > 0; --n) fraction = n / 2 / (size + fraction);
  return Math.sign(x) * (1 - Math.exp(-size * size) / Math.sqrt(Math.PI) / (size + fraction));
}

const unary: Readonly<Record<string, (x: number) => number>> = {
  ...{ exp: Math.exp, log: Math.log, sqrt: Math.sqrt, tanh: Math.tanh },
  relu: (x) => Math.max(x, 0),
  gelu: (x) => (x * (1 + erf(x / Math.SQRT2))) / 2,
  silu: (x) => x / (1 + Math.exp(-x)),
};
const binary: Readonly<Record<string, (x: number, y: number) => number>> = {
  add: (x, y) => x + y,
  subtract: (x, y) => x - y,
  multiply: (x, y) => x * y,
  divide: (x, y) => x / y,
};

function matrixProduct(a: Numbers, b: Numbers): Numbers {
  const [rows, depth, columns] = [a.shape.at(-2)!, a.shape.at(-1)!, b.shape.at(-1)!];
  const stack = joint(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const [left, right] = [repeated(a), repeated(b)];
  // An inner axis of 1 is 0 by itself, rows and columns of 1 too.
  return fill([...stack, rows, columns], (index) => {
    let sum = 0;
    for (let k = 0; k < depth; ++k) {
      sum += left([...index.slice(0, -1), k]) * right([...index.slice(0, -2), k, index.at(-1)!]);
    }
    return sum;
  });
}

/** The numbers along an axis through a cell. */
const lineOf = (x: Numbers, index: readonly number[], axis: number) =>
  [...Array(x.shape[axis]).keys()].map((i) =>
    at(x, [...index.slice(0, axis), i, ...index.slice(axis + 1)]),
  );

function softmaxOf(x: Numbers, axis: number, log: boolean): Numbers {
  return fill(x.shape, (index) => {
    const line = lineOf(x, index, axis);
    const most = Math.max(...line);
    if (most === -Infinity) return log ? -Infinity : 0;
    const sum = line.reduce((total, each) => total + Math.exp(each - most), 0);
    return log ? at(x, index) - most - Math.log(sum) : Math.exp(at(x, index) - most) / sum;
  });
}

type Options = Readonly<Record<string, never>>;
type Computed = (inputs: readonly Numbers[], options: Options, sizes: Sizes) => Numbers;
type Sizes = Readonly<Record<string, number>>;
const front = (axis: number, rank: number) => (axis + rank) % rank;

/** A size such as '2*C/3': factors, from left to right. */
export const sizeOf = (text: number | string, sizes: Sizes): number =>
  [...`*${text}`.matchAll(/([*/])\s*([\w.]+)/gu)].reduce((value, [, sign, name]) => {
    const number = sizes[name!] ?? Number(name);
    return sign === '*' ? value * number : value / number;
  }, 1);

const operations: Record<string, Computed> = {
  number: (_, { value }, sizes) => ({ shape: [1], data: [sizeOf(value!, sizes)] }),
  matmul: ([a, b]) => matrixProduct(a!, b!),
  transpose: ([x], { axes }) => {
    const order: number[] =
      ((axes ?? null) as number[] | null)?.map((axis) => front(axis, x!.shape.length)) ??
      [...x!.shape.keys()].reverse();
    return fill(
      order.map((axis) => x!.shape[axis]!),
      (index) =>
        at(
          x!,
          x!.shape.map((_, axis) => index[order.indexOf(axis)]!),
        ),
    );
  },
  softmax: ([x], { axis = -1 as never }) => softmaxOf(x!, front(axis, x!.shape.length), false),
  logSoftmax: ([x], { axis = -1 as never }) => softmaxOf(x!, front(axis, x!.shape.length), true),
};

/** Every value of a graph, of inputs by name; values in `fixed` are what they are there. */
export function compute(
  { nodes }: Graph,
  given: Given,
  fixed: Given = {},
): Record<string, Numbers> {
  const sizes: Record<string, number> = {};
  for (const { name, operation, options } of nodes) {
    if (operation !== 'input') continue;
    for (const [axis, size] of (options['shape'] as (number | string)[]).entries()) {
      if (/^[A-Za-z]\w*$/u.test(String(size))) sizes[size] = given[name]!.shape[axis]!;
    }
  }
  const values: Record<string, Numbers> = {};
  const valueOf = (node: Node): Numbers => {
    if (fixed[node.name]) return fixed[node.name]!;
    if (node.operation === 'input') return given[node.name]!;
    const inputs = node.inputs.map((name) => values[name]!);
    const [x, y] = inputs;
    const ofTwo = binary[node.operation];
    if (ofTwo) {
      const [left, right] = [repeated(x!), repeated(y!)];
      return fill(joint(x!.shape, y!.shape), (index) => ofTwo(left(index), right(index)));
    }
    const ofOne = unary[node.operation];
    if (ofOne) return { shape: x!.shape, data: x!.data.map(ofOne) };
    return operations[node.operation]!(inputs, node.options as Options, sizes);
  };
  for (const node of nodes) values[node.name] = valueOf(node);
  return values;
}

export const sizeOfShape = product;
