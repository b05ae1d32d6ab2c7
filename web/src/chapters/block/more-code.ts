// The smaller figures of the chapter as programs elsewhere.
import type { ActivationAnswer, DepthAnswer, PerTokenAnswer } from '../../compute/lessons/block';
import type { MatrixData } from '../../compute/protocol';
import {
  cppProgram,
  numpyProgram,
  pythonRandom,
  torchProgram,
  type Program,
} from '../../figures/code';
import text from '$texts/block.yaml';

export function normCode(given: MatrixData, { normed }: PerTokenAnswer) {
  const program = (steps: string): Program => ({
    ...{ about: 'Layer norm is per token', inputs: { x: given } },
    ...{ steps, result: 'y', expected: normed },
  });
  return {
    numpy: () =>
      numpyProgram(
        program('y = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)'),
      ),
    pytorch: () => torchProgram(program('y = torch.nn.functional.layer_norm(x, (x.shape[1],))')),
    cpp: () =>
      cppProgram({
        ...program(
          'tril::Buffer<float, 2> y(x.shape());\ntril::layer_norm(x, {}, {}, {}, y, parallel);',
        ),
        ...{ uses: ['layers/layer_norm'], result: 'y.view()' },
      }),
  };
}

const row = (...parts: readonly (readonly number[])[]): MatrixData => {
  const data = Float32Array.from(parts.flat());
  return { rows: 1, cols: data.length, data };
};

/** The curves, and behind them the hidden units of the block, by each activation. */
export function activationCode({ x, hidden, curves, activated }: ActivationAnswer) {
  const kinds = ['relu', 'gelu', 'silu'] as const;
  const expected = row(...kinds.flatMap((kind) => [curves[kind], activated[kind]]));
  const cols = expected.cols / 3;
  const program = (steps: string, result: string, uses: readonly string[]): Program => ({
    about: 'ReLU, GELU and SiLU from -4 to 4, and of the hidden units of a block',
    inputs: { h: row(x, hidden) },
    ...{ steps, result, uses },
    expected: { ...expected, rows: 3, cols },
  });
  return {
    numpy: () =>
      numpyProgram(
        program(
          `gelu = h * np.vectorize(lambda v: (1 + erf(v / sqrt(2))) / 2)(h)
all = np.concatenate([np.maximum(h, 0), gelu, h / (1 + np.exp(-h))])
print("hidden units that are exactly zero:", (all[:, ${x.length}:] == 0).sum(axis=1))`,
          'all',
          ['from math import erf, sqrt'],
        ),
      ),
    pytorch: () =>
      torchProgram(
        program(
          `all = torch.cat([F.relu(h), F.gelu(h), F.silu(h)])
print("hidden units that are exactly zero:", (all[:, ${x.length}:] == 0).sum(dim=1))`,
          'all',
          ['import torch.nn.functional as F'],
        ),
      ),
    cpp: () =>
      cppProgram(
        program(
          `tril::Buffer<float, 2> all({3, ${cols}});
const auto to = [&](tril::Index nth) { return tril::MatrixView<float>(all.data() + nth * ${cols}, {1, ${cols}}); };
tril::relu(h, to(0), parallel);
tril::gelu(h, tril::GeluForm::exact, to(1), parallel);
tril::silu(h, to(2), parallel);`,
          'all.view()',
          ['layers/activations'],
        ),
      ),
  };
}

const differences = {
  np: {
    attention: `    q, k, v = (part.reshape(8, 4, 8).transpose(1, 0, 2) for part in np.split(m @ W.T, 3, axis=1))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(8))
    e = np.exp(s - s.max(2, keepdims=True))
    return (e / e.sum(2, keepdims=True) @ v).transpose(1, 0, 2).reshape(8, 32) @ W_O.T`,
    norm: '(m - m.mean(1, keepdims=True)) / np.sqrt(m.var(1, keepdims=True) + 1e-5)',
    relu: 'np.maximum(m, 0)',
    draw: (call: string) => call,
    mean: 'x.mean(0)',
    result: 'np.array(sizes, np.float32)',
  },
  torch: {
    attention: `    q, k, v = (part.view(8, 4, 8).transpose(0, 1) for part in (m @ W.T).chunk(3, 1))
    s = q @ k.transpose(1, 2) / 8 ** 0.5
    return (s.softmax(2) @ v).transpose(0, 1).reshape(8, 32) @ W_O.T`,
    norm: 'torch.nn.functional.layer_norm(m, (32,))',
    relu: 'm.relu()',
    draw: (call: string) => `torch.tensor(${call})`,
    mean: 'x.mean(0)',
    result: 'torch.tensor(sizes)',
  },
} as const;

/** Of every line, as they are drawn: norms before or after, and whether there are norms and residuals. */
const forms = [
  ['post', true, true],
  ['pre', true, true],
  ['pre', false, true],
  ['post', true, false],
  ['post', false, false],
] as const;

