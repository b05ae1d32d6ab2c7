// The smaller figures of the chapter as programs elsewhere.
import type {
  ActivationAnswer,
  DepthAnswer,
  PerTokenAnswer,
} from '../../compute/worker/lessons/block';
import type { MatrixData } from '../../compute/page/protocol';
import { pythonRandom } from '../../figures/code';
import { programs } from '../../figures/program';
import { attentionFunction } from '../../figures/program-block';
import type { Python } from '../../figures/program-python';
import text from '$texts/block.yaml';

export function normCode(x: MatrixData, { normed }: PerTokenAnswer) {
  const given = { about: 'Layer norm is per token', inputs: { x }, expected: normed };
  return programs(given, (say) => ({ steps: [say.norm('y', 'x')], result: 'y' }));
}

const row = (...parts: readonly (readonly number[])[]): MatrixData => {
  const data = Float32Array.from(parts.flat());
  return { rows: 1, cols: data.length, data };
};

/** The curves, and after them the hidden units of the block, for each activation. */
export function activationCode({ x, hidden, curves, activated }: ActivationAnswer) {
  const kinds = ['relu', 'gelu', 'silu'] as const;
  const expected = row(...kinds.flatMap((kind) => [curves[kind], activated[kind]]));
  const given = {
    about: 'ReLU, GELU and SiLU from -4 to 4, and of the hidden units of a block',
    inputs: { h: row(x, hidden) },
    expected: { ...expected, rows: 3, cols: expected.cols / 3 },
  };
  return programs(given, (say) => ({
    steps: [
      ...kinds.map((kind) => say.activation(`by_${kind}`, kind, 'h')),
      say.below(
        'all',
        kinds.map((kind) => `by_${kind}`),
      ),
      say.by({
        python: ({ either }) =>
          `print("hidden units that are exactly zero:", (all[:, ${x.length}:] == 0).sum(${either('axis', 'dim')}=1))`,
      }),
    ],
    result: 'all',
  }));
}

/** The drawn lines: norm order, and whether there are norms and residuals. */
const forms = [
  ['post', true, true],
  ['pre', true, true],
  ['pre', false, true],
  ['post', true, false],
  ['post', false, false],
] as const;

const title = (value: boolean) => (value ? 'True' : 'False');

/** Five stacks, block after block, from the seeds of the page, and the measure of each. */
function pythonDepth(p: Python, blocks: number, seed: number, measure: 'size' | 'spread'): string {
  const named = { in_proj_weight: 'W', 'out_proj.weight': 'W_O' };
  const drawn = (call: string) => p.either(call, `torch.tensor(${call})`);
  const all = forms.map(
    ([order, ...rest]) => `(${[order === 'pre', ...rest].map(title).join(', ')})`,
  );
  return `${pythonRandom}
def uniform(seed, rows, cols):
    next, high = random(seed), np.float32(np.sqrt(6 / (rows + cols)))
    numbers = np.array([next() for _ in range(rows * cols)], np.float32).reshape(rows, cols)
    return -high + 2 * high * numbers

${attentionFunction(p, { heads: 4, causal: false }, named, { given: ', W, W_O' })}
def block(x, weights, pre, norms, residuals):
    W, W_O, W_1, W_2 = weights
    n = ${p.norming} if norms else lambda m: m
    y = attention(n(x) if pre else x, W, W_O)
    y = x + y if residuals else y
    y = y if pre else n(y)
    m = (n(y) if pre else y) @ W_1.T
    z = ${p.activationOf('relu', 'm')} @ W_2.T
    z = y + z if residuals else z
    return z if pre else n(z)

def size(x):
    ${measure === 'size' ? '' : 'x = x - x.mean(0)\n    '}return float((x ** 2).mean() ** 0.5)

forms = [${all.join(', ')}]
xs = [${drawn(`normal(${100 * seed}, 8, 32)`)}] * ${forms.length}
sizes = [[size(x)] for x in xs]
for depth in range(1, ${blocks + 1}):
    shapes = [(96, 32), (32, 32), (128, 32), (32, 128)]
    weights = [${drawn(`uniform(100 * (${1000 * seed} + depth) + i + 1, *shape)`)} for i, shape in enumerate(shapes)]
    xs = [block(x, weights, *form) for x, form in zip(xs, forms)]
    for one, x in zip(sizes, xs):
        one.append(size(x))`;
}

const cppDepth = (
  cols: number,
  seed: number,
  measure: 'size' | 'spread',
) => `const auto uniform = [](std::uint64_t seed, const tril::MatrixView<float>& to) {
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
        y.view()[line]);
    sizes.view()[line][depth] = size(y.view()[line].data());
  }
  std::swap(x, y);
}`;

/** The size of the numbers, or the differences between tokens, after every block of the five stacks. */
export function depthCode({ lines }: DepthAnswer, seed: number, measure: 'size' | 'spread') {
  const cols = lines[0].size.length;
  const given = {
    about: `${text.depth.measures[measure]} after every block of five stacks, random weights, seed ${seed}`,
    inputs: {},
    expected: {
      ...{ rows: lines.length, cols },
      data: Float32Array.from(lines.flatMap((line) => line[measure])),
    },
  };
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: (p) => pythonDepth(p, cols - 1, seed, measure),
        cpp: cppDepth(cols, seed, measure),
      }),
    ],
    result: { python: (p) => p.arrayOf('sizes'), cpp: 'sizes' },
  }));
}
