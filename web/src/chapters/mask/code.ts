// The figures as programs elsewhere: attention under a mask in NumPy, PyTorch and C++, and which blocks a mask skips.
import type { FutureAnswer, MaskAnswer } from '../../compute/lessons/mask';
import type { BlocksAnswer, BlocksAsk } from '../../compute/lessons/mask-blocks';
import { blockSize, type BlockPattern, type HideId } from '../../compute/lessons/mask-rules';
import type { MatrixData } from '../../compute/protocol';
import { below, cppProgram, numpyProgram, torchProgram, type Program } from '../../figures/code';
import type { Scene } from './scene';

/** From `scores` and `M` to `weights`. */
function pythonSteps(hide: HideId, lib: 'np' | 'torch'): string {
  const masked: Record<HideId, string> = {
    infinity: lib === 'np' ? 'np.where(M < 0, M, scores)' : 'torch.where(M < 0, M, scores)',
    large: `scores + ${lib === 'np' ? 'np.maximum(M, np.float32(-1e9))' : 'M.clamp(min=-1e9)'}`,
    zero: 'scores * (M == 0)',
    after: 'scores',
  };
  const softmax =
    lib === 'np'
      ? `largest = masked.max(axis=1, keepdims=True)
# A row that sees nothing has no largest score; its powers are zeros, and so are its weights.
powers = np.exp(masked - np.where(largest == -inf, np.float32(0), largest))
sums = powers.sum(axis=1, keepdims=True)
weights = powers / np.where(sums == 0, np.float32(1), sums)`
      : `# A row that sees nothing: weights of 0, not NaN.
weights = masked.softmax(dim=1).masked_fill((masked == -inf).all(dim=1, keepdim=True), 0)`;
  const late = hide === 'after' ? '\nweights = weights * (M == 0)' : '';
  return `masked = ${masked[hide]}\n${softmax}${late}`;
}

/** What the core is given for M. */
const maskFor = (mask: MatrixData, hide: HideId): MatrixData =>
  hide === 'large' ? { ...mask, data: mask.data.map((one) => Math.max(one, -1e9)) } : mask;
const byCore = (hide: HideId) => hide === 'infinity' || hide === 'large';

/** Scores, in `weights`, to weights, hidden in ways that the core does not have. */
const cppHidden = (hide: HideId, size: number) => {
  const hidden = `for (tril::Index i = 0; i < ${size}; ++i) {
  for (tril::Index j = 0; j < ${size}; ++j) weights.view()[i][j] *= M[i][j] == 0 ? 1.0f : 0.0f;
}
`;
  const softmax = 'tril::softmax(weights, {}, weights, parallel);\n';
  return hide === 'zero' ? hidden + softmax : softmax + hidden;
};

// In C++ the scores go in as queries, with the unit matrix for keys and a scale of 1.
const cppSteps = (
  size: number,
) => `tril::Buffer<float, 4> unit({1, 1, ${size}, ${size}}), attended({1, 1, ${size}, V.size(1)});
for (tril::Index i = 0; i < ${size}; ++i) {
  for (tril::Index j = 0; j < ${size}; ++j) unit.view()[0][0][i][j] = i == j ? 1.0f : 0.0f;
}
const tril::TensorView<const float, 4> queries(scores.data(), {1, 1, ${size}, ${size}});
const tril::TensorView<const float, 4> values(V.data(), {1, 1, ${size}, V.size(1)});
const tril::TensorView<const float, 4> added(M.data(), {1, 1, ${size}, ${size}});
tril::attention(queries, unit.view(), values, {.mask = tril::Mask::additive(added), .scale = 1.0f},
                attended.view(), scratch, parallel);`;

const cppStepsOf = (hide: HideId, size: number) =>
  byCore(hide)
    ? cppSteps(size)
    : `tril::Buffer<float, 2> weights(scores.shape());
tril::Buffer<float, 4> attended({1, 1, ${size}, V.size(1)});
std::copy_n(scores.data(), ${size * size}, weights.data());
${cppHidden(hide, size)}tril::matmul(weights, V, {}, attended.view()[0][0], scratch, parallel);`;

const headers = ['attention/attention', 'layers/softmax', 'layers/linear', 'matmul/matmul'];

export function programsOf({ answer, hide }: Pick<Scene, 'hide'> & { answer: MaskAnswer }) {
  const program = (steps: string, result: string, uses: readonly string[] = []): Program => ({
    about: 'Attention under a mask',
    inputs: { scores: answer.scores, M: answer.mask, V: answer.values },
    ...{ steps, result, uses },
    expected: answer.output,
  });
  const size = answer.scores.rows;
  const cpp = program(cppStepsOf(hide, size), 'attended.view()[0][0]', headers);
  return {
    numpy: () => numpyProgram(program(pythonSteps(hide, 'np'), 'weights @ V')),
    pytorch: () => torchProgram(program(pythonSteps(hide, 'torch'), 'weights @ V')),
    cpp: () => cppProgram({ ...cpp, inputs: { ...cpp.inputs, M: maskFor(answer.mask, hide) } }),
  };
}

const indented = (text: string) => text.replace(/^(?=.)/gmu, '    ');

