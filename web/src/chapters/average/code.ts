// This chapter's figures as programs elsewhere.
import type { AverageMethod } from 'tril';
import type { MatrixData } from '../../compute/protocol';
import { literal } from '../../figures/code';
import { programs } from '../../figures/program';

interface Averages {
  readonly x: MatrixData;
  readonly sums: boolean;
  /** What the mask hides with. */
  readonly hidden: number;
  /** Of the last of the three ways that there is. */
  readonly output: MatrixData;
  readonly method: AverageMethod;
}

const cppNumber = (value: number) =>
  Number.isFinite(value) ? `static_cast<float>(${literal(value)})` : '-INFINITY';

export function averageCode({ x, sums, hidden, output, method }: Averages) {
  const given = {
    about: sums
      ? 'Running sums: by loops, and by a triangular matrix'
      : 'Running averages: by loops, by a triangular matrix, by softmax of a mask',
    inputs: { x },
    expected: output,
  };
  const methods = ['loops', 'matrix', ...(sums ? [] : ['softmax'])];
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: (
          p,
        ) => `loops = ${p.lib}.stack([x[:t + 1].${sums ? 'sum' : 'mean'}(${p.either('axis', 'dim')}=0) for t in range(len(x))])
L = ${p.either('np.tri(len(x), dtype=np.float32)', 'torch.ones(len(x), len(x)).tril()')}
matrix = L ${sums ? '' : `/ L.sum(${p.kept}) `}@ x`,
        cpp: `// A batch of one sequence: [1, T, C].
const tril::TensorView<const float, 3> batch(x.data(), {1, ${x.rows}, ${x.cols}});
tril::Buffer<float, 3> ${methods.map((name) => `${name}(batch.shape())`).join(', ')};
using Method = tril::AverageMethod;
${methods
  .map((name) => {
    const option = name === 'softmax' ? `hidden = ${cppNumber(hidden)}` : `sum = ${sums}`;
    return `tril::running_average(batch, {.method = Method::${name}, .${option}}, ${name});`;
  })
  .join('\n')}`,
      }),
      !sums &&
        say.by({
          python: (p) => `M = ${p.lib}.where(L == 1, 0.0, ${literal(hidden)})
by_softmax = ${p.softmaxOf('M')} @ x`,
        }),
    ],
    result: { python: method === 'softmax' ? 'by_softmax' : method, cpp: `${method}.view()[0]` },
  }));
}

const row = (values: readonly number[]): MatrixData => ({
  rows: 1,
  cols: values.length,
  data: Float32Array.from(values),
});

interface Blend {
  readonly series: readonly number[];
  /** Scores, or weights as they are. */
  readonly given: readonly number[];
  readonly free: boolean;
  readonly blend: number;
}

export function seriesCode({ series, given: numbers, free, blend }: Blend) {
  const given = {
    about: free ? 'A blend of a series by any weights' : 'A blend of a series by softmax of scores',
    inputs: { series: row(series), [free ? 'weights' : 'scores']: row(numbers) },
    expected: row([blend]),
  };
  return programs(given, (say) => ({
    steps: [
      free ? say.by({ python: 'print(weights.sum())' }) : say.softmax('weights', 'scores'),
      say.product('blend', 'weights', 'series', 'b'),
    ],
    result: 'blend',
  }));
}
