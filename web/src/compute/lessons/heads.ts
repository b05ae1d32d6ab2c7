// What chapter "Heads" shows, on the core: two layers of multi-head attention with everything they make on the way,
// for a batch of two. There is no arithmetic here.
import type { AttentionCost, MultiHeadWeights, Tensor, Tril } from 'tril';
import { positions } from '../handmade/attend-heads';
import {
  divisions,
  headWidth,
  heads,
  inputs,
  layers,
  outputWeight,
  stacked,
  start,
  tableWithStart,
} from '../handmade/heads-circuit';
import { inputOf } from './attend';
import type { Answers } from '../answers';
import type { CostData, MatrixData } from '../protocol';
import { costData, download, stack, upload } from './matrices';

export interface HeadsAsk {
  /** Numbers of the tokens; the second sequence of the batch has them the other way round. */
  readonly ids: readonly number[];
  readonly writers: readonly boolean[];
  /** Which sequence is looked at: 0 or 1. */
  readonly batch: number;
}

/** One layer, of the sequence that is looked at; arrays have an entry a head. */
export interface LayerAnswer {
  /** [T, C] */
  readonly x: MatrixData;
  /** All heads side by side, [T, H D]. */
  readonly packed: Readonly<Record<'q' | 'k' | 'v', MatrixData>>;
  /** [T, D] */
  readonly queries: readonly MatrixData[];
  readonly keys: readonly MatrixData[];
  readonly values: readonly MatrixData[];
  /** [T, T] */
  readonly scores: readonly MatrixData[];
  readonly masked: readonly MatrixData[];
  readonly weights: readonly MatrixData[];
  /** What attention gives, [T, D]. */
  readonly blends: readonly MatrixData[];
  /** [T, C] */
  readonly output: MatrixData;
}

interface Division {
  /** A map a head. */
  readonly weights: readonly MatrixData[];
  /** D */
  readonly headWidth: number;
  /** How many numbers its four matrices are made of. */
  readonly parameters: number;
  /** Of the attention of all heads to one sequence, and how many scores that is. */
  readonly cost: CostData;
  readonly scores: number;
}

export interface HeadsAnswer {
  readonly layers: readonly LayerAnswer[];
  /** W_O of the first layer, [C, H D]. */
  readonly outputWeight: MatrixData;
  /** What the first head of layer 2 holds, times every token in use: [T, tokens]. */
  readonly readout: MatrixData;
  /** Layer 1 with the same projections, divided into 1, 2 and 4 heads. */
  readonly divided: readonly Division[];
  /** Of layer 1 for both sequences: four projections and the attention between them. */
  readonly cost: CostData;
}

export interface StripAnswer {
  /** For every query, its row times every key element by element: [T, D] each. */
  readonly products: readonly MatrixData[];
  /** Their sums, q · k, [T, T]. */
  readonly sums: MatrixData;
}

export interface HeadsLessons {
  heads: { ask: HeadsAsk; answer: HeadsAnswer };
  strip: { ask: { readonly q: MatrixData; readonly k: MatrixData }; answer: StripAnswer };
}

/** X of both sequences, [2, T, C]. */
function batchOf(tril: Tril, ids: readonly number[]): Tensor {
  const rows = [ids, [...ids].reverse()].map((order) => {
    const content = { kind: 'tokens', ids: [start, ...order], table: tableWithStart } as const;
    return inputOf(tril, content, positions);
  });
  const length = ids.length + 1;
  const data = new Float32Array(2 * length * inputs);
  rows.forEach((matrix, batch) => {
    for (let row = 0; row < length; ++row) {
      const entries = matrix.data.subarray(row * matrix.cols, (row + 1) * matrix.cols);
      data.set(entries, (batch * length + row) * inputs);
    }
  });
  return tril.tensor([2, length, inputs], data);
}

