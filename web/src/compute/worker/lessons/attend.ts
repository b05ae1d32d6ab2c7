// One attention head on the core, every intermediate read back. There is no arithmetic here.
import type { Tensor, Tril } from 'tril';
import { run, type Graph, type GraphValues } from 'tril/graph';
import type { Answers } from '../answers';
import type { AttendRequest, Content, MatrixData } from '../../page/protocol';
import { attendGraphs } from '../../shared/handmade/attend-graph';
import { download, ones, upload } from '../../shared/lessons/matrices';
import { allNumbers, type NodeValues } from './graph';

export interface AttendResult {
  readonly graph: Graph;
  readonly values: NodeValues;
  /** Sum of every row of weights, [T, 1]. */
  readonly rowSums: MatrixData;
  /** output times the table's rows in use, [T, distinct tokens]: the amount of each token in it. */
  readonly readout: MatrixData | null;
}

export interface AttendLessons {
  attend: { ask: AttendRequest; answer: AttendResult };
}

/** X = [ 1 | content | position ]. */
export function inputOf(
  tril: Tril,
  content: Content,
  { width, wavelength, ratio }: AttendRequest['positions'],
): Tensor {
  const middle =
    content.kind === 'numbers'
      ? upload(tril, content.numbers)
      : tril.embedding(content.ids, upload(tril, content.table));
  const [rows] = middle.shape;
  const right = tril.sinusoidalPositions(rows, width, { wavelength, ratio });
  return tril.concatenate([ones(tril, rows, 1), middle, right], { axis: -1 });
}

const graphOf = (causal: boolean) => attendGraphs[causal ? 'causal' : 'unmasked'];

/** The values of the head's graph. Those after the scores come from one call of attention, which reads no hidden key. */
export function headOf(
  tril: Tril,
  { content, positions, weights, causal }: AttendRequest,
): GraphValues {
  const [W_Q, W_K, W_V] = [weights.q, weights.k, weights.v].map((one) => upload(tril, one));
  const X = inputOf(tril, content, positions);
  const values = run(tril, graphOf(causal), { X, W_Q, W_K, W_V });
  const { Q, K, V } = values;
  const { output, trace } = tril.attention(Q, K, V, { causal, trace: true });
  const { scores: scaled, masked, weights: shares } = trace;
  return { ...values, scaled, ...(causal && { masked }), weights: shares, output };
}

/** How much of each token's value is in each output row: only the tokens in use. */
function readout(
  tril: Tril,
  output: Tensor,
  { content, positions, weights }: AttendRequest,
): MatrixData | null {
  if (content.kind !== 'tokens') return null;
  const { cols, data } = content.table;
  if (output.shape.at(-1) !== cols) return null;
  const used = Math.max(...content.ids) + 1;
  const rows = Array.from({ length: used }, (_, id) => [
    ...[0, ...data.subarray(id * cols, (id + 1) * cols)],
    ...Array<number>(positions.width).fill(0),
  ]);
  const values = tril.linear(tril.tensor(rows), upload(tril, weights.v));
  return download(tril.matmul(output, values, { transposeB: true }));
}

export const attendAnswers: Answers<AttendLessons> = {
  attend(tril, request) {
    const values = headOf(tril, request);
    return {
      ...{ graph: graphOf(request.causal), values: allNumbers(values) },
      rowSums: download(tril.sum(values.weights, { axis: -1, keepDims: true })),
      readout: readout(tril, values.output, request),
    };
  },
};
