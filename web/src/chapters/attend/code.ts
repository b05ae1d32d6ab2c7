// The figure as a program elsewhere: NumPy, PyTorch or C++ code with all inputs that gives the same digits.
import {
  cppProgram,
  numpyProgram,
  pythonRandom,
  torchProgram,
  type Program,
} from '../../figures/code';
import type { SoftmaxLessons } from '../../compute/lessons/softmax';
import type { MatrixData } from '../../compute/protocol';
import type { HeadId } from '../../compute/handmade/attend-heads';
import type { Scene } from './scene';
import text from '$texts/attend.yaml';

function about(scene: Scene, head: HeadId): string {
  const entered = scene.tokens ? `: ${scene.tokens.tokens.join(' ')}` : '';
  return `softmax(Q K^T / sqrt(d) + M) V, head "${text.head.names[head]}"${entered}`;
}

function parts(scene: Scene, head: HeadId): Pick<Program, 'about' | 'inputs' | 'expected'> {
  const { x, wq, wk, wv, output } = scene.result.matrices;
  return {
    about: about(scene, head),
    inputs: { X: x, W_Q: wq, W_K: wk, W_V: wv },
    expected: output,
  };
}

export function numpyCode(scene: Scene, head: HeadId): string {
  const mask = scene.causal
    ? 'masked = np.where(np.tri(len(X), dtype=bool), scaled, np.float32(-inf))'
    : 'masked = scaled';
  return numpyProgram({
    ...parts(scene, head),
    steps: `Q, K, V = X @ W_Q.T, X @ W_K.T, X @ W_V.T
scores = Q @ K.T
scaled = scores / np.sqrt(np.float32(Q.shape[1]))
${mask}
powers = np.exp(masked - masked.max(axis=1, keepdims=True))
weights = powers / powers.sum(axis=1, keepdims=True)
output = weights @ V`,
    result: 'output',
  });
}

export function torchCode(scene: Scene, head: HeadId): string {
  const mask = scene.causal
    ? 'masked = scaled.masked_fill(torch.ones_like(scaled).triu(1).bool(), -inf)'
    : 'masked = scaled';
  const flag = scene.causal ? 'True' : 'False';
  return torchProgram({
    ...parts(scene, head),
    uses: ['import torch.nn.functional as F', 'from math import sqrt'],
    steps: `Q, K, V = F.linear(X, W_Q), F.linear(X, W_K), F.linear(X, W_V)
scores = Q @ K.T
scaled = scores / sqrt(Q.shape[1])
${mask}
weights = masked.softmax(dim=1)
output = weights @ V
# From PyTorch 2 on the last five lines are also
# output = F.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=${flag})[0]`,
    result: 'output',
  });
}

export function cppCode(scene: Scene, head: HeadId): string {
  const { length: t, headWidth: d, valueWidth: dv, causal } = scene;
  const { x, wq, wk, wv, output } = scene.result.matrices;
  return cppProgram({
    about: about(scene, head),
    inputs: { x, w_q: wq, w_k: wk, w_v: wv },
    uses: ['attention/attention', 'layers/linear'],
    // One batch of one head: [1, 1, T, d] is [T, d].
    steps: `tril::Buffer<float, 4> q({1, 1, ${t}, ${d}}), k(q.shape()), v({1, 1, ${t}, ${dv}}), output(v.shape());
tril::linear(x, w_q, {}, q.view()[0][0], scratch, parallel);
tril::linear(x, w_k, {}, k.view()[0][0], scratch, parallel);
tril::linear(x, w_v, {}, v.view()[0][0], scratch, parallel);
tril::attention(q, k, v, {.causal = ${causal}}, output, scratch, parallel);`,
    result: 'output.view()[0][0]',
    expected: output,
  });
}

function rowOf({ cols, data }: MatrixData, row: number): MatrixData {
  return { rows: 1, cols, data: data.slice(row * cols, (row + 1) * cols) };
}

