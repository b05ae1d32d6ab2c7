// The block as a program elsewhere, with all its weights: NumPy step by step, PyTorch by its own layer.
import { numpyProgram, torchProgram, type Program } from '../../figures/code';
import type { Scene } from './scene';

/** W_Q, W_K and W_V of all heads, one below the other. */
function stacked({ answer }: Scene) {
  const parts = (['wq', 'wk', 'wv'] as const).flatMap((id) => answer.perHead[id]);
  const { cols } = parts[0];
  const data = Float32Array.from(parts.flatMap((part) => [...part.data]));
  return { rows: data.length / cols, cols, data };
}

function inputs(scene: Scene): Program['inputs'] {
  const { x, wo, w1, w2 } = scene.answer.whole;
  return { x, W: stacked(scene), W_O: wo, W_1: w1, W_2: w2 };
}

function about({ ask, tokens }: Scene): string {
  const off = ask.off.length > 0 ? `, without ${ask.off.join(', ')}` : '';
  return `A Transformer block, ${ask.norm}-norm${off}: ${tokens.join(' ')}; random weights, seed ${ask.seed}`;
}

const activations = {
  relu: 'np.maximum(h, 0)',
  gelu: 'h * np.vectorize(lambda v: (1 + erf(v / sqrt(2))) / 2)(h)',
  silu: 'h / (1 + np.exp(-h))',
} as const;

/** The function `block` with the parts that are on. */
function steps({ ask }: Scene): string {
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

y = ${pre ? first : normed('norm1', `(${first})`)}
z = ${pre ? second : normed('norm2', `(${second})`)}`;
}

export function numpyCode(scene: Scene): string {
  return numpyProgram({
    ...{ about: about(scene), inputs: inputs(scene), steps: steps(scene), result: 'z' },
    uses: scene.ask.activation === 'gelu' ? ['from math import erf, sqrt'] : [],
    expected: scene.answer.whole['output'],
  });
}

/** nn.TransformerEncoderLayer where it is one; else the same steps as NumPy's, on tensors. */
export function torchCode(scene: Scene): string {
  const { ask } = scene;
  const whole = ask.off.length === 0 && ask.positions !== 'rotary';
  const activation = ask.activation === 'silu' ? 'torch.nn.functional.silu' : `"${ask.activation}"`;
  const layer = `layer = torch.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0, activation=${activation},
    batch_first=True, norm_first=${ask.norm === 'pre' ? 'True' : 'False'}).train(False)
with torch.no_grad():
    for name, parameter in layer.named_parameters():
        if name.endswith("bias"):
            parameter.zero_()
    layer.self_attn.in_proj_weight.copy_(W)
    layer.self_attn.out_proj.weight.copy_(W_O)
    layer.linear1.weight.copy_(W_1)
    layer.linear2.weight.copy_(W_2)
    mask = ${ask.causal ? 'torch.ones(len(x), len(x), dtype=torch.bool).triu(1)' : 'None'}
    z = layer(x[None], src_mask=mask)[0]`;
  return torchProgram({
    ...{ about: about(scene), inputs: inputs(scene) },
    ...(whole
      ? { steps: layer, result: 'z' }
      : {
          uses: ['import numpy as np', 'from math import erf, sqrt'],
          steps: `x, W, W_O, W_1, W_2 = (m.numpy() for m in (x, W, W_O, W_1, W_2))\n${steps(scene)}`,
          result: 'torch.tensor(z, dtype=torch.float32)',
        }),
    expected: scene.answer.whole['output'],
  });
}
