// The answers of chapter "Heads", computed by the core: two layers of multi-head attention with all intermediate
// values. There is no arithmetic here.
import type { Tensor, Tril } from 'tril';
import { run } from 'tril/graph';
import { positions } from '../../shared/handmade/attend-heads';
import {
  divisions,
  headWidth,
  inputs,
  layers,
  outputWeight,
  stacked,
  start,
  tableWithStart,
} from '../../shared/handmade/heads-circuit';
import { layerGraph, mapsGraph } from '../../shared/handmade/heads-graph';
import { inputOf } from './attend';
import { allNumbers, type NodeValues } from './graph';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { download, stack, upload } from '../../shared/lessons/matrices';

export interface HeadsAsk {
  /** Ids of the tokens; the second sequence of the batch has them in reverse order. */
  readonly ids: readonly number[];
  readonly writers: readonly boolean[];
  /** The sequence shown: 0 or 1. */
  readonly batch: number;
}

interface Division {
  /** One matrix for each head. */
  readonly weights: readonly MatrixData[];
  /** D */
  readonly headWidth: number;
  /** Number of parameters of its four matrices. */
  readonly parameters: number;
  /** Number of scores of all heads for one sequence. */
  readonly scores: number;
}

export interface HeadsAnswer {
  /** All values of the graph for the sequence shown, layer by layer. */
  readonly layers: readonly NodeValues[];
  /** Output of the first head of layer 2, times every token in use: [T, tokens]. */
  readonly readout: MatrixData;
  /** Layer 1 with the same projections, divided into 1, 2 and 4 heads. */
  readonly divided: readonly Division[];
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

/** X of the sequence shown: the columns "before" are still empty. */
function inputOfHeads(tril: Tril, { ids, batch }: HeadsAsk): Tensor {
  const order = batch === 0 ? ids : [...ids].reverse();
  const content = { kind: 'tokens', ids: [start, ...order], table: tableWithStart } as const;
  const x = inputOf(tril, content, positions);
  return tril.concatenate([x, tril.zeros([x.shape[0], inputs - x.shape[1]])], { axis: -1 });
}

/** Some rows of a matrix. */
function rowsOf({ cols, data }: MatrixData, from: number, count: number): MatrixData {
  return { rows: count, cols, data: data.slice(from * cols, (from + count) * cols) };
}

export const headsAnswers: Answers<HeadsLessons> = {
  heads(tril, ask) {
    const X = inputOfHeads(tril, ask);
    const [W_in, upper] = layers.map((layer) => upload(tril, stacked(layer)));
    const [W_O, none] = [ask.writers, []].map((writers) => upload(tril, outputWeight(writers)));
    const first = run(tril, layerGraph, { X, W_in, W_O });
    const Y = tril.add(X, first.output);
    const second = run(tril, layerGraph, { X: Y, W_in: upper, W_O: none });
    const maps = run(tril, mapsGraph, { X, W_in });
    const tokens = upload(tril, rowsOf(tableWithStart, 0, Math.max(...ask.ids) + 1));
    const found = tril.reshape(tril.slice(second.blends, [[0, 1]]), [X.shape[0], headWidth]);
    return {
      layers: [first, second].map(allNumbers),
      readout: download(tril.matmul(found, tokens, { transposeB: true })),
      divided: divisions.map((count) => {
        const [, queries, width] = maps[`q_${count}`].shape;
        return {
          weights: stack(maps[`weights_${count}`]),
          headWidth: width,
          parameters: W_in.size + W_O.size,
          scores: tril.cost.attention({ heads: count, queries, keys: queries, width }).scores,
        };
      }),
    };
  },

  strip(tril, { q, k }) {
    const [queries, keys] = [upload(tril, q), upload(tril, k)];
    const products = tril.multiply(tril.tensor([q.rows, 1, q.cols], q.data), keys);
    const sums = tril.matmul(queries, keys, { transposeB: true });
    return { products: stack(products), sums: download(sums) };
  },
};
