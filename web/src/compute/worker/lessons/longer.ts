// The answers of chapter "Longer", computed by the core. There is no arithmetic here.
import type { Mask, Tensor } from 'tril';
import { run, type Graph } from 'tril/graph';
import type { LessonsTril as Tril } from 'tril/lessons';
import { headOf } from './attend';
import { allNumbers, type NodeValues } from './graph';
import type { Answers } from '../answers';
import type { AttendRequest, MatrixData } from '../../page/protocol';
import { ordersGraphs, type FeatureMap } from '../../shared/handmade/linear-graph';
import { download, ones, stack, upload } from '../../shared/lessons/matrices';

/** Source of Q, K and V: random numbers, or a head of chapter Attend on tokens. */
export type Given =
  | {
      readonly kind: 'random';
      readonly seed: number;
      readonly tokens: number;
      readonly width: number;
    }
  | { readonly kind: 'head'; readonly request: AttendRequest };

export interface Replaced {
  readonly matrix: 'q' | 'k' | 'v';
  readonly row: number;
  readonly col: number;
  readonly value: number;
}

export interface Inputs {
  readonly q: MatrixData;
  readonly k: MatrixData;
  readonly v: MatrixData;
}

export type MaskKind = 'none' | 'causal' | 'window' | 'strided';

/** Keys that the pattern masks leave visible, besides being causal. */
export const patterns = { window: { left: 2 }, strided: { local: 2, stride: 4 } } as const;

export interface OnlineSteps extends Inputs {
  /** Scaled scores, -inf where the mask hides: full attention holds all of them at once. */
  readonly masked: MatrixData;
  /** [T, N] after each of the N blocks of keys. */
  readonly maximum: MatrixData;
  readonly sum: MatrixData;
  readonly factor: MatrixData;
  /** The output after each block of keys, [T, Dv], not yet divided. */
  readonly partial: readonly MatrixData[];
  /** The sum and the output before each block, times its factor: the block's terms are added to them. */
  readonly rescaled: { readonly sum: MatrixData; readonly partial: readonly MatrixData[] };
  /** A row for each block of queries, [Q, N]: 1, or 0 where the block was skipped. */
  readonly visited: MatrixData;
  readonly output: MatrixData;
  /** Maximum difference from the output of full attention. */
  readonly apart: number;
  /** Bytes held at once. */
  readonly held: { readonly full: number; readonly online: number };
}

interface OrderFlops {
  readonly scoresFirst: number;
  readonly valuesFirst: number;
}

/** Plain products in the two orders, and the weights of softmax and of feature maps. */
export interface LinearOrders {
  readonly graph: Graph;
  readonly values: NodeValues;
  readonly flops: OrderFlops;
  /** Maximum difference between the results of the two orders. */
  readonly apart: number;
  /** Norm of the difference of the two outputs, divided by that of softmax's. */
  readonly wrong: number;
}

export interface RankResult extends Pick<Inputs, 'q' | 'k'> {
  readonly weights: MatrixData;
  /** Singular values, [1, T], their shares of the sum, and cumulative shares. */
  readonly values: MatrixData;
  readonly shares: MatrixData;
  readonly sums: MatrixData;
  /** Attention to `rank` averages of neighbouring keys: relative distance of the output. */
  readonly pooled: readonly { readonly rank: number; readonly wrong: number }[];
}

export interface LongerLessons {
  online: {
    ask: {
      readonly given: Given;
      readonly edits: readonly Replaced[];
      readonly mask: MaskKind;
      readonly queries: number;
      readonly keys: number;
    };
    answer: OnlineSteps;
  };
  linear: {
    ask: {
      readonly given: Given;
      readonly edits: readonly Replaced[];
      readonly map: FeatureMap;
    };
    answer: LinearOrders;
  };
  /** Operations of the plain product of one head, by the order of multiplication. */
  orders: {
    ask: { readonly tokens: number; readonly width: number };
    answer: OrderFlops;
  };
  rank: {
    ask: { readonly given: Given; readonly ranks: readonly number[] };
    answer: RankResult;
  };
}

