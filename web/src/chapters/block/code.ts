// The block as a program elsewhere, with all its weights: NumPy step by step, PyTorch by its own layer, C++ by
// cpp-block.ts; and the same with the words moved.
import type { BlockAsk, ShuffleAnswer } from '../../compute/lessons/block';
import type { MatrixData } from '../../compute/protocol';
import { below, cppProgram, numpyProgram, torchProgram, type Program } from '../../figures/code';
import { cppBlock, cppBlockUses } from './cpp-block';
import type { Scene } from './scene';

/** W_Q, W_K and W_V of all heads, one below the other. */
function inputs({ answer }: Scene): Program['inputs'] {
  const { x, wo, w1, w2 } = answer.whole;
  const parts = (['wq', 'wk', 'wv'] as const).flatMap((id) => answer.perHead[id]);
  return { x, W: below(...parts), W_O: wo, W_1: w1, W_2: w2 };
}

function about(ask: BlockAsk, tokens: readonly string[]): string {
  const off = ask.off.length > 0 ? `, without ${ask.off.join(', ')}` : '';
  return `A Transformer block, ${ask.norm}-norm${off}: ${tokens.join(' ')}; random weights, seed ${ask.seed}`;
}

const activations = {
  relu: 'np.maximum(h, 0)',
  gelu: 'h * np.vectorize(lambda v: (1 + erf(v / sqrt(2))) / 2)(h)',
  silu: 'h / (1 + np.exp(-h))',
} as const;

/** The function `block` with the parts that are on. */
function steps(ask: BlockAsk): string {
  const on = (part: (typeof ask.off)[number]) => !ask.off.includes(part);
  const pre = ask.norm === 'pre';
  const normed = (part: 'norm1' | 'norm2', name: string) => (on(part) ? `norm(${name})` : name);
  const sum = (part: 'residual1' | 'residual2', name: string, branch: string) =>
    on(part) ? `${name} + ${branch}` : branch;
  const attention = on('attention')
    ? `attention(${pre ? normed('norm1', 'x') : 'x'})`
    : 'np.zeros_like(x)';
  const network = on('feedForward')
    ? `feed_forward(${pre ? normed('norm2', 'y') : 'y'})`
    : 'np.zeros_like(y)';
  const first = sum('residual1', 'x', attention);
  const second = sum('residual2', 'y', network);
  const turn = `
def turn(m):  # rotary positions
    half = m.shape[1] // 2
    angles = np.arange(len(m))[:, None] * 10000.0 ** (-2 * np.arange(half) / (2 * half))
    a, b = m[:, :half], m[:, half:]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=1)
`;
  const rotary = ask.positions === 'rotary';
  return `
def norm(m):
    return (m - m.mean(1, keepdims=True)) / np.sqrt(m.var(1, keepdims=True) + 1e-5)
${rotary ? turn : ''}
def attention(m):
    q, k, v = np.split(m @ W.T, 3, axis=1)
    heads = []
    for h in (slice(0, 4), slice(4, 8)):
        Q, K = ${rotary ? 'turn(q[:, h]), turn(k[:, h])' : 'q[:, h], k[:, h]'}
        s = Q @ K.T / 2
${ask.causal ? '        s = np.where(np.tri(len(s), dtype=bool), s, -inf)\n' : ''}        e = np.exp(s - s.max(1, keepdims=True))
        heads.append(e / e.sum(1, keepdims=True) @ v[:, h])
    return np.concatenate(heads, axis=1) @ W_O.T

def feed_forward(m):
    h = m @ W_1.T
    return ${activations[ask.activation as keyof typeof activations]} @ W_2.T

def block(x):
    y = ${pre ? first : normed('norm1', `(${first})`)}
    return ${pre ? second : normed('norm2', `(${second})`)}`;
}

/** nn.TransformerEncoderLayer as the function `block`. */
function torchLayer(ask: BlockAsk): string {
  const activation = ask.activation === 'silu' ? 'torch.nn.functional.silu' : `"${ask.activation}"`;
  return `layer = torch.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0, activation=${activation},
    batch_first=True, norm_first=${ask.norm === 'pre' ? 'True' : 'False'}).train(False)
with torch.no_grad():
    for name, parameter in layer.named_parameters():
        if name.endswith("bias"):
            parameter.zero_()
    layer.self_attn.in_proj_weight.copy_(W)
    layer.self_attn.out_proj.weight.copy_(W_O)
    layer.linear1.weight.copy_(W_1)
    layer.linear2.weight.copy_(W_2)

def block(x):
    mask = ${ask.causal ? 'torch.ones(len(x), len(x), dtype=torch.bool).triu(1)' : 'None'}
    with torch.no_grad():
        return layer(x[None], src_mask=mask)[0]`;
}

/** `result` is an expression in Python with `block`, `lines` are C++ with it. */
function programs(
  ask: BlockAsk,
  common: Pick<Program, 'about' | 'inputs' | 'expected'>,
  python: string,
  cpp: Pick<Program, 'steps' | 'result'>,
) {
  const whole = ask.off.length === 0 && ask.positions !== 'rotary';
  const names = Object.keys(common.inputs).join(', ');
  return {
    numpy: () =>
      numpyProgram({
        ...common,
        uses: ask.activation === 'gelu' ? ['from math import erf, sqrt'] : [],
        steps: steps(ask),
        result: python,
      }),
    // Step by step, on NumPy's arrays, where it is not the layer that PyTorch has.
    pytorch: () =>
      torchProgram(
        whole
          ? { ...common, steps: torchLayer(ask), result: python }
          : {
              ...common,
              uses: ['import numpy as np', 'from math import erf, sqrt'],
              steps: `${names} = (m.numpy() for m in (${names}))\n${steps(ask)}`,
              result: `torch.tensor(${python}, dtype=torch.float32)`,
            },
      ),
    cpp: () =>
      cppProgram({
        ...common,
        uses: cppBlockUses(ask),
        steps: `${cppBlock(ask, ask.ids.length)}\n${cpp.steps}`,
        result: cpp.result,
      }),
  };
}

export function blockCode(scene: Scene) {
  const { ask, answer, tokens } = scene;
  const common = {
    about: about(ask, tokens),
    inputs: inputs(scene),
    expected: answer.whole['output'],
  };
  return programs(ask, common, 'block(x)', {
    steps: 'tril::Buffer<float, 2> output(x.shape());\nblock(x, output);',
    result: 'output.view()',
  });
}

/** The outputs of the moved words less the moved outputs of the words. */
export function shuffleCode(
  { given, gap }: ShuffleAnswer,
  ask: BlockAsk & { readonly order: readonly number[] },
  moved: readonly string[],
) {
  const { x, moved: other, ...weights } = given;
  const inputs: Record<string, MatrixData> = { x, moved: other, ...weights };
  const common = { about: about(ask, moved), inputs, expected: gap };
  return programs(ask, common, `block(moved) - block(x)[[${ask.order.join(', ')}]]`, {
    steps: `tril::Buffer<float, 2> plain(x.shape()), gap(x.shape());
block(x, plain);
block(moved, gap);
const tril::Index order[] = {${ask.order.join(', ')}};
for (tril::Index row = 0; row < ${x.rows}; ++row) {
  for (tril::Index col = 0; col < ${x.cols}; ++col) gap.view()[row][col] -= plain.view()[order[row]][col];
}`,
    result: 'gap.view()',
  });
}