/** The outputs of the input as it was, and below them those of the overwritten one. */
export function futureCode(
  { given, outputs, shown }: FutureAnswer & { shown: number },
  hide: HideId,
) {
  const { x, overwritten, weights, mask } = given;
  const after = shown === 1 ? overwritten : x;
  const named = { X_before: x, X_after: after };
  const projections = { W_Q: weights.wq, W_K: weights.wk, W_V: weights.wv };
  const common = {
    about: 'Attention under a mask, before and after the tokens of the future were overwritten',
    expected: below(outputs[0], outputs[shown]),
  };
  const python = (lib: 'np' | 'torch'): Program => ({
    ...common,
    inputs: { ...named, ...projections, M: mask },
    steps: `def attention(X):
    Q, K, V = X @ W_Q.T, X @ W_K.T, X @ W_V.T
    scores = Q @ K.T / Q.shape[1] ** 0.5
${indented(pythonSteps(hide, lib))}
    return weights @ V`,
    result: `${lib === 'np' ? 'np.concatenate' : 'torch.cat'}([attention(X_before), attention(X_after)])`,
  });
  const [size, width] = [x.rows, weights.wq.rows];
  const attended = byCore(hide)
    ? `const tril::TensorView<const float, 4> added(M.data(), {1, 1, ${size}, ${size}});
tril::attention(q, k, v, {.mask = tril::Mask::additive(added)}, output, scratch, parallel);`
    : `tril::Buffer<float, 2> weights(M.shape());
tril::matmul(q.view()[0][0], k.view()[0][0], {.transpose_b = true, .alpha = 1 / std::sqrt(${width}.0f)}, weights,
             scratch, parallel);
${cppHidden(hide, size)}tril::matmul(weights, v.view()[0][0], {}, output[0][0], scratch, parallel);`;
  const cpp = (): Program => ({
    ...common,
    inputs: { ...named, ...projections, M: maskFor(mask, hide) },
    uses: headers,
    steps: `tril::Buffer<float, 2> both({${2 * size}, ${width}});
const auto attention = [&](const tril::MatrixView<const float>& x, float* to) {
  tril::Buffer<float, 4> q({1, 1, ${size}, ${width}}), k(q.shape()), v(q.shape());
  tril::linear(x, W_Q, {}, q.view()[0][0], scratch, parallel);
  tril::linear(x, W_K, {}, k.view()[0][0], scratch, parallel);
  tril::linear(x, W_V, {}, v.view()[0][0], scratch, parallel);
  const tril::TensorView<float, 4> output(to, q.shape());
${attended.replace(/^(?=.)/gmu, '  ')}
};
attention(X_before, both.data());
attention(X_after, both.data() + ${size * width});`,
    result: 'both.view()',
  });
  return {
    numpy: () => numpyProgram(python('np')),
    pytorch: () => torchProgram(python('torch')),
    cpp: () => cppProgram(cpp()),
  };
}

/** Which share of the pairs of a block may be seen. */
export function blocksCode({ seen }: BlocksAnswer, { pattern, tokens }: BlocksAsk) {
  const { queries, keys } = blockSize;
  const [down, across] = [tokens / queries, tokens / keys];
  const python: Record<BlockPattern, string> = {
    full: 'j >= 0',
    causal: 'j <= i',
    window: '(j <= i) & (i - j <= 255)',
    strided: '(j <= i) & ((i - j < 64) | ((i - j) % 64 == 0))',
    padding: `j < ${tokens / 2}`,
  };
  const cpp: Record<BlockPattern, string> = {
    full: 'tril::Mask()',
    causal: 'tril::Mask::causal()',
    window: 'tril::Mask::causal() & tril::Mask::window(255, {})',
    strided: 'tril::Mask::causal() & tril::Mask::strided(64, 64)',
    padding: `tril::Mask::padding({${tokens / 2}})`,
  };
  const common = {
    about: `Which share of its pairs may be seen, for blocks of ${queries} queries by ${keys} keys, ${tokens} tokens`,
    inputs: {},
    expected: seen,
  };
  const shape = `(${down}, ${queries}, ${across}, ${keys})`;
  return {
    numpy: () =>
      numpyProgram({
        ...common,
        steps: `i, j = np.arange(${tokens})[:, None], np.arange(${tokens})[None, :]
visible = (${python[pattern]}) & (i >= 0)
seen = visible.reshape${shape}.mean(axis=(1, 3))
print("blocks that nothing is seen of:", (seen == 0).sum())`,
        result: 'seen',
      }),
    pytorch: () =>
      torchProgram({
        ...common,
        steps: `i, j = torch.arange(${tokens})[:, None], torch.arange(${tokens})[None, :]
visible = (${python[pattern]}) & (i >= 0)
seen = visible.view${shape}.float().mean(dim=(1, 3))
print("blocks that nothing is seen of:", (seen == 0).sum().item())`,
        result: 'seen',
      }),
    cpp: () =>
      cppProgram({
        ...common,
        uses: ['attention/mask'],
        steps: `tril::Buffer<float, 4> hides({1, 1, ${tokens}, ${tokens}});
tril::mask_values(${cpp[pattern]}, 0, hides);
tril::Buffer<float, 2> seen({${down}, ${across}});
for (tril::Index i = 0; i < ${tokens}; ++i) {
  for (tril::Index j = 0; j < ${tokens}; ++j) {
    if (hides.view()[0][0][i][j] == 0) seen.view()[i / ${queries}][j / ${keys}] += 1.0f / ${queries * keys};
  }
}`,
        result: 'seen.view()',
      }),
  };
}