/** The size of the numbers, or how tokens differ, after every block of the five stacks. */
export function depthCode({ lines }: DepthAnswer, seed: number, measure: 'size' | 'spread') {
  const cols = lines[0].size.length;
  const blocks = cols - 1;
  const expected: MatrixData = {
    ...{ rows: lines.length, cols },
    data: Float32Array.from(lines.flatMap((line) => line[measure])),
  };
  const common = {
    about: `${text.depth.measures[measure]} after every block of five stacks, random weights, seed ${seed}`,
    inputs: {},
    expected,
  };
  const title = (value: boolean) => (value ? 'True' : 'False');
  const python = (lib: 'np' | 'torch'): Program => {
    const { attention, norm, relu, draw, mean, result } = differences[lib];
    return {
      ...common,
      uses: lib === 'torch' ? ['import numpy as np'] : [],
      steps: `${pythonRandom}def uniform(seed, rows, cols):
    next, high = random(seed), np.float32(np.sqrt(6 / (rows + cols)))
    numbers = np.array([next() for _ in range(rows * cols)], np.float32).reshape(rows, cols)
    return -high + 2 * high * numbers
def attention(m, W, W_O):
${attention}
def norm(m):
    return ${norm}
def block(x, weights, pre, norms, residuals):
    W, W_O, W_1, W_2 = weights
    n = norm if norms else lambda m: m
    y = attention(n(x) if pre else x, W, W_O)
    y = x + y if residuals else y
    y = y if pre else n(y)
    m = (n(y) if pre else y) @ W_1.T
    z = ${relu} @ W_2.T
    z = y + z if residuals else z
    return z if pre else n(z)
def size(x):
    ${measure === 'size' ? '' : `x = x - ${mean}\n    `}return float((x ** 2).mean() ** 0.5)
forms = [${forms.map(([order, norms, residuals]) => `(${title(order === 'pre')}, ${title(norms)}, ${title(residuals)})`).join(', ')}]
xs = [${draw(`normal(${100 * seed}, 8, 32)`)}] * ${forms.length}
sizes = [[size(x)] for x in xs]
for depth in range(1, ${blocks + 1}):
    shapes = [(96, 32), (32, 32), (128, 32), (32, 128)]
    weights = [${draw(`uniform(100 * (${1000 * seed} + depth) + i + 1, *shape)`)} for i, shape in enumerate(shapes)]
    xs = [block(x, weights, *form) for x, form in zip(xs, forms)]
    for one, x in zip(sizes, xs):
        one.append(size(x))`,
      result,
    };
  };
  const cpp = `const auto uniform = [](std::uint64_t seed, const tril::MatrixView<float>& to) {
  tril::Random random(seed);
  const float high = static_cast<float>(std::sqrt(6.0 / static_cast<double>(to.size(0) + to.size(1))));
  tril::fill_uniform(to, random, -high, high);
};
const auto size = [](const float* x) {
  double sum = 0;
  for (int c = 0; c < 32; ++c) {
    double mean = 0;
${measure === 'size' ? '' : '    for (int t = 0; t < 8; ++t) mean += static_cast<double>(x[32 * t + c]) / 8;\n'}    for (int t = 0; t < 8; ++t) sum += (x[32 * t + c] - mean) * (x[32 * t + c] - mean);
  }
  return static_cast<float>(std::sqrt(sum / 256));
};
struct Form {
  tril::NormOrder norm;
  bool norms, residuals;
};
const Form forms[] = {
${forms.map(([order, norms, residuals]) => `    {tril::NormOrder::${order}, ${norms}, ${residuals}},`).join('\n')}
};
tril::Buffer<float, 2> W({96, 32}), W_O({32, 32}), W_1({128, 32}), W_2({32, 128}), sizes({${forms.length}, ${cols}});
tril::Buffer<float, 4> x({${forms.length}, 1, 8, 32}), y(x.shape());
for (tril::Index line = 0; line < ${forms.length}; ++line) {
  tril::Random random(${100 * seed});
  tril::fill_normal(x.view()[line], random);
  sizes.view()[line][0] = size(x.view()[line].data());
}
for (tril::Index depth = 1; depth < ${cols}; ++depth) {
  const std::uint64_t seed = 100 * (${1000 * seed} + static_cast<std::uint64_t>(depth));
  uniform(seed + 1, W);
  uniform(seed + 2, W_O);
  uniform(seed + 3, W_1);
  uniform(seed + 4, W_2);
  for (tril::Index line = 0; line < ${forms.length}; ++line) {
    tril::transformer_block(
        x.view()[line],
        {.self_attn = {.in_proj_weight = W, .out_proj_weight = W_O}, .linear1 = {.weight = W_1}, .linear2 = {.weight = W_2}},
        {.heads = 4, .norm = forms[line].norm, .residuals = forms[line].residuals, .norms = forms[line].norms},
        y.view()[line], scratch, parallel);
    sizes.view()[line][depth] = size(y.view()[line].data());
  }
  std::swap(x, y);
}`;
  return {
    numpy: () => numpyProgram(python('np')),
    pytorch: () => torchProgram(python('torch')),
    cpp: () =>
      cppProgram({
        ...{ ...common, steps: cpp, result: 'sizes.view()' },
        uses: ['block/transformer_block', 'foundation/random'],
      }),
  };
}
