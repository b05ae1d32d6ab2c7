// Computes graphs in doubles, plainly and independently of the package: the reference for its functions.
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

/** Reads a value as if broadcast: axes are counted from the last. */
export const repeated =
  (x: Numbers): At =>
  (index) =>
    at(
      x,
      x.shape.map((size, axis) => (size === 1 ? 0 : index[axis + index.length - x.shape.length]!)),
    );

export function joint(a: readonly number[], b: readonly number[]): number[] {
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
  negate: (x) => -x,
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
  power: (x, y) => x ** y,
  ...{ maximum: Math.max, minimum: Math.min },
  equal: (x, y) => Number(x === y),
  notEqual: (x, y) => Number(x !== y),
  less: (x, y) => Number(x < y),
  lessEqual: (x, y) => Number(x <= y),
  greater: (x, y) => Number(x > y),
  greaterEqual: (x, y) => Number(x >= y),
};

function matrixProduct(a: Numbers, b: Numbers): Numbers {
  const [rows, depth, columns] = [a.shape.at(-2)!, a.shape.at(-1)!, b.shape.at(-1)!];
  const stack = joint(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const [left, right] = [repeated(a), repeated(b)];
  // An inner axis of length 1 broadcasts by itself, and so do rows and columns.
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

const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

function reduce(x: Numbers, options: Options, join: (line: readonly number[]) => number): Numbers {
  const { axis = null, keepDims = false } = options as { axis?: number | null; keepDims?: boolean };
  const gone = axis === null ? [...x.shape.keys()] : [front(axis, x.shape.length)];
  const full = x.shape.map((size, i) => (gone.includes(i) ? 1 : size));
  const made = fill(full, (index) => {
    const line = indicesOf(x.shape).filter((cell) =>
      cell.every((each, i) => gone.includes(i) || each === index[i]),
    );
    return join(line.map((cell) => at(x, cell)));
  });
  const left = x.shape.filter((_, i) => !gone.includes(i));
  return { shape: keepDims ? full : left.length > 0 ? left : [1], data: made.data };
}

type Options = Readonly<Record<string, never>>;
type Computed = (inputs: readonly Numbers[], options: Options, sizes: Sizes) => Numbers;
type Sizes = Readonly<Record<string, number>>;
export const front = (axis: number, rank: number) => (axis + rank) % rank;

/** Evaluates a size such as '2*C/3 + 1': a sum of factors, from left to right. */
export const sizeOf = (text: number | string, sizes: Sizes): number =>
  String(text)
    .split(' + ')
    .reduce((sum, term) => sum + factorsOf(term, sizes), 0);

const factorsOf = (text: string, sizes: Sizes): number =>
  [...`*${text}`.matchAll(/([*/])\s*(-?[\w.]+)/gu)].reduce((value, [, sign, name]) => {
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
  linear: ([x, weight, bias]) =>
    fill([...x!.shape.slice(0, -1), weight!.shape[0]!], (index) => {
      const [row, out] = [index.slice(0, -1), index.at(-1)!];
      let sum = bias ? bias.data[out]! : 0;
      for (let k = 0; k < weight!.shape[1]!; ++k)
        sum += at(x!, [...row, k]) * at(weight!, [out, k]);
      return sum;
    }),
  sum: ([x], options) => reduce(x!, options, (line) => line.reduce((a, b) => a + b, 0)),
  mean: ([x], options) => reduce(x!, options, meanOf),
  max: ([x], options) => reduce(x!, options, (line) => Math.max(...line)),
  min: ([x], options) => reduce(x!, options, (line) => Math.min(...line)),
  argmax: ([x], options) => reduce(x!, options, (line) => line.indexOf(Math.max(...line))),
  take: ([x], { axis = 0 as never, indices }) => {
    const place = front(axis, x!.shape.length);
    const list = indices as unknown as number[];
    return fill(
      x!.shape.map((size, i) => (i === place ? list.length : size)),
      (index) =>
        at(
          x!,
          index.map((each, i) => (i === place ? list[each]! : each)),
        ),
    );
  },
  put: ([x, ...values], { places }) => {
    const data = [...x!.data];
    for (const [i, each] of (places as unknown as number[][]).entries()) {
      for (const [k, place] of each.entries()) data[place] = values[i]!.data[k]!;
    }
    return { shape: x!.shape, data };
  },
  where: ([condition, x, y]) => {
    const [chooses, left, right] = [condition!, x!, y!].map(repeated);
    return fill(joint(condition!.shape, joint(x!.shape, y!.shape)), (index) =>
      chooses!(index) === 0 ? right!(index) : left!(index),
    );
  },
  reshape: ([x], { shape }, sizes) => ({
    shape: (shape as unknown as (number | string)[]).map((size) => sizeOf(size, sizes)),
    data: x!.data,
  }),
  slice: ([x], { axis = 0 as never, start = 0 as never, stop }, sizes) => {
    const place = front(axis, x!.shape.length);
    const first = sizeOf(start, sizes);
    const last = stop === undefined ? x!.shape[place]! : sizeOf(stop, sizes);
    return fill(
      x!.shape.map((size, i) => (i === place ? last - first : size)),
      (index) =>
        at(
          x!,
          index.map((each, i) => (i === place ? each + first : each)),
        ),
    );
  },
  concatenate: (inputs, { axis = 0 as never }) => {
    const place = front(axis, inputs[0]!.shape.length);
    const owners = inputs.flatMap((x) =>
      [...Array(x.shape[place]!).keys()].map((i) => [x, i] as const),
    );
    return fill(
      inputs[0]!.shape.map((size, i) => (i === place ? owners.length : size)),
      (index) => {
        const [x, own] = owners[index[place]!]!;
        return at(
          x,
          index.map((each, i) => (i === place ? own : each)),
        );
      },
    );
  },
  tri: (_, { rows }, sizes) => {
    const size = sizeOf(rows!, sizes);
    return fill([size, size], ([row, col]) => Number(col! <= row!));
  },
  runningAverage: ([x], { sum = false as never }) =>
    fill(x!.shape, (index) => {
      const line = lineOf(x!, index, index.length - 2).slice(0, index.at(-2)! + 1);
      return meanOf(line) * (sum ? line.length : 1);
    }),
  mask: ([x, seen], { hidden = -Infinity as never, ...rules }) => {
    const isSeen = seen && repeated(seen);
    const byRules = rulesOf(seen || Object.keys(rules).length > 0 ? rules : { causal: true });
    return fill(seen ? joint(x!.shape, seen.shape) : x!.shape, (index) => {
      const shows = (!isSeen || isSeen(index) !== 0) && byRules(index);
      return shows ? repeated(x!)(index) : hidden;
    });
  },
  layerNorm: ([x, weight, bias], { eps = 1e-5 as never }) =>
    fill(x!.shape, (index) => {
      const line = lineOf(x!, index, index.length - 1);
      const mean = meanOf(line);
      const variance = meanOf(line.map((each) => (each - mean) ** 2));
      const [scale, shift] = [weight, bias].map((each) => each?.data[index.at(-1)!]);
      return ((at(x!, index) - mean) / Math.sqrt(variance + eps)) * (scale ?? 1) + (shift ?? 0);
    }),
  rmsNorm: ([x, weight], { eps = 1e-5 as never }) =>
    fill(x!.shape, (index) => {
      const square = meanOf(lineOf(x!, index, index.length - 1).map((each) => each * each));
      return (at(x!, index) / Math.sqrt(square + eps)) * (weight?.data[index.at(-1)!] ?? 1);
    }),
  embedding: ([ids, table]) =>
    fill([...ids!.shape, table!.shape[1]!], (index) =>
      at(table!, [at(ids!, index.slice(0, -1)), index.at(-1)!]),
    ),
  crossEntropy: ([logits, targets]) => {
    const logs = softmaxOf(logits!, logits!.shape.length - 1, true);
    const losses = indicesOf(targets!.shape).map((row) => -at(logs, [...row, at(targets!, row)]));
    return { shape: [1], data: [meanOf(losses)] };
  },
  softmax: ([x], { axis = -1 as never }) => softmaxOf(x!, front(axis, x!.shape.length), false),
  logSoftmax: ([x], { axis = -1 as never }) => softmaxOf(x!, front(axis, x!.shape.length), true),
};

interface Rules {
  causal?: boolean;
  window?: { left?: number; right?: number };
  strided?: { local: number; stride: number };
  padding?: readonly number[];
}

/** Whether the query of a score sees its key. */
export function rulesOf({
  causal,
  window,
  strided,
  padding,
}: Rules): (index: readonly number[]) => boolean {
  return (index) => {
    const [t, s] = [index.at(-2)!, index.at(-1)!];
    if (causal && s > t) return false;
    if (window?.left !== undefined && s < t - window.left) return false;
    if (window?.right !== undefined && s > t + window.right) return false;
    if (padding && s >= padding[index.length === 4 ? index[0]! : 0]!) return false;
    const far = Math.max(s - t, t - s);
    return (
      !strided || far < strided.local || far / strided.stride === Math.floor(far / strided.stride)
    );
  };
}

/** Attention, row by row. */
function attend(
  [q, k, v, mask]: readonly Numbers[],
  options: Rules & { scale?: number; kind?: string },
): Numbers {
  const sees = rulesOf(options);
  const added = mask && repeated(mask);
  const heads = q!.shape.at(-3) ?? 1;
  const width = q!.shape.at(-1)!;
  return fill([...q!.shape.slice(0, -1), v!.shape.at(-1)!], (index) => {
    const [lead, t, out] = [index.slice(0, -2), index.at(-2)!, index.at(-1)!];
    // Consecutive query heads share a head of keys.
    const shared = lead.map((place, axis) =>
      axis === lead.length - 1 ? Math.floor((place * k!.shape.at(-3)!) / heads) : place,
    );
    const keys = [...Array(k!.shape.at(-2)).keys()];
    const scores = keys.map((s) => {
      if (!sees([...lead, t, s])) return -Infinity;
      const more = added ? added([...lead, t, s]) : 1;
      if (options.kind !== 'additive' && more === 0) return -Infinity;
      let sum = 0;
      for (let d = 0; d < width; ++d) sum += at(q!, [...lead, t, d]) * at(k!, [...shared, s, d]);
      const scaled = sum * (options.scale ?? 1 / Math.sqrt(width));
      return options.kind === 'additive' ? scaled + more : scaled;
    });
    const weights = softmaxOf({ shape: [keys.length], data: scores }, 0, false).data;
    return keys.reduce((sum, s) => sum + weights[s]! * at(v!, [...shared, s, out]), 0);
  });
}

operations['attention'] = attend;
operations['multiHeadAttention'] = ([x, W, O, b, c], options) => {
  const { heads, causal = false } = options as unknown as { heads: number; causal?: boolean };
  const [tokens, width] = x!.shape.slice(-2) as [number, number];
  const stack = x!.shape.slice(0, -2);
  const depth = width / heads;
  const project = (part: number) =>
    fill([...stack, heads, tokens, depth], (index) => {
      const [h, t, d] = index.slice(-3) as [number, number, number];
      const row = part * width + h * depth + d;
      let sum = b ? b.data[row]! : 0;
      for (let i = 0; i < width; ++i)
        sum += at(x!, [...index.slice(0, -3), t, i]) * at(W!, [row, i]);
      return sum;
    });
  const head = attend([project(0), project(1), project(2)], { causal });
  return fill(x!.shape, (index) => {
    const [t, out] = index.slice(-2) as [number, number];
    let sum = c ? c.data[out]! : 0;
    for (let i = 0; i < width; ++i) {
      const place = [...index.slice(0, -2), Math.floor(i / depth), t, i % depth];
      sum += at(head, place) * at(O!, [out, i]);
    }
    return sum;
  });
};

/** Every value of a graph, from its inputs by name; `fixed` replaces values. `known` has sizes that no input has. */
export function compute(
  { nodes }: Graph,
  given: Given,
  fixed: Given = {},
  known: Sizes = {},
): Record<string, Numbers> {
  const sizes: Record<string, number> = { ...known };
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
