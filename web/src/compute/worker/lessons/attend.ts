// One attention head on the core, every intermediate read back. There is no arithmetic here.
import type { Tensor, Tril } from 'tril';
import type { Answers } from '../answers';
import type { AttendRequest, AttendResult, Content, MatrixData } from '../../page/protocol';
import { download, upload } from '../../shared/lessons/matrices';

export interface AttendLessons {
  attend: { ask: AttendRequest; answer: AttendResult };
}

function contentOf(tril: Tril, content: Content): MatrixData {
  if (content.kind === 'numbers') return content.numbers;
  return download(tril.embedding(content.ids, upload(tril, content.table)));
}

/** X = [ 1 | content | position ], put together column by column. */
export function inputOf(
  tril: Tril,
  content: Content,
  positions: AttendRequest['positions'],
): MatrixData {
  const left = contentOf(tril, content);
  const { width, wavelength, ratio } = positions;
  const right = download(tril.sinusoidalPositions(left.rows, width, { wavelength, ratio }));
  const cols = 1 + left.cols + width;
  const data = new Float32Array(left.rows * cols);
  for (let row = 0; row < left.rows; ++row) {
    const joined = data.subarray(row * cols, (row + 1) * cols);
    joined[0] = 1;
    joined.set(left.data.subarray(row * left.cols, (row + 1) * left.cols), 1);
    joined.set(right.data.subarray(row * width, (row + 1) * width), 1 + left.cols);
  }
  return { rows: left.rows, cols, data };
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

/** [T, D] as one batch of one head. */
function asHead(tril: Tril, matrix: Tensor): Tensor {
  return tril.tensor([1, 1, ...matrix.shape], matrix.read());
}

export function attend(tril: Tril, request: AttendRequest): AttendResult {
  return tril.scope(() => {
    const begin = performance.now();
    const x = upload(tril, inputOf(tril, request.content, request.positions));
    const [wq, wk, wv] = (['q', 'k', 'v'] as const).map((name) =>
      upload(tril, request.weights[name]),
    );
    const [q, k, v] = [wq, wk, wv].map((weight) => tril.linear(x, weight));
    const scores = tril.matmul(q, k, { transposeB: true });
    const heads = [q, k, v].map((matrix) => asHead(tril, matrix));
    const { output, trace } = tril.attention(heads[0], heads[1], heads[2], {
      causal: request.causal,
      trace: true,
    });
    const weights = download(trace.weights);
    const ones = tril.tensor([weights.cols, 1], new Float32Array(weights.cols).fill(1));
    const rowSums = tril.matmul(upload(tril, weights), ones);
    const outputRows = download(output);
    return {
      matrices: {
        x: download(x),
        wq: request.weights.q,
        wk: request.weights.k,
        wv: request.weights.v,
        q: download(q),
        k: download(k),
        v: download(v),
        scores: download(scores),
        scaled: download(trace.scores),
        masked: download(trace.masked),
        weights,
        output: outputRows,
      },
      rowSums: download(rowSums),
      readout: readout(tril, upload(tril, outputRows), request),
      milliseconds: performance.now() - begin,
    };
  });
}

export const attendAnswers: Answers<AttendLessons> = { attend };
