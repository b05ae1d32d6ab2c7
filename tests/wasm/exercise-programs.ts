// Programs for each exercise in NumPy and PyTorch, in people's usual styles: correct ones, and for each known mistake
// some that make it. A wrong program is a correct one with a part replaced.

import { numpySoftmax, torchHead, type Style } from './exercise-styles.js';
import { batches, softmaxOfMask, triangle } from './exercise-averages.js';
import { block, onlineSoftmax } from './exercise-blocks.js';

const scaled = {
  'no-scale': [[' / np.sqrt(d)', '']],
  'scale-by-width': [['/ np.sqrt(d)', '/ d']],
  multiplied: [['/ np.sqrt(d)', '* np.sqrt(d)']],
} as const;
const torchScaled = {
  'no-scale': [[' / d ** 0.5', '']],
  'scale-by-width': [['/ d ** 0.5', '/ d']],
  multiplied: [['/ d ** 0.5', '* d ** 0.5']],
} as const;
const columns = [
  ['axis=-1, keepdims=True))', 'axis=-2, keepdims=True))'],
  ['e.sum(axis=-1', 'e.sum(axis=-2'],
] as const;
const overflow = [[' - z.max(axis=-1, keepdims=True)', '']] as const;
const largest = [['z.max(axis=-1', 'z.max(axis=-2']] as const;

