// The figures as programs elsewhere: NumPy, PyTorch or C++ code with all inputs that gives the same digits. The programs of the
// head are read from its graph, except in C++, where the core computes the head by one call.
import { below, pythonRandom } from '../../figures/code';
import { programsOf } from '../../figures/graph';
import { programs } from '../../figures/program';
import type { SoftmaxLessons } from '../../compute/worker/lessons/softmax';
import type { MatrixData } from '../../compute/page/protocol';
import type { HeadId } from '../../compute/shared/handmade/attend-heads';
import type { Scene } from '../../scenes/attend/scene';
import text from '$texts/attend.yaml';

export function attendCode({ tokens, showing, drawn, causal }: Scene, head: HeadId) {
  const entered = tokens ? `: ${tokens.tokens.join(' ')}` : '';
  const about = `softmax(Q K^T / sqrt(d) + M) V, head "${text.head.names[head]}"${entered}`;
  const { numpy, pytorch } = programsOf(about, showing, ['output']);
  const [X, W_Q, W_K, W_V, expected] = (['x', 'wq', 'wk', 'wv', 'output'] as const).map(
    (id) => drawn[id].matrix,
  );
  const { cpp } = programs({ about, inputs: { X, W_Q, W_K, W_V }, expected }, (say) => ({
    steps: [say.linear('X', { Q: 'W_Q', K: 'W_K', V: 'W_V' }), say.attention('output', { causal })],
    result: 'output',
  }));
  const call = `scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=${causal ? 'True' : 'False'})[0]`;
  return {
    numpy,
    pytorch: () => `${pytorch()}
# From PyTorch 2 on, all that follows V is also one call:
# output = torch.nn.functional.${call}
`,
    cpp,
  };
}

function rowOf({ cols, data }: MatrixData, row: number): MatrixData {
  return { rows: 1, cols, data: data.slice(row * cols, (row + 1) * cols) };
}

/** One row of weights times V. */
export function blendCode({ drawn: { weights, v, output }, names }: Scene, row: number) {
  const given = {
    about: `A row of weights times V: the output of ${names[row]}`,
    inputs: { weights: rowOf(weights.matrix, row), V: v.matrix },
    expected: rowOf(output.matrix, row),
  };
  return programs(given, (say) => ({
    steps: [
      say.by({ python: 'print("sum of the weights:", weights.sum())' }),
      say.product('output', 'weights', 'V'),
    ],
    result: 'output',
  }));
}

/** Both ways of softmax, one row each. */
export function softmaxCode({ scores, naive, stable }: SoftmaxLessons['softmaxWays']['answer']) {
  const given = {
    about: 'Softmax as it is written, and with the largest score taken off first',
    inputs: { scores },
    expected: below(naive.weights, stable.weights),
  };
  return programs(given, (say) => ({
    steps: [
      say.by({
        numpy: `np.seterr(all="ignore")
powers = np.exp(scores)
naive = powers / powers.sum()`,
        pytorch: 'naive = scores.exp() / scores.exp().sum()',
        cpp: (c) => `${c.matrices({ naive: c.size('scores'), stable: c.size('scores') })}
tril::softmax_steps(scores, false, naive);
tril::softmax_steps(scores, true, stable);`,
      }),
      say.by({ python: (p) => p.softmax('stable', 'scores') }),
      say.below('both', ['naive', 'stable']),
    ],
    result: 'both',
  }));
}

/** Variances of scores of random queries and keys, from the same seeds. */
export function scaleCode(seed: number, d: number, tokens: number, plain: number, scaled: number) {
  const given = {
    about: `Variance of ${tokens * tokens} scores of random queries and keys of width ${d}, as they are and over sqrt(d)`,
    inputs: {},
    expected: { rows: 1, cols: 2, data: Float32Array.of(plain, scaled) },
  };
  const drawn = [seed, seed + 1].map((one) => `normal(${one}, ${tokens}, ${d})`);
  const [size, scores] = [
    [tokens, d],
    [tokens, tokens],
  ] as const;
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: (p) => `${pythonRandom}
q, k = ${drawn.map((one) => p.either(one, `torch.tensor(${one})`)).join(', ')}
scores = q @ k.T
variances = [float(one.var(${p.either('', 'unbiased=False')})) for one in (scores, scores / ${d} ** 0.5)]`,
        cpp: (c) => `${c.matrices({ q: size, k: size, scores })}
tril::Random one(${seed}), other(${seed + 1});
tril::fill_normal(q.view(), one);
tril::fill_normal(k.view(), other);
const tril::VectorView<const float> all(scores.data(), {${tokens * tokens}});
float variances[2];
for (const bool divided : {false, true}) {
  const float alpha = divided ? 1 / std::sqrt(${d}.0f) : 1;
  tril::matmul(q, k, {.transpose_b = true, .alpha = alpha}, scores);
  variances[divided] = static_cast<float>(tril::statistics(all).variance);
}`,
      }),
    ],
    result: { python: (p) => p.arrayOf('[variances]'), cpp: '{variances, {1, 2}}' },
  }));
}
