// This chapter's figures as programs elsewhere.
import type { AverageMethod } from 'tril';
import type { MatrixData } from '../../compute/protocol';
import { cppProgram, literal, numpyProgram, torchProgram } from '../../figures/code';

interface Averages {
  readonly x: MatrixData;
  readonly sums: boolean;
  /** What the mask hides with. */
  readonly hidden: number;
  /** Of the last of the three ways that there is. */
  readonly output: MatrixData;
  readonly method: AverageMethod;
}

export function averageCode({ x, sums, hidden, output, method }: Averages) {
  const about = sums
    ? 'Running sums: by loops, and by a triangular matrix'
    : 'Running averages: by loops, by a triangular matrix, by softmax of a mask';
  const python = { about, inputs: { x }, expected: output };
  return {
    numpy: () =>
      numpyProgram({
        ...python,
        steps: `loops = np.array([x[:t + 1].${sums ? 'sum' : 'mean'}(axis=0) for t in range(len(x))])
L = np.tri(len(x), dtype=np.float32)
${
  sums
    ? 'matrix = L @ x'
    : `matrix = L / L.sum(axis=1, keepdims=True) @ x
M = np.where(L == 1, 0, np.float32(${literal(hidden)}))
powers = np.exp(M)
softmax = powers / powers.sum(axis=1, keepdims=True) @ x`
}`,
        result: method,
      }),
    pytorch: () =>
      torchProgram({
        ...python,
        steps: `loops = torch.stack([x[:t + 1].${sums ? 'sum' : 'mean'}(dim=0) for t in range(len(x))])
L = torch.ones(len(x), len(x)).tril()
${
  sums
    ? 'matrix = L @ x'
    : `matrix = L / L.sum(dim=1, keepdim=True) @ x
softmax = torch.zeros_like(L).masked_fill(L == 0, ${literal(hidden)}).softmax(dim=1) @ x`
}`,
        result: method,
      }),
    cpp: () =>
      cppProgram({
        about,
        inputs: { x },
        uses: ['lessons/running_average'],
        steps: `// A batch of one sequence: [1, T, C].
const tril::TensorView<const float, 3> batch(x.data(), {1, ${x.rows}, ${x.cols}});
tril::Buffer<float, 3> loops(batch.shape()), matrix(batch.shape())${sums ? '' : ', softmax(batch.shape())'};
using Method = tril::AverageMethod;
tril::running_average(batch, {.method = Method::loops, .sum = ${sums}}, loops, scratch, parallel);
tril::running_average(batch, {.method = Method::matrix, .sum = ${sums}}, matrix, scratch, parallel);${
          sums
            ? ''
            : `
tril::running_average(batch, {.method = Method::softmax, .hidden = ${cppNumber(hidden)}}, softmax, scratch,
                      parallel);`
        }`,
        result: `${method}.view()[0]`,
        expected: output,
      }),
  };
}

const cppNumber = (value: number) =>
  Number.isFinite(value) ? `static_cast<float>(${literal(value)})` : '-INFINITY';

const row = (values: readonly number[]): MatrixData => ({
  rows: 1,
  cols: values.length,
  data: Float32Array.from(values),
});

export interface Blend {
  readonly series: readonly number[];
  /** Scores, or weights as they are. */
  readonly given: readonly number[];
  readonly free: boolean;
  readonly blend: number;
}

export function seriesCode({ series, given, free, blend }: Blend) {
  const about = free
    ? 'A blend of a series by any weights'
    : 'A blend of a series by softmax of scores';
  const expected = row([blend]);
  const python = {
    about,
    inputs: { series: row(series), [free ? 'weights' : 'scores']: row(given) },
    expected,
    result: 'weights @ series.T',
  };
  return {
    numpy: () =>
      numpyProgram({
        ...python,
        steps: free
          ? 'print(weights.sum())'
          : `powers = np.exp(scores - scores.max())
weights = powers / powers.sum()`,
      }),
    pytorch: () =>
      torchProgram({
        ...python,
        steps: free ? 'print(weights.sum())' : 'weights = scores.softmax(dim=1)',
      }),
    cpp: () =>
      cppProgram({
        about,
        inputs: python.inputs,
        uses: ['layers/softmax', 'matmul/matmul'],
        steps: `${
          free
            ? ''
            : `tril::Buffer<float, 2> weights(scores.shape());
tril::softmax(scores, {}, weights, parallel);
`
        }tril::Buffer<float, 2> blend({1, 1});
tril::matmul(${free ? 'weights' : 'weights.view()'}, series, {.transpose_b = true}, blend, scratch, parallel);`,
        result: 'blend.view()',
        expected,
      }),
  };
}