export function maskOf({ mask }: Tril, kind: MaskKind): { mask: Mask } | Record<string, never> {
  switch (kind) {
    case 'none':
      return {};
    case 'causal':
      return { mask: mask.causal() };
    case 'window':
      return { mask: mask.and(mask.causal(), mask.window(patterns.window)) };
    case 'strided':
      return { mask: mask.and(mask.causal(), mask.strided(patterns.strided)) };
  }
}

export function inputs(tril: Tril, given: Given, edits: readonly Replaced[]): Inputs {
  const [q, k, v] =
    given.kind === 'random'
      ? stack(tril.randomNormal([3, given.tokens, given.width], { seed: given.seed }))
      : tril.scope(() => {
          const { Q, K, V } = headOf(tril, given.request);
          return [Q, K, V].map(download);
        });
  const all = { q, k, v };
  for (const { matrix, row, col, value } of edits) {
    const { rows, cols, data } = all[matrix];
    if (row < rows && col < cols) data[row * cols + col] = value;
  }
  return all;
}

const tensors = (tril: Tril, { q, k, v }: Inputs) => [q, k, v].map((one) => upload(tril, one));

/** [T, D] as one batch of one head. */
export function asHead(tril: Tril, { rows, cols, data }: MatrixData): Tensor {
  return tril.tensor([1, 1, rows, cols], data);
}

/** Columns moved one to the right, with zeros in the first: the values before each block. */
function shifted({ rows, cols, data }: MatrixData): MatrixData {
  const before = new Float32Array(rows * cols);
  for (let row = 0; row < rows; ++row) {
    before.set(data.subarray(row * cols, (row + 1) * cols - 1), row * cols + 1);
  }
  return { rows, cols, data: before };
}

function columnOf({ rows, cols, data }: MatrixData, col: number): MatrixData {
  const column = Float32Array.from({ length: rows }, (_, row) => data[row * cols + col]);
  return { rows, cols: 1, data: column };
}

/** The values before each block, times its factor. */
function rescaledOf(tril: Tril, factor: MatrixData, sum: MatrixData, partial: MatrixData[]) {
  const product = (one: MatrixData, other: MatrixData) =>
    download(tril.multiply(upload(tril, one), upload(tril, other)));
  const [{ rows, cols }] = partial;
  const nothing: MatrixData = { rows, cols, data: new Float32Array(rows * cols) };
  return {
    sum: product(shifted(sum), factor),
    partial: partial.map((_, step) =>
      product(step === 0 ? nothing : partial[step - 1], columnOf(factor, step)),
    ),
  };
}

function online(tril: Tril, ask: LongerLessons['online']['ask']): OnlineSteps {
  const given = inputs(tril, ask.given, ask.edits);
  const [q, k, v] = [given.q, given.k, given.v].map((one) => asHead(tril, one));
  const options = maskOf(tril, ask.mask);
  const full = tril.attention(q, k, v, { ...options, method: 'full', trace: true });
  const blocks = { queries: ask.queries, keys: ask.keys };
  const { output, trace } = tril.onlineAttention(q, k, v, { ...options, blocks, trace: true });
  const { rows, cols } = given.v;
  const sizes = {
    queries: given.q.rows,
    keys: given.k.rows,
    width: given.q.cols,
    valueWidth: cols,
  };
  const costs = { ...sizes, ...options };
  const steps = trace.maximum.shape.at(-1)!;
  const kept = trace.partial.read();
  // [T, N, Dv], one for each step
  const partial = Array.from({ length: steps }, (_, step): MatrixData => {
    const data = new Float32Array(rows * cols);
    for (let row = 0; row < rows; ++row) {
      const from = (row * steps + step) * cols;
      data.set(kept.subarray(from, from + cols), row * cols);
    }
    return { rows, cols, data };
  });
  const [sum, factor] = [download(trace.sum), download(trace.factor)];
  return {
    ...given,
    masked: download(full.trace.masked),
    maximum: download(trace.maximum),
    ...{ sum, factor, partial, rescaled: rescaledOf(tril, factor, sum, partial) },
    visited: download(trace.visited),
    output: download(output),
    apart: tril.compare(full.output, output).maxAbsolute,
    held: {
      full: tril.cost.attention({ ...costs, method: 'full' }).heldBytes,
      online: tril.cost.attention({ ...costs, method: 'online', blocks }).heldBytes,
    },
  };
}

