// Each operation of a graph as plain loops over doubles that count their own operations: the reference for `cost`.
import type { Graph } from 'tril/graph';
import {
  at,
  erf,
  fill,
  front,
  indicesOf,
  joint,
  repeated,
  type Numbers,
} from './graph-reference.js';

/**
 * Computes and counts: an addition, subtraction, multiplication, division, comparison or elementary function is one
 * operation; a copy, a change of sign or a choice is none. A sum begins at 0.
 */
export class Counter {
  flops = 0;
  /** Counts the operation that computed `value`. */
  one(value: number | boolean): number {
    this.flops += 1;
    return Number(value);
  }
  sum = (values: readonly number[]) => values.reduce((total, each) => this.one(total + each), 0);
  mean = (values: readonly number[]) => this.one(this.sum(values) / values.length);
  dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((total, each, k) => this.one(total + this.one(each * y[k]!)), 0);
  /** The index of the largest number. */
  largest = (values: readonly number[]) =>
    values.reduce((best, each, i) => (this.one(each > (values[best] ?? -Infinity)) ? i : best), -1);
}

/** A function of a row along any axis: its result is a row of the same length, or a number. */
type OfRow = (c: Counter, row: readonly number[]) => readonly number[] | number;
export type Naive = (c: Counter, inputs: readonly Numbers[], options: Options) => Numbers;
interface Options {
  readonly axis?: number;
  readonly keepDims?: boolean;
  readonly sum?: boolean;
  readonly heads?: number;
  readonly scale?: number;
  readonly kind?: string;
  readonly causal?: boolean;
}

/** Applies `ofRow` to every row along an axis, in place. */
function rows(c: Counter, x: Numbers, axis: number, ofRow: OfRow): Numbers {
  const place = front(axis, x.shape.length);
  const data = [...x.data];
  const strides = x.shape.map((_, i) => x.shape.slice(i + 1).reduce((a, b) => a * b, 1));
  const starts = x.shape.map((size, i) => (i === place ? 1 : size));
  for (const start of indicesOf(starts)) {
    const first = start.reduce((sum, each, i) => sum + each * strides[i]!, 0);
    const cells = [...Array(x.shape[place]!).keys()].map((i) => first + i * strides[place]!);
    const made = ofRow(
      c,
      cells.map((cell) => x.data[cell]!),
    );
    cells.forEach((cell, i) => (data[cell] = typeof made === 'number' ? made : made[i]!));
  }
  return { shape: x.shape, data };
}

const pairs =
  (join: (x: number, y: number) => number | boolean): Naive =>
  (c, [x, y]) => {
    const [left, right] = [repeated(x!), repeated(y!)];
    return fill(joint(x!.shape, y!.shape), (index) => c.one(join(left(index), right(index))));
  };

const each =
  (of: (c: Counter, x: number) => number): Naive =>
  (c, [x]) => ({ shape: x!.shape, data: x!.data.map((value) => of(c, value)) });

/** Reduces the cells of each result, or all cells, to one number. */
const reduced =
  (of: (c: Counter, cells: readonly number[]) => number): Naive =>
  (c, [x], { axis, keepDims = false }) => {
    const gone = axis === undefined ? [...x!.shape.keys()] : [front(axis, x!.shape.length)];
    const kept = x!.shape.map((size, i) => (gone.includes(i) ? 1 : size));
    const { data } = fill(kept, (index) => {
      const cells = indicesOf(x!.shape).filter((cell) =>
        cell.every((n, i) => gone.includes(i) || n === index[i]),
      );
      return of(
        c,
        cells.map((cell) => at(x!, cell)),
      );
    });
    const left = kept.filter((_, i) => !gone.includes(i));
    return { shape: keepDims ? kept : left.length > 0 ? left : [1], data };
  };

const softmax =
  (isLog: boolean): OfRow =>
  (c, row) => {
    const most = row[c.largest(row)] ?? -Infinity;
    const less = row.map((x) => c.one(x - (most === -Infinity ? 0 : most)));
    const sum = c.sum(less.map((x) => c.one(Math.exp(x))));
    if (!isLog) return less.map((x) => c.one(Math.exp(x) / (sum || 1)));
    const logarithm = c.one(Math.log(sum));
    return less.map((x) => c.one(x - logarithm));
  };