export const styles: Readonly<Record<string, readonly Style[]>> = {
  average: [
    {
      code: `import numpy as np
def average(x):
    B, T, C = x.shape
    y = np.zeros((B, T, C))
    for b in range(B):
        for t in range(T):
            past = x[b, :t + 1]
            y[b, t] = past.mean(axis=0)
    return y`,
      mistakes: {
        sum: [['.mean(axis=0)', '.sum(axis=0)']],
        future: [['x[b, :t + 1]', 'x[b]']],
        divisor: [['past.mean(axis=0)', 'past.sum(axis=0) / T']],
      },
    },
    {
      code: `import numpy as np
def average(x):
    T = x.shape[1]
    W = np.tril(np.ones((T, T)))
    W = W / W.sum(axis=1, keepdims=True)
    return W @ x`,
      mistakes: {
        sum: [['    W = W / W.sum(axis=1, keepdims=True)\n', '']],
        future: [['np.tril(np.ones((T, T)))', 'np.ones((T, T))']],
        divisor: [['W.sum(axis=1, keepdims=True)', 'T']],
        columns: [['axis=1', 'axis=0']],
      },
    },
    {
      code: `${torchHead}def average(x):
    B, T, C = x.shape
    tril = torch.tril(torch.ones(T, T))
    wei = torch.zeros((T, T))
    wei = wei.masked_fill(tril == 0, float('-inf'))
    wei = F.softmax(wei, dim=-1)
    return wei @ x`,
      mistakes: {
        future: [["    wei = wei.masked_fill(tril == 0, float('-inf'))\n", '']],
        sum: [
          ["    wei = wei.masked_fill(tril == 0, float('-inf'))\n", ''],
          ['    wei = F.softmax(wei, dim=-1)\n', '    wei = tril\n'],
        ],
      },
    },
  ],
  triangle,
  'softmax-of-mask': softmaxOfMask,
  softmax: [
    {
      code: numpySoftmax,
      mistakes: {
        overflow,
        'largest-of-columns': largest,
        columns,
        all: [['e.sum(axis=-1, keepdims=True)', 'e.sum()']],
        'no-sum': [['e / e.sum(axis=-1, keepdims=True)', 'e']],
        'no-exp': [['np.exp(z - z.max(axis=-1, keepdims=True))', 'z']],
      },
    },
    {
      code: `import torch
def softmax(z):
    z = z - z.max(dim=-1, keepdim=True).values
    z = torch.exp(z)
    total = z.sum(dim=-1, keepdim=True)
    return z / total`,
      mistakes: {
        overflow: [['    z = z - z.max(dim=-1, keepdim=True).values\n', '']],
        'largest-of-columns': [['z.max(dim=-1', 'z.max(dim=-2']],
        columns: [['z.sum(dim=-1', 'z.sum(dim=-2']],
        all: [['z.sum(dim=-1, keepdim=True)', 'z.sum()']],
        'no-sum': [['return z / total', 'return z']],
      },
    },
    {
      code: `import torch.nn.functional as F
def softmax(z):
    return F.softmax(z, dim=-1)`,
      mistakes: { columns: [['dim=-1', 'dim=-2']] },
    },
  ],
  attention: [
    {
      code: `${numpySoftmax}
def attention(Q, K, V):
    d = Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(d)
    weights = softmax(scores)
    return weights @ V`,
      mistakes: {
        ...scaled,
        columns,
        overflow,
        'largest-of-columns': largest,
        'no-softmax': [['softmax(scores)', 'scores']],
        exchanged: [['Q @ K.swapaxes(-1, -2)', 'K @ Q.swapaxes(-1, -2)']],
        'keys-for-values': [['weights @ V', 'weights @ K']],
      },
    },
    {
      code: `${torchHead}def attention(Q, K, V):
    d = Q.size(-1)
    scores = Q @ K.transpose(-2, -1) / d ** 0.5
    weights = F.softmax(scores, dim=-1)
    return weights @ V`,
      mistakes: {
        ...torchScaled,
        columns: [['dim=-1)', 'dim=-2)']],
        'no-softmax': [['F.softmax(scores, dim=-1)', 'scores']],
        exchanged: [['Q @ K.transpose', 'K @ Q.transpose']],
        'keys-for-values': [['weights @ V', 'weights @ K']],
      },
    },
    {
      code: `${torchHead}def attention(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V)`,
      mistakes: {
        'keys-for-values': [['product_attention(Q, K, V)', 'product_attention(Q, K, K)']],
      },
    },
  ],
  causal: [
    {
      code: `${numpySoftmax}
def causal_attention(Q, K, V):
    T, d = Q.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(d)
    mask = np.triu(np.full((T, T), -np.inf), 1)
    weights = softmax(scores + mask)
    return weights @ V`,
      mistakes: {
        ...scaled,
        columns,
        overflow,
        'largest-of-columns': largest,
        'no-mask': [['softmax(scores + mask)', 'softmax(scores)']],
        'no-softmax': [['softmax(scores + mask)', 'scores + mask']],
        'mask-turned': [
          ['np.triu(np.full((T, T), -np.inf), 1)', 'np.tril(np.full((T, T), -np.inf), -1)'],
        ],
        'hides-itself': [['-np.inf), 1)', '-np.inf))']],
        'keys-for-values': [['weights @ V', 'weights @ K']],
      },
    },
    {
      code: `${torchHead}def causal_attention(Q, K, V):
    T, d = Q.size(-2), Q.size(-1)
    scores = Q @ K.transpose(-2, -1) / d ** 0.5
    tril = torch.tril(torch.ones(T, T))
    scores = scores.masked_fill(tril == 0, float('-inf'))
    weights = F.softmax(scores, dim=-1)
    return weights @ V`,
      mistakes: {
        ...torchScaled,
        columns: [['scores, dim=-1', 'scores, dim=-2']],
        'no-mask': [["    scores = scores.masked_fill(tril == 0, float('-inf'))\n", '']],
        'mask-of-zeros': [["scores.masked_fill(tril == 0, float('-inf'))", 'scores * tril']],
        'mask-turned': [['torch.tril(', 'torch.triu(']],
        'mask-after-softmax': [
          ["    scores = scores.masked_fill(tril == 0, float('-inf'))\n", ''],
          ['F.softmax(scores, dim=-1)', 'F.softmax(scores, dim=-1) * tril'],
        ],
        'hides-itself': [['torch.ones(T, T))', 'torch.ones(T, T), -1)']],
        exchanged: [['Q @ K.transpose', 'K @ Q.transpose']],
      },
    },
  ],
  'self-attention': [
    {
      code: `${numpySoftmax}
def self_attention(X, mask, W_KQV, W_out):
    K, Q, V = np.split(X @ W_KQV, 3, axis=-1)
    d = X.shape[-1]
    attn = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(d) + mask)
    return attn @ V @ W_out, attn`,
      mistakes: {
        ...scaled,
        columns,
        overflow,
        'largest-of-columns': largest,
        order: [['K, Q, V =', 'Q, K, V =']],
        'no-mask': [[' + mask', '']],
        'mask-after-softmax': [['np.sqrt(d) + mask)', 'np.sqrt(d)) + mask']],
        'no-output': [[' @ W_out', '']],
        'no-softmax': [['attn = softmax(', 'attn = (']],
        'keys-for-values': [['attn @ V', 'attn @ K']],
      },
    },
    {
      code: `${torchHead}def self_attention(X, mask, W_KQV, W_out):
    K, Q, V = (X @ W_KQV).chunk(3, dim=-1)
    d = X.size(-1)
    scores = Q @ K.transpose(-2, -1) / d ** 0.5
    attn = F.softmax(scores + mask, dim=-1)
    return attn @ V @ W_out, attn`,
      mistakes: {
        ...torchScaled,
        order: [['K, Q, V =', 'Q, K, V =']],
        columns: [['mask, dim=-1', 'mask, dim=-2']],
        'no-mask': [['scores + mask', 'scores']],
        'no-output': [[' @ W_out', '']],
      },
    },
  ],
  heads: [
    {
      code: `${numpySoftmax}
def multi_head_attention(X, W_QKV, W_out, heads):
    B, T, C = X.shape
    d = C // heads
    Q, K, V = np.split(X @ W_QKV, 3, axis=-1)
    Q, K, V = [m.reshape(B, T, heads, d).swapaxes(1, 2) for m in (Q, K, V)]
    weights = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(d))
    blend = weights @ V
    return blend.swapaxes(1, 2).reshape(B, T, C) @ W_out`,
      mistakes: {
        ...scaled,
        'reshaped-at-once': [
          ['m.reshape(B, T, heads, d).swapaxes(1, 2)', 'm.reshape(B, heads, T, d)'],
        ],
        'merged-at-once': [['blend.swapaxes(1, 2).reshape', 'blend.reshape']],
        'reshaped-both-ways': [
          ['m.reshape(B, T, heads, d).swapaxes(1, 2)', 'm.reshape(B, heads, T, d)'],
          ['blend.swapaxes(1, 2).reshape', 'blend.reshape'],
        ],
        'scale-of-all': [['np.sqrt(d)', 'np.sqrt(C)']],
        'no-output': [[' @ W_out', '']],
        columns,
        overflow,
        'largest-of-columns': largest,
        'not-split': [
          ['C // heads', 'C'],
          ['    Q, K, V = [m.reshape(B, T, heads, d).swapaxes(1, 2) for m in (Q, K, V)]\n', ''],
          ['blend.swapaxes(1, 2).reshape(B, T, C)', 'blend'],
        ],
        'no-softmax': [['softmax(Q @', '(Q @']],
        exchanged: [['Q @ K.swapaxes', 'K @ Q.swapaxes']],
        'keys-for-values': [['weights @ V', 'weights @ K']],
      },
    },
    {
      code: `${torchHead}def multi_head_attention(X, W_QKV, W_out, heads):
    B, T, C = X.shape
    d = C // heads
    Q, K, V = (X @ W_QKV).split(C, dim=2)
    Q = Q.view(B, T, heads, d).transpose(1, 2)
    K = K.view(B, T, heads, d).transpose(1, 2)
    V = V.view(B, T, heads, d).transpose(1, 2)
    weights = F.softmax(Q @ K.transpose(-2, -1) / d ** 0.5, dim=-1)
    out = (weights @ V).transpose(1, 2).contiguous().view(B, T, C)
    return out @ W_out`,
      mistakes: {
        ...torchScaled,
        'scale-of-all': [['d ** 0.5', 'C ** 0.5']],
        'merged-at-once': [['.transpose(1, 2).contiguous().view', '.reshape']],
        columns: [['d ** 0.5, dim=-1', 'd ** 0.5, dim=-2']],
        'no-output': [['out @ W_out', 'out']],
      },
    },
  ],
  batches,
  'layer-norm': [
    {
      code: `import numpy as np
def layer_norm(x, weight, bias):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * weight + bias`,
      mistakes: {
        columns: [
          ['x.mean(axis=-1', 'x.mean(axis=-2'],
          ['x.var(axis=-1', 'x.var(axis=-2'],
        ],
        all: [
          ['x.mean(axis=-1, keepdims=True)', 'x.mean()'],
          ['x.var(axis=-1, keepdims=True)', 'x.var()'],
        ],
        variance: [['np.sqrt(var + 1e-5)', '(var + 1e-5)']],
        'no-eps': [['var + 1e-5', 'var']],
        'outer-eps': [['np.sqrt(var + 1e-5)', '(np.sqrt(var) + 1e-5)']],
        'sample-variance': [['x.var(axis=-1', 'x.var(ddof=1, axis=-1']],
        'no-mean': [['(x - mean)', 'x']],
        'no-weight': [[' * weight', '']],
        'no-bias': [[' + bias', '']],
      },
    },
    {
      code: `import torch
def layer_norm(x, weight, bias):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    x = (x - mean) / torch.sqrt(var + 1e-5)
    return weight * x + bias`,
      mistakes: {
        variance: [['torch.sqrt(var + 1e-5)', '(var + 1e-5)']],
        'no-eps': [['var + 1e-5', 'var']],
        'no-weight': [['weight * x', 'x']],
        'no-bias': [[' + bias', '']],
      },
    },
  ],
  block,
  'online-softmax': onlineSoftmax,
  'softmax-backward': [
    {
      code: `import numpy as np
def softmax_backward(p, d_p):
    share = (p * d_p).sum(axis=-1, keepdims=True)
    return p * (d_p - share)`,
      mistakes: {
        elementwise: [['(d_p - share)', 'd_p']],
        sigmoid: [['(p * d_p).sum(axis=-1, keepdims=True)', 'p * d_p']],
        columns: [['axis=-1', 'axis=-2']],
        all: [['axis=-1, keepdims=True', '']],
        'no-weight': [['(p * d_p).sum', 'd_p.sum']],
        'no-output': [['return p * (d_p - share)', 'return d_p - share']],
      },
    },
    {
      code: `import torch
def softmax_backward(p, d_p):
    g = p * d_p
    return g - p * g.sum(dim=-1, keepdim=True)`,
      mistakes: {
        elementwise: [['g - p * g.sum(dim=-1, keepdim=True)', 'g']],
        columns: [['dim=-1', 'dim=-2']],
      },
    },
  ],
  'attention-backward': [
    {
      code: `${numpySoftmax}
def attention_backward(Q, K, V, d_output):
    d = Q.shape[-1]
    weights = softmax(Q @ K.T / np.sqrt(d))
    d_V = weights.T @ d_output
    d_weights = d_output @ V.T
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    d_scores = d_scores / d ** 0.5
    return d_scores @ K, d_scores.T @ Q, d_V`,
      mistakes: {
        'no-scale': [['    d_scores = d_scores / d ** 0.5\n', '']],
        'not-transposed': [['weights.T @ d_output', 'weights @ d_output']],
        elementwise: [
          ['(d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))', 'd_weights'],
        ],
        'no-softmax': [
          [
            'weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))',
            'd_weights',
          ],
        ],
      },
    },
  ],
};