/** Matrices [rows, cols] of one batch of a tensor [B, ..., rows, cols]. */
function matricesOf(tensor: Tensor, batch: number): MatrixData[] {
  const [rows, cols] = tensor.shape.slice(-2);
  const data = tensor.read();
  const count = data.length / tensor.shape[0] / (rows * cols);
  return Array.from({ length: count }, (_, i) => ({
    rows,
    cols,
    data: data.slice((batch * count + i) * rows * cols, (batch * count + i + 1) * rows * cols),
  }));
}

/** Some rows of a matrix. */
function rowsOf({ cols, data }: MatrixData, from: number, count: number): MatrixData {
  return { rows: count, cols, data: data.slice(from * cols, (from + count) * cols) };
}

function attend(tril: Tril, x: Tensor, projection: MatrixData, out: MatrixData, count: number) {
  const weights: MultiHeadWeights = {
    in_proj_weight: upload(tril, projection),
    'out_proj.weight': upload(tril, out),
  };
  return tril.multiHeadAttention(x, weights, { heads: count, causal: true, trace: true });
}

function layer(
  tril: Tril,
  x: Tensor,
  projection: MatrixData,
  out: MatrixData,
  batch: number,
): { answer: LayerAnswer; output: Tensor } {
  const { output, trace } = attend(tril, x, projection, out, heads);
  const width = heads * headWidth;
  const packed = (which: number) =>
    matricesOf(tril.linear(x, upload(tril, rowsOf(projection, which * width, width))), batch)[0];
  const of = (tensor: Tensor) => matricesOf(tensor, batch);
  return {
    output,
    answer: {
      x: of(x)[0],
      packed: { q: packed(0), k: packed(1), v: packed(2) },
      queries: of(trace.queries),
      keys: of(trace.keys),
      values: of(trace.values),
      scores: of(trace.scores),
      masked: of(trace.masked),
      weights: of(trace.weights),
      blends: of(trace.heads),
      output: of(output)[0],
    },
  };
}

export function attentionCost(
  tril: Tril,
  batches: number,
  count: number,
  length: number,
): AttentionCost {
  const width = (heads * headWidth) / count;
  const sizes = { batches, heads: count, queries: length, keys: length, width };
  return tril.cost.attention({ ...sizes, causal: true, method: 'full' });
}

/** The costs of its five calls together. */
export function layerCost(tril: Tril, { shape: [batches, length, cols] }: Tensor): CostData {
  const rows = batches * length;
  const width = heads * headWidth;
  const linear = (from: number, to: number) =>
    tril.cost.linear({ rows, in: from, out: to, bias: false });
  const calls = [
    ...[1, 2, 3].map(() => linear(cols, width)),
    attentionCost(tril, batches, heads, length),
    linear(width, cols),
  ];
  return costData(tril, tril.cost.sum(calls));
}

export const headsAnswers: Answers<HeadsLessons> = {
  heads(tril, { ids, writers, batch }) {
    const x = batchOf(tril, ids);
    const out = outputWeight(writers);
    const [one, two] = layers.map(stacked);
    const first = layer(tril, x, one, out, batch);
    const second = layer(tril, tril.add(x, first.output), two, outputWeight([]), batch);
    const used = Math.max(...ids) + 1;
    const tokens = upload(tril, rowsOf(tableWithStart, 0, used));
    const [found] = second.answer.blends;
    return {
      layers: [first.answer, second.answer],
      outputWeight: out,
      readout: download(tril.matmul(upload(tril, found), tokens, { transposeB: true })),
      divided: divisions.map((count) => {
        const { weights, queries } = attend(tril, x, one, out, count).trace;
        const cost = attentionCost(tril, 1, count, x.shape[1]);
        return {
          weights: matricesOf(weights, batch),
          headWidth: queries.shape.at(-1)!,
          parameters: one.data.length + out.data.length,
          cost: costData(tril, cost),
          scores: cost.scores,
        };
      }),
      cost: layerCost(tril, x),
    };
  },

  strip(tril, { q, k }) {
    const [queries, keys] = [upload(tril, q), upload(tril, k)];
    const products = tril.multiply(tril.tensor([q.rows, 1, q.cols], q.data), keys);
    const sums = tril.matmul(queries, keys, { transposeB: true });
    return { products: stack(products), sums: download(sums) };
  },
};