/** Normalises rows with `ofRow`, then scales and shifts them. */
const norm =
  (ofRow: OfRow): Naive =>
  (c, [x, weight, bias]) => {
    const normed = rows(c, x!, -1, ofRow);
    return fill(x!.shape, (index) => {
      const column = index.at(-1)!;
      const scaled = weight ? c.one(at(normed, index) * weight.data[column]!) : at(normed, index);
      return bias ? c.one(scaled + bias.data[column]!) : scaled;
    });
  };

const rowOf = (x: Numbers, lead: readonly number[]) =>
  [...Array(x.shape.at(-1)!).keys()].map((k) => at(x, [...lead, k]));
const columnOf = (x: Numbers, lead: readonly number[], column: number) =>
  [...Array(x.shape.at(-2)!).keys()].map((k) => at(x, [...lead, k, column]));

const linear: Naive = (c, [x, weight, bias]) =>
  fill([...x!.shape.slice(0, -1), weight!.shape[0]!], (index) => {
    const out = index.at(-1)!;
    const product = c.dot(rowOf(x!, index.slice(0, -1)), rowOf(weight!, [out]));
    return bias ? c.one(product + bias.data[out]!) : product;
  });

const attention: Naive = (c, [q, k, v, mask], { scale, kind, causal }) => {
  const depth = q!.shape.at(-1)!;
  const root = scale === undefined ? c.one(Math.sqrt(depth)) : 0;
  const added = mask && repeated(mask);
  /** The position of the keys for a head: several consecutive heads share them. */
  const keysOf = (lead: readonly number[]) =>
    lead.map((place, i) =>
      i < lead.length - 1 ? place : Math.floor((place * k!.shape[i]!) / q!.shape[i]!),
    );
  const scores = fill([...q!.shape.slice(0, -1), k!.shape.at(-2)!], (index) => {
    const [lead, t, s] = [index.slice(0, -2), index.at(-2)!, index.at(-1)!];
    const product = c.dot(rowOf(q!, [...lead, t]), rowOf(k!, [...keysOf(lead), s]));
    const scaled = c.one(scale === undefined ? product / root : product * scale);
    const biased = kind === 'additive' ? c.one(scaled + added!(index)) : scaled;
    const isHidden = (causal && s > t) || (kind !== 'additive' && added?.(index) === 0);
    return isHidden ? -Infinity : biased;
  });
  const weights = rows(c, scores, -1, softmax(false));
  return fill([...q!.shape.slice(0, -1), v!.shape.at(-1)!], (index) => {
    const lead = index.slice(0, -2);
    const values = columnOf(v!, keysOf(lead), index.at(-1)!);
    return c.dot(rowOf(weights, index.slice(0, -1)), values);
  });
};

