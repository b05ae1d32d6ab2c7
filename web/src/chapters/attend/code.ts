// The figure as a program elsewhere: NumPy or PyTorch code with all inputs that prints the same digits.
import type { MatrixData } from '../../compute/protocol';
import type { HeadId } from '../../state/attend-heads';
import type { Scene } from './scene';
import { text } from './text';

/** The shortest decimals that read back as the same float32. */
function literal(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  for (let digits = 1; digits < 9; ++digits) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

function rows({ rows: height, cols, data }: MatrixData): string {
  const lines = Array.from({ length: height }, (_, row) => {
    const entries = Array.from(data.subarray(row * cols, (row + 1) * cols), literal);
    return `    [${entries.join(', ')}],`;
  });
  return `[\n${lines.join('\n')}\n]`;
}

function comment(scene: Scene, head: HeadId): string {
  const entered = scene.tokens ? `: ${scene.tokens.tokens.join(' ')}` : '';
  return `# softmax(Q K^T / sqrt(d) + M) V, head "${text.head.names[head]}"${entered}`.replace(
    /[\r\n]+/gu,
    ' ',
  );
}

function inputs(scene: Scene, array: string): string {
  const { x, wq, wk, wv } = scene.result.matrices;
  const named = { X: x, W_Q: wq, W_K: wk, W_V: wv };
  return Object.entries(named)
    .map(([name, matrix]) => `${name} = ${array.replace('ROWS', rows(matrix))}`)
    .join('\n');
}

export function numpyCode(scene: Scene, head: HeadId): string {
  const array = 'np.array(ROWS, dtype=np.float32)';
  const mask = scene.causal
    ? 'masked = np.where(np.tri(len(X), dtype=bool), scaled, np.float32(-inf))'
    : 'masked = scaled';
  return `${comment(scene, head)}
import numpy as np
from numpy import inf, nan

${inputs(scene, array)}

Q, K, V = X @ W_Q.T, X @ W_K.T, X @ W_V.T
scores = Q @ K.T
scaled = scores / np.sqrt(np.float32(Q.shape[1]))
${mask}
powers = np.exp(masked - masked.max(axis=1, keepdims=True))
weights = powers / powers.sum(axis=1, keepdims=True)
output = weights @ V

np.set_printoptions(precision=4, suppress=True)
print(weights)
print(output)

# What Tril computed.
expected = ${array.replace('ROWS', rows(scene.result.matrices.output))}
print("largest difference:", np.abs(output - expected).max())
`;
}

export function torchCode(scene: Scene, head: HeadId): string {
  const array = 'torch.tensor(ROWS, dtype=torch.float32)';
  const mask = scene.causal
    ? 'masked = scaled.masked_fill(torch.ones_like(scaled).triu(1).bool(), -inf)'
    : 'masked = scaled';
  const flag = scene.causal ? 'True' : 'False';
  return `${comment(scene, head)}
import torch
import torch.nn.functional as F
from math import inf, nan, sqrt

${inputs(scene, array)}

Q, K, V = F.linear(X, W_Q), F.linear(X, W_K), F.linear(X, W_V)
scores = Q @ K.T
scaled = scores / sqrt(Q.shape[1])
${mask}
weights = masked.softmax(dim=1)
output = weights @ V
# From PyTorch 2 on the last five lines are also
# output = F.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=${flag})[0]

torch.set_printoptions(precision=4, sci_mode=False)
print(weights)
print(output)

# What Tril computed.
expected = ${array.replace('ROWS', rows(scene.result.matrices.output))}
print("largest difference:", (output - expected).abs().max().item())
`;
}
