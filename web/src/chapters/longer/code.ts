// The figures of this chapter as programs elsewhere.
import type { LinearOrders, OnlineSteps, RankResult } from '../../compute/lessons/longer';
import type { MatrixData } from '../../compute/protocol';
import { cppProgram, numpyProgram, torchProgram, type Program } from '../../figures/code';
import type { Sizes } from './online';

interface Given {
  readonly q: MatrixData;
  readonly k: MatrixData;
  readonly v: MatrixData;
  readonly mask: MatrixData;
}

/** 0 where a query may look, -inf where not: the mask as it is, for every kind. */
function hiding({ rows, cols, data }: MatrixData): MatrixData {
  return { rows, cols, data: data.map((score) => (score === -Infinity ? -Infinity : 0)) };
}

/** Of one batch and one head. */
function cppSteps({ q, k, v, mask }: Given, { queries, keys }: Sizes): string {
  const head = ({ rows, cols }: MatrixData) => `{1, 1, ${rows}, ${cols}}`;
  const view = (name: string, of: MatrixData) =>
    `const tril::TensorView<const float, 4> ${name}_head(${name}_numbers, ${head(of)});`;
  return `${view('q', q)}
${view('k', k)}
${view('v', v)}
const tril::TensorView<const float, 4> hides(mask_numbers, ${head(mask)});
tril::Buffer<float, 4> made({1, 1, ${q.rows}, ${v.cols}});
const tril::TensorView<float, 4> output = made.view();
tril::AttentionOptions options;
options.mask = tril::Mask::additive(hides);
tril::online_attention(q_head, k_head, v_head, options, {.queries = ${queries}, .keys = ${keys}},
                       output, scratch, parallel);`;
}

export function codeOf(run: OnlineSteps, sizes: Sizes) {
  const about =
    'Attention by online softmax: a block of keys at a time, with a running maximum and sum';
  const inputs = { q: run.q, k: run.k, v: run.v, mask: hiding(run.masked) };
  const python = (library: 'np' | 'torch'): string => {
    const numpy = library === 'np';
    const full = numpy ? 'np.full((len(q), 1), -inf, np.float32)' : 'torch.full((len(q), 1), -inf)';
    const zeros = numpy ? 'np.zeros_like(maximum)' : 'torch.zeros_like(maximum)';
    const out = numpy
      ? 'np.zeros((len(q), v.shape[1]), np.float32)'
      : 'torch.zeros(len(q), v.shape[1])';
    const larger = numpy
      ? 'np.maximum(maximum, scores.max(1, keepdims=True))'
      : 'torch.maximum(maximum, scores.amax(1, keepdim=True))';
    const finite = numpy
      ? 'np.where(larger == -inf, 0, larger)'
      : 'larger.masked_fill(larger == -inf, 0)';
    const keep = numpy ? 'keepdims' : 'keepdim';
    return `maximum = ${full}
total = ${zeros}
output = ${out}
for first in range(0, len(k), ${sizes.keys}):
    block = slice(first, first + ${sizes.keys})
    scores = q @ k[block].T / q.shape[1] ** 0.5 + mask[:, block]
    larger = ${larger}
    shift = ${finite}  # rows that have seen nothing yet
    factor = ${library}.exp(maximum - shift)
    powers = ${library}.exp(scores - shift)
    total = total * factor + powers.sum(1, ${keep}=True)
    output = output * factor + powers @ v[block]
    maximum = larger`;
  };
  const expected = run.output;
  const program = (steps: string, result: string): Program => ({
    about,
    inputs,
    steps,
    result,
    expected,
  });
  return {
    numpy: () => numpyProgram(program(python('np'), 'output / total')),
    pytorch: () => torchProgram(program(python('torch'), 'output / total')),
    cpp: () =>
      cppProgram({
        ...program(cppSteps(inputs, sizes), 'tril::MatrixView<const float>(output[0][0])'),
        uses: ['lessons/online_attention'],
      }),
  };
}

/** Q (K^T V), the order that has no T x T matrix. */
export function linearCode({ q, k, v, right }: LinearOrders) {
  const program: Program = {
    about: 'The plain product Q K^T V without softmax, values first',
    inputs: { q, k, v },
    steps: 'pairs = k.T @ v  # d x d, whatever T is',
    result: 'q @ pairs',
    expected: right,
  };
  return {
    numpy: () => numpyProgram(program),
    pytorch: () => torchProgram(program),
    cpp: () =>
      cppProgram({
        ...program,
        steps: `tril::Buffer<float, 2> made({${k.cols}, ${v.cols}}), output({${q.rows}, ${v.cols}});
const tril::MatrixView<float> pairs = made.view();
tril::matmul(k, v, {.transpose_a = true}, pairs, scratch, parallel);
tril::matmul(q, pairs, {}, output.view(), scratch, parallel);`,
        result: 'output.view()',
        uses: ['matmul/matmul'],
      }),
  };
}

/** Softmax of the scores, its singular values, and how much of their sum the first ones carry together. */
export function rankCode(head: string, { q, k, sums }: RankResult) {
  const program = (steps: string, result: string, uses: readonly string[] = []): Program => ({
    about: `The singular values of the weights of head “${head}”, added up as shares of their sum`,
    inputs: { q, k },
    ...{ steps, result, uses, expected: sums },
  });
  return {
    numpy: () =>
      numpyProgram(
        program(
          `scores = q @ k.T / q.shape[1] ** 0.5
powers = np.exp(scores - scores.max(1, keepdims=True))
weights = powers / powers.sum(1, keepdims=True)
values = np.linalg.svd(weights, compute_uv=False)`,
          'np.cumsum(values / values.sum())[None]',
        ),
      ),
    pytorch: () =>
      torchProgram(
        program(
          `weights = (q @ k.T / q.shape[1] ** 0.5).softmax(dim=1)
values = torch.linalg.svdvals(weights)`,
          '(values / values.sum()).cumsum(0)[None]',
        ),
      ),
    cpp: () =>
      cppProgram(
        program(
          `const tril::Index T = q.size(0), D = q.size(1);
const tril::TensorView<const float, 4> queries(q.data(), {1, 1, T, D}), keys(k.data(), {1, 1, T, D});
tril::Buffer<float, 4> output({1, 1, T, D}), weights({1, 1, T, T});
tril::attention(queries, keys, keys, {}, output.view(), scratch, parallel,
                {.weights = weights.view()});
tril::Buffer<float, 2> values({1, T}), shares({1, T});
tril::singular_values(weights.view()[0][0], values.view()[0]);
double all = 0, so_far = 0;
for (tril::Index i = 0; i < T; ++i) all += values.view()[0][i];
for (tril::Index i = 0; i < T; ++i) {
  so_far += values.view()[0][i];
  shares.view()[0][i] = static_cast<float>(so_far / all);
}`,
          'shares.view()',
          ['attention/attention', 'lessons/singular_values'],
        ),
      ),
  };
}