/** One row of weights times V. */
export function blendCode(scene: Scene, row: number) {
  const { weights, v, output } = scene.result.matrices;
  const about = `A row of weights times V: the output of ${scene.names[row]}`;
  const shares = rowOf(weights, row);
  const expected = rowOf(output, row);
  const python = { about, inputs: { weights: shares, V: v }, expected, result: 'output' };
  const steps = 'print("sum of the weights:", weights.sum())\noutput = weights @ V';
  return {
    numpy: () => numpyProgram({ ...python, steps }),
    pytorch: () => torchProgram({ ...python, steps }),
    cpp: () =>
      cppProgram({
        about,
        inputs: { weights: shares, v },
        uses: ['matmul/matmul'],
        steps: `tril::Buffer<float, 2> output({1, ${v.cols}});
tril::matmul(weights, v, {}, output, scratch, parallel);`,
        result: 'output.view()',
        expected,
      }),
  };
}

/** Both ways of softmax, one row each. */
export function softmaxCode({ scores, naive, stable }: SoftmaxLessons['softmaxWays']['answer']) {
  const about = 'Softmax as it is written, and with the largest score taken off first';
  const { cols } = scores;
  const data = Float32Array.of(...naive.weights.data, ...stable.weights.data);
  const expected = { rows: 2, cols, data };
  const python = { about, inputs: { scores }, expected };
  return {
    numpy: () =>
      numpyProgram({
        ...python,
        steps: `np.seterr(all="ignore")
powers = np.exp(scores)
naive = powers / powers.sum()
powers = np.exp(scores - scores.max())
stable = powers / powers.sum()`,
        result: 'np.concatenate([naive, stable])',
      }),
    pytorch: () =>
      torchProgram({
        ...python,
        steps: `naive = scores.exp() / scores.exp().sum()
stable = scores.softmax(dim=1)`,
        result: 'torch.cat([naive, stable])',
      }),
    cpp: () =>
      cppProgram({
        about,
        inputs: { scores },
        uses: ['lessons/softmax_steps'],
        steps: `tril::Buffer<float, 2> both({2, ${cols}});
const tril::MatrixView<float> naive(both.data(), {1, ${cols}}), stable(both.data() + ${cols}, {1, ${cols}});
tril::softmax_steps(scores, false, naive);
tril::softmax_steps(scores, true, stable);`,
        result: 'both.view()',
        expected,
      }),
  };
}

/** Variances of scores of random queries and keys, from the same seeds. */
export function scaleCode(seed: number, d: number, tokens: number, plain: number, scaled: number) {
  const common = {
    about: `Variance of ${tokens * tokens} scores of random queries and keys of width ${d}, as they are and over sqrt(d)`,
    inputs: {},
    expected: { rows: 1, cols: 2, data: Float32Array.of(plain, scaled) },
  };
  const drawn = (shape: string) => `normal(${shape}, ${tokens}, ${d})`;
  return {
    numpy: () =>
      numpyProgram({
        ...common,
        steps: `${pythonRandom}q, k = ${drawn(`${seed}`)}, ${drawn(`${seed + 1}`)}
scores = q @ k.T`,
        result: `np.array([[scores.var(), (scores / np.sqrt(np.float32(${d}))).var()]])`,
      }),
    pytorch: () =>
      torchProgram({
        ...common,
        uses: ['import numpy as np'],
        steps: `${pythonRandom}q, k = torch.tensor(${drawn(`${seed}`)}), torch.tensor(${drawn(`${seed + 1}`)})
scores = q @ k.T`,
        result: `torch.stack([scores.var(unbiased=False), (scores / ${d} ** 0.5).var(unbiased=False)])[None]`,
      }),
    cpp: () =>
      cppProgram({
        ...common,
        uses: ['foundation/random', 'foundation/statistics', 'matmul/matmul'],
        steps: `tril::Buffer<float, 2> q({${tokens}, ${d}}), k(q.shape()), scores({${tokens}, ${tokens}});
tril::Random one(${seed}), other(${seed + 1});
tril::fill_normal(q.view(), one);
tril::fill_normal(k.view(), other);
const tril::VectorView<const float> all(scores.data(), {${tokens * tokens}});
float variances[2];
for (const bool divided : {false, true}) {
  const float alpha = divided ? 1 / std::sqrt(${d}.0f) : 1;
  tril::matmul(q, k, {.transpose_b = true, .alpha = alpha}, scores, scratch, parallel);
  variances[divided] = static_cast<float>(tril::statistics(all).variance);
}`,
        result: '{variances, {1, 2}}',
      }),
  };
}
