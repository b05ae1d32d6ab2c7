// Two layers of four heads each, written by hand. These entries are inputs; all that is made of them is the core's.
//
// X = [ 1 | who | where | before ], T x 19: chapter 3's columns, and six that are empty until a head of layer 1
// writes into them. The first token is a start sign that is nobody: its "who" is zeros.
//   layer 1   the four heads of chapter 3; each may write the "who" that it has found into "before"
//   layer 2   three that match one of who, before with another, and the previous token again. With the previous
//             token's identity in "before", a query's "who" finds the keys that came after its like: an induction
//             head (Elhage et al. 2021), which then holds the "who" of what followed last time.
//
// A match is of the last two digits of a token's number, a compass hand each; the hand of the first digit
// stands still for numbers below 16 and makes room for a constant:
//   key[1] = from[1] + sink (1 - who[1])     1 for a token after a token; sink for the start sign
// so a full match scores 3, the start sign 2.5, all else 2 at most, times gain / sqrt(6).
import type { MatrixData } from '../../page/protocol';
import { contentWidth, headWeights, positions, table, type HeadWeights } from './attend-heads';

export const heads = 4;
export const headWidth = positions.width;
/** Into how many heads the same weights are divided, to compare. */
export const divisions = [1, 2, heads] as const;
const constant = 0;
const who = 1;
const where = who + contentWidth;
const before = where + positions.width;
/** Width of X. */
export const inputs = before + contentWidth;

export const groups = [
  { id: 'one', from: constant, count: 1 },
  { id: 'who', from: who, count: contentWidth },
  { id: 'where', from: where, count: positions.width },
  { id: 'before', from: before, count: contentWidth },
] as const;

/** The tokens' table, and a last row of zeros for the start sign. */
export const start = table.rows;
export const tableWithStart: MatrixData = {
  rows: table.rows + 1,
  cols: table.cols,
  data: Float32Array.from([...table.data, ...Array<number>(table.cols).fill(0)]),
};

const firstHeads = ['previous', 'same', 'first', 'average'] as const;
export const circuitHeads = [firstHeads, ['induction', 'echo', 'context', 'previous']] as const;

const gain = 24;
const sink = 2.5;

function empty(rows: number, cols: number): MatrixData & { readonly data: Float32Array } {
  return { rows, cols, data: new Float32Array(rows * cols) };
}

/** Chapter 3's weights for the wider X: the new columns are not looked at. */
function widened(weight: MatrixData): MatrixData {
  const wide = empty(weight.rows, inputs);
  for (let row = 0; row < weight.rows; ++row) {
    wide.data.set(weight.data.subarray(row * weight.cols, (row + 1) * weight.cols), row * inputs);
  }
  return wide;
}

/** Queries by the columns from `asks` on, keys by those from `shows` on, values who the key is. */
function matching(asks: number, shows: number): HeadWeights {
  const [wq, wk, wv] = [
    empty(headWidth, inputs),
    empty(headWidth, inputs),
    empty(headWidth, inputs),
  ];
  wq.data[inputs + constant] = gain;
  wk.data[inputs + constant] = sink;
  wk.data[inputs + who + 1] = -sink;
  wk.data[inputs + shows + 1] += 1;
  for (let i = 2; i < headWidth; ++i) {
    wq.data[i * inputs + asks + i] = gain;
    wk.data[i * inputs + shows + i] = 1;
  }
  for (let i = 0; i < headWidth; ++i) wv.data[i * inputs + who + i] = 1;
  return { wq, wk, wv };
}

function known(head: (typeof firstHeads)[number]): HeadWeights {
  const { wq, wk, wv } = headWeights(head, contentWidth, true);
  return { wq: widened(wq), wk: widened(wk), wv: widened(wv) };
}

export const layers: readonly (readonly HeadWeights[])[] = [
  firstHeads.map(known),
  [matching(who, before), matching(before, who), matching(before, before), known('previous')],
];

/** The projections of all heads, one below the other, as in_proj_weight has them: [3 H D, C]. */
export function stacked(layer: readonly HeadWeights[]): MatrixData {
  const parts = (['wq', 'wk', 'wv'] as const).flatMap((id) => layer.map((head) => head[id].data));
  return {
    rows: 3 * heads * headWidth,
    cols: inputs,
    data: Float32Array.from(parts.flatMap((part) => [...part])),
  };
}

/** W_O, [C, H D]: what the heads that write have found goes into "before". */
export function outputWeight(writers: readonly boolean[]): MatrixData {
  const weight = empty(inputs, heads * headWidth);
  writers.forEach((writes, head) => {
    if (!writes) return;
    for (let i = 0; i < headWidth; ++i) {
      weight.data[(before + i) * weight.cols + head * headWidth + i] = 1;
    }
  });
  return weight;
}