export const naive: Readonly<Record<string, Naive>> = {
  add: pairs((x, y) => x + y),
  subtract: pairs((x, y) => x - y),
  multiply: pairs((x, y) => x * y),
  divide: pairs((x, y) => x / y),
  power: pairs((x, y) => x ** y),
  ...{ maximum: pairs(Math.max), minimum: pairs(Math.min) },
  ...{ equal: pairs((x, y) => x === y), notEqual: pairs((x, y) => x !== y) },
  ...{ less: pairs((x, y) => x < y), lessEqual: pairs((x, y) => x <= y) },
  ...{ greater: pairs((x, y) => x > y), greaterEqual: pairs((x, y) => x >= y) },
  exp: each((c, x) => c.one(Math.exp(x))),
  log: each((c, x) => c.one(Math.log(x))),
  sqrt: each((c, x) => c.one(Math.sqrt(x))),
  tanh: each((c, x) => c.one(Math.tanh(x))),
  negate: each((_, x) => -x),
  relu: each((c, x) => (c.one(x > 0) ? x : 0)),
  gelu: each((c, x) => {
    const share = c.one(1 + c.one(erf(c.one(x / Math.SQRT2))));
    return c.one(c.one(x * share) / 2);
  }),
  silu: each((c, x) => c.one(x / c.one(1 + c.one(Math.exp(-x))))),
  sum: reduced((c, cells) => c.sum(cells)),
  mean: reduced((c, cells) => c.mean(cells)),
  max: reduced((c, cells) => cells[c.largest(cells)] ?? -Infinity),
  min: reduced((c, cells) => cells[c.largest(cells.map((x) => -x))] ?? Infinity),
  argmax: reduced((c, cells) => c.largest(cells)),
  runningAverage: (c, [x], { sum }) =>
    rows(c, x!, -2, (_, row) =>
      row.map((_, t) => (sum ? c.sum(row.slice(0, t + 1)) : c.mean(row.slice(0, t + 1)))),
    ),
  softmax: (c, [x], { axis = -1 }) => rows(c, x!, axis, softmax(false)),
  logSoftmax: (c, [x], { axis = -1 }) => rows(c, x!, axis, softmax(true)),
  layerNorm: norm((c, row) => {
    const mean = c.mean(row);
    const squares = row.map((x) => c.one(x - mean)).map((x) => c.one(x * x));
    const scale = c.one(1 / c.one(Math.sqrt(c.one(c.mean(squares) + 1e-5))));
    return row.map((x) => c.one(c.one(x - mean) * scale));
  }),
  rmsNorm: norm((c, row) => {
    const square = c.mean(row.map((x) => c.one(x * x)));
    const scale = c.one(1 / c.one(Math.sqrt(c.one(square + 1e-5))));
    return row.map((x) => c.one(x * scale));
  }),
  matmul: (c, [a, b]) => {
    const [left, right] = [a!, b!].map((x) => ({ ...x, shape: x.shape.slice(0, -2) }));
    const stack = joint(left!.shape, right!.shape);
    /** The position of a stack's matrix in an input. */
    const placeIn = (shape: readonly number[], lead: readonly number[]) =>
      shape.map((size, i) => (size === 1 ? 0 : lead[lead.length - shape.length + i]!));
    return fill([...stack, a!.shape.at(-2)!, b!.shape.at(-1)!], (index) => {
      const lead = index.slice(0, -2);
      const row = rowOf(a!, [...placeIn(left!.shape, lead), index.at(-2)!]);
      return c.dot(row, columnOf(b!, placeIn(right!.shape, lead), index.at(-1)!));
    });
  },
  linear,
  crossEntropy: (c, [logits, targets]) => {
    const losses = indicesOf(targets!.shape).map((lead) => {
      const row = rowOf(logits!, lead);
      const most = row[c.largest(row)]!;
      const less = row.map((x) => c.one(x - most));
      const logarithm = c.one(Math.log(c.sum(less.map((x) => c.one(Math.exp(x))))));
      return c.one(logarithm - less[at(targets!, lead)]!);
    });
    return { shape: [1], data: [c.mean(losses)] };
  },
  attention,
  multiHeadAttention: (c, [x, inWeight, outWeight, inBias, outBias], { heads = 1, causal }) => {
    const width = x!.shape.at(-1)!;
    const all = linear(c, [x!, inWeight!, ...(inBias ? [inBias] : [])], {});
    const lead = x!.shape.slice(0, -2);
    const depth = width / heads;
    const part = (first: number) =>
      fill([...lead, heads, x!.shape.at(-2)!, depth], (index) => {
        const [h, t, d] = index.slice(-3) as [number, number, number];
        return at(all, [...index.slice(0, -3), t, first * width + h * depth + d]);
      });
    const blended = attention(c, [part(0), part(1), part(2)], causal ? { causal } : {});
    const joined = fill(x!.shape, (index) => {
      const [t, k] = index.slice(-2) as [number, number];
      return at(blended, [...index.slice(0, -2), Math.floor(k / depth), t, k % depth]);
    });
    return linear(c, [joined, outWeight!, ...(outBias ? [outBias] : [])], {});
  },
};

/** Operations that move, choose or copy numbers: they count as none. */
export const copies: readonly string[] = [
  ...['number', 'tri', 'transpose', 'reshape', 'slice', 'concatenate', 'take', 'put'],
  ...['where', 'mask', 'embedding'],
];

type Named = readonly (string | number)[];
/** Inputs and options of an operation. */
interface Counted {
  readonly inputs: readonly Named[];
  readonly options?: Readonly<Record<string, unknown>>;
}

const [matrix, row, column] = [['T', 'D'], ['D'], ['T', 1]] as const;
const of = (options: object, ...inputs: readonly Named[]): Counted => ({
  inputs,
  options: { ...options },
});
const ofOne = [of({}, matrix), of({}, ['B', 'T', 'D']), of({}, row), of({}, [1])];
const ofTwo = [
  ...[of({}, matrix, matrix), of({}, matrix, row), of({}, column, matrix), of({}, column, row)],
  ...[of({}, [1], matrix), of({}, ['B', 1, 'D'], matrix)],
];
const reductions = [{}, { axis: 0 }, { axis: -1 }, { axis: 1, keepDims: true }, { keepDims: true }]
  .map((options) => of(options, ['B', 'T', 'D']))
  .concat(of({}, row), of({ axis: 0 }, matrix));