function orders(tril: Tril, { tokens, width }: LongerLessons['orders']['ask']): OrderFlops {
  const sizes = { queries: tokens, keys: tokens, width };
  const plain = { featureMap: 'identity', normalise: false } as const;
  const flops = (order: 'scores_first' | 'values_first') =>
    tril.cost.linearAttention({ ...sizes, ...plain, order }).flops;
  return { scoresFirst: flops('scores_first'), valuesFirst: flops('values_first') };
}

function linear(tril: Tril, { given, edits, map }: LongerLessons['linear']['ask']): LinearOrders {
  const made = inputs(tril, given, edits);
  const [Q, K, V] = tensors(tril, made);
  const [q, k, v] = [made.q, made.k, made.v].map((one) => asHead(tril, one));
  const soft = tril.attention(q, k, v, { trace: true });
  const other = tril.linearAttention(q, k, v, {
    featureMap: map,
    order: 'scores_first',
    needWeights: true,
  });
  const graph = ordersGraphs[map];
  const values = run(tril, graph, { Q, K, V });
  const weightsOf = (tensor: Tensor) => tril.reshape(tensor, values.scores.shape);
  const weights = { soft: weightsOf(soft.trace.weights), features: weightsOf(other.weights) };
  return {
    ...{ graph, values: allNumbers({ ...values, ...weights }) },
    flops: orders(tril, { tokens: made.q.rows, width: made.q.cols }),
    apart: tril.compare(values.left, values.right).maxAbsolute,
    wrong: tril.compare(soft.output, other.output).relative,
  };
}

/** Each element's share of their sum, [1, T]. */
function sharesOf(tril: Tril, values: Tensor): Tensor {
  const row = tril.tensor([1, values.size], values.read());
  return tril.divide(row, tril.matmul(row, ones(tril, values.size, 1)));
}

/** The matrix E with `rank` averages of neighbouring keys. */
export function pooling(tril: Tril, rank: number, keys: number): Tensor {
  const each = Math.ceil(keys / rank);
  const data = new Float32Array(rank * keys).fill(-Infinity);
  for (let key = 0; key < keys; ++key) data[Math.floor(key / each) * keys + key] = 0;
  return tril.softmax(tril.tensor([rank, keys], data));
}

function rank(tril: Tril, { given, ranks }: LongerLessons['rank']['ask']): RankResult {
  const made = inputs(tril, given, []);
  const [q, k, v] = [made.q, made.k, made.v].map((one) => asHead(tril, one));
  const plain = tril.attention(q, k, v, { trace: true });
  const weights = download(plain.trace.weights);
  const values = tril.singularValues(upload(tril, weights));
  const shares = sharesOf(tril, values);
  const column = tril.tensor([1, values.size, 1], shares.read());
  const sums = tril.runningAverage(column, { sum: true }).output;
  return {
    ...{ q: made.q, k: made.k, weights },
    values: { rows: 1, cols: values.size, data: values.read() },
    shares: download(shares),
    sums: { rows: 1, cols: values.size, data: sums.read() },
    pooled: ranks
      .filter((one) => one <= weights.cols)
      .map((one) => {
        const e = pooling(tril, one, weights.cols);
        const { output } = tril.lowRankAttention(q, k, v, { e, f: e });
        return { rank: one, wrong: tril.compare(plain.output, output).relative };
      }),
  };
}

export const longerAnswers: Answers<LongerLessons> = { online, linear, orders, rank };