const along = [
  of({}, matrix),
  of({ axis: 0 }, matrix),
  of({ axis: 1 }, ['B', 'T', 'D']),
  of({}, row),
];
const [queries, keys] = [['B', '2*H', 'T', 'D'] as const, ['B', 'H', 'S', 'D'] as const];
const [three, four] = [['3*D', 'D'] as const, ['D', 'D'] as const];

/** Inputs and options of each operation for counting it. */
export const counted: Readonly<Record<string, readonly Counted[]>> = {
  number: [of({ value: 'T + 1' })],
  tri: [of({ rows: 'T' })],
  transpose: [of({}, matrix), of({ axes: [0, 2, 1] }, ['B', 'T', 'D'])],
  reshape: [of({ shape: ['T*D'] }, matrix), of({ shape: ['T', 1, 'D'] }, matrix)],
  slice: [of({ axis: 1, start: 1, stop: 2 }, ['T', 3])],
  concatenate: [of({ axis: 0 }, matrix, ['S', 'D']), of({ axis: -1 }, matrix, column, ['T', 2])],
  take: [of({ axis: 1, indices: [2, 0, 2] }, ['T', 3]), of({ indices: [] }, matrix)],
  put: [of({ places: [[0, 2], [1]] }, [3], [2], [1]), of({ places: [] }, matrix)],
  where: [of({}, matrix, column, row), of({}, [1], matrix, [1])],
  mask: [of({}, matrix), of({}, matrix, column), of({ causal: true, hidden: 0 }, matrix, row)],
  embedding: [of({}, ['T'], [3, 'D']), of({}, ['B', 'T'], [1, 'D'])],
  ...Object.fromEntries(
    ['add', 'subtract', 'multiply', 'divide', 'power', 'maximum', 'minimum', 'equal', 'notEqual']
      .concat('less', 'lessEqual', 'greater', 'greaterEqual')
      .map((name) => [name, ofTwo]),
  ),
  ...Object.fromEntries(
    ['exp', 'log', 'negate', 'sqrt', 'tanh', 'relu', 'gelu', 'silu'].map((name) => [name, ofOne]),
  ),
  ...{ sum: reductions, mean: reductions, max: reductions, min: reductions, argmax: reductions },
  runningAverage: [of({}, matrix), of({ sum: true }, matrix), of({}, ['B', 'T', 'D'])],
  ...{ softmax: along, logSoftmax: along },
  layerNorm: [of({}, matrix), of({}, matrix, row), of({}, matrix, row, row), of({}, row, row)],
  rmsNorm: [of({}, matrix), of({}, ['B', 'T', 'D'], row), of({}, ['T', 'D + 1'])],
  matmul: [
    ...[of({}, matrix, ['D', 'S']), of({}, ['B', 'T', 'D'], ['D', 'S'])],
    of({}, ['B', 1, 'T', 'D'], ['H', 'D', 'S']),
  ],
  linear: [
    of({}, matrix, ['S', 'D']),
    of({}, ['B', 'T', 'D'], ['S', 'D'], ['S']),
    of({}, row, four),
  ],
  crossEntropy: [of({}, ['T', 3], ['T']), of({}, ['B', 'T', 'D + 1'], ['B', 'T'])],
  attention: [
    ...[
      of({}, matrix, ['S', 'D'], ['S', 'H']),
      of({ causal: true }, matrix, ['S', 'D'], ['S', 'D']),
    ],
    of({ kind: 'additive', scale: 0.5 }, matrix, matrix, matrix, ['T', 'T']),
    ...[of({ scale: 2 }, queries, keys, keys), of({}, queries, keys, keys, ['T', 'S'])],
  ],
  multiHeadAttention: [
    ...[
      of({ heads: 1 }, matrix, three, four),
      of({ heads: 1, causal: true }, matrix, three, four, ['3*D']),
    ],
    of({ heads: 2 }, ['B', 'T', '2*D'], ['6*D', '2*D'], ['2*D', '2*D'], ['6*D'], ['2*D']),
  ],
};

/** The graph of one operation, `y`, with inputs `x0`, `x1` and so on. */
export function graphOf(operation: string, { inputs, options = {} }: Counted): Graph {
  const given = inputs.map((shape, i) => {
    return { name: `x${i}`, operation: 'input', inputs: [], options: { shape } };
  });
  return {
    nodes: [...given, { name: 'y', operation, inputs: given.map(({ name }) => name), options }],
  };
}

/** The index of the input that must be integers, by operation. */
export const wholeInputs: Readonly<Record<string, number>> = { embedding: 0, crossEntropy: 1 };
