// Programs for the block, and for softmax over blocks of keys.
import { numpySoftmax, torchHead, type Style } from './exercise-styles.js';

export const block: readonly Style[] = [
  {
    code: `${numpySoftmax}
def layer_norm(x):
    apart = x - x.mean(axis=-1, keepdims=True)
    return apart / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)

def self_attention(X, mask, W_KQV, W_out):
    K, Q, V = np.split(X @ W_KQV, 3, axis=-1)
    d = X.shape[-1]
    attn = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(d) + mask)
    return attn @ V @ W_out

def block(X, mask, W_KQV, W_out, W_1, W_2):
    N = layer_norm(X)
    H = X + self_attention(N, mask, W_KQV, W_out)
    M = layer_norm(H)
    Y = H + np.maximum(M @ W_1, 0) @ W_2
    return Y`,
    mistakes: {
      'post-norm': [
        ['N = layer_norm(X)', 'N = X'],
        [
          'H = X + self_attention(N, mask, W_KQV, W_out)',
          'H = X + self_attention(X, mask, W_KQV, W_out)',
        ],
        [
          'Y = H + np.maximum(M @ W_1, 0) @ W_2',
          'Y = layer_norm(M + np.maximum(M @ W_1, 0) @ W_2)',
        ],
      ],
      'no-norms': [
        ['N = layer_norm(X)', 'N = X'],
        ['M = layer_norm(H)', 'M = H'],
      ],
      'no-first-norm': [['N = layer_norm(X)', 'N = X']],
      'no-second-norm': [['M = layer_norm(H)', 'M = H']],
      'no-sums': [
        ['H = X + self', 'H = self'],
        ['Y = H + np', 'Y = np'],
      ],
      'no-first-sum': [['H = X + self', 'H = self']],
      'no-second-sum': [['Y = H + np', 'Y = np']],
      'normed-sum': [['H = X + self', 'H = N + self']],
      'old-sum': [['Y = H + np', 'Y = X + np']],
      parallel: [['M = layer_norm(H)', 'M = N']],
      'no-relu': [['np.maximum(M @ W_1, 0)', 'M @ W_1']],
      'relu-last': [['np.maximum(M @ W_1, 0) @ W_2', 'np.maximum(M @ W_1 @ W_2, 0)']],
      'no-output': [[' @ V @ W_out', ' @ V']],
      order: [['K, Q, V =', 'Q, K, V =']],
      'no-mask': [[' + mask', '']],
      'no-scale': [[' / np.sqrt(d)', '']],
      'scale-by-width': [['/ np.sqrt(d)', '/ d']],
      multiplied: [['/ np.sqrt(d)', '* np.sqrt(d)']],
      columns: [
        ['axis=-1, keepdims=True))', 'axis=-2, keepdims=True))'],
        ['e.sum(axis=-1', 'e.sum(axis=-2'],
      ],
      'no-softmax': [['attn = softmax(', 'attn = (']],
    },
  },
  {
    code: `${torchHead}
def block(X, mask, W_KQV, W_out, W_1, W_2):
    C = X.size(-1)
    norm = F.layer_norm(X, (C,))
    k, q, v = (norm @ W_KQV).chunk(3, dim=-1)
    att = F.softmax(q @ k.transpose(-2, -1) / C ** 0.5 + mask, dim=-1)
    x = X + att @ v @ W_out
    h = F.relu(F.layer_norm(x, (C,)) @ W_1)
    return x + h @ W_2`,
    mistakes: {
      'no-first-norm': [['F.layer_norm(X, (C,))', 'X']],
      'no-second-norm': [['F.layer_norm(x, (C,))', 'x']],
      'no-first-sum': [['x = X + att', 'x = att']],
      'no-second-sum': [['return x + h', 'return h']],
      'normed-sum': [['x = X + att', 'x = norm + att']],
      'old-sum': [['return x + h', 'return X + h']],
      parallel: [['F.layer_norm(x, (C,))', 'F.layer_norm(X, (C,))']],
      'no-relu': [['F.relu(F.layer_norm(x, (C,)) @ W_1)', 'F.layer_norm(x, (C,)) @ W_1']],
      'no-output': [[' @ v @ W_out', ' @ v']],
      order: [['k, q, v =', 'q, k, v =']],
      'no-mask': [[' + mask', '']],
      'no-scale': [[' / C ** 0.5', '']],
      columns: [['mask, dim=-1', 'mask, dim=-2']],
    },
  },
  {
    code: `import torch
import torch.nn as nn
import torch.nn.functional as F

class Block(nn.Module):
    def __init__(self, W_KQV, W_out, W_1, W_2):
        super().__init__()
        C = W_out.shape[0]
        self.ln1 = nn.LayerNorm(C)
        self.ln2 = nn.LayerNorm(C)
        self.W_KQV = nn.Parameter(W_KQV)
        self.W_out = nn.Parameter(W_out)
        self.W_1 = nn.Parameter(W_1)
        self.W_2 = nn.Parameter(W_2)

    def attend(self, x, mask):
        K, Q, V = torch.chunk(x @ self.W_KQV, 3, dim=-1)
        scores = Q @ K.transpose(-2, -1) * x.shape[-1] ** -0.5
        return F.softmax(scores + mask, dim=-1) @ V @ self.W_out

    def forward(self, x, mask):
        x = x + self.attend(self.ln1(x), mask)
        x = x + F.relu(self.ln2(x) @ self.W_1) @ self.W_2
        return x

def block(X, mask, W_KQV, W_out, W_1, W_2):
    return Block(W_KQV, W_out, W_1, W_2)(X, mask)`,
    mistakes: {
      'post-norm': [
        ['x + self.attend(self.ln1(x), mask)', 'self.ln1(x + self.attend(x, mask))'],
        [
          'x + F.relu(self.ln2(x) @ self.W_1) @ self.W_2',
          'self.ln2(x + F.relu(x @ self.W_1) @ self.W_2)',
        ],
      ],
      'no-norms': [
        ['self.ln1(x)', 'x'],
        ['self.ln2(x)', 'x'],
      ],
      'no-first-sum': [['x = x + self.attend', 'x = self.attend']],
      'normed-sum': [
        [
          '        x = x + self.attend(self.ln1(x), mask)\n',
          '        x = self.ln1(x)\n        x = x + self.attend(x, mask)\n',
        ],
      ],
      'relu-last': [
        ['F.relu(self.ln2(x) @ self.W_1) @ self.W_2', 'F.relu(self.ln2(x) @ self.W_1 @ self.W_2)'],
      ],
      multiplied: [['** -0.5', '** 0.5']],
      'no-mask': [['scores + mask', 'scores']],
    },
  },
];

export const onlineSoftmax: readonly Style[] = [
  {
    code: `${numpySoftmax}
def online_attention(Q, K, V, block):
    d = Q.shape[-1]
    m = np.full((Q.shape[0], 1), -np.inf)
    l = np.zeros((Q.shape[0], 1))
    o = np.zeros((Q.shape[0], V.shape[1]))
    for i in range(0, K.shape[0], block):
        s = Q @ K[i:i + block].T / np.sqrt(d)
        n = np.maximum(m, s.max(axis=-1, keepdims=True))
        keep = np.exp(m - n)
        p = np.exp(s - n)
        l = l * keep + p.sum(axis=-1, keepdims=True)
        o = o * keep + p @ V[i:i + block]
        m = n
    return o / l`,
    mistakes: {
      'not-rescaled': [
        ['l = l * keep', 'l = l'],
        ['o = o * keep', 'o = o'],
      ],
      'sum-not-rescaled': [['l = l * keep', 'l = l']],
      'blend-not-rescaled': [['o = o * keep', 'o = o']],
      'last-block': [['        m = n\n', '']],
      'each-block': [
        ['o = o * keep + p @', 'o = o + softmax(s) @'],
        ['return o / l', 'return o'],
      ],
      overflow: [
        ['keep = np.exp(m - n)', 'keep = 1'],
        ['np.exp(s - n)', 'np.exp(s)'],
      ],
      'block-max': [
        ['np.maximum(m, s.max(axis=-1, keepdims=True))', 's.max(axis=-1, keepdims=True)'],
      ],
      rest: [['range(0, K.shape[0], block)', 'range(0, K.shape[0] // block * block, block)']],
      'no-division': [['return o / l', 'return o']],
      'no-scale': [[' / np.sqrt(d)', '']],
      'scale-by-width': [['/ np.sqrt(d)', '/ d']],
      'keys-for-values': [['p @ V[i', 'p @ K[i']],
    },
  },
  {
    code: `import torch
def online_attention(Q, K, V, block):
    d = Q.size(-1)
    keys, values = K.split(block), V.split(block)
    s = Q @ keys[0].T / d ** 0.5
    most = s.max(dim=-1, keepdim=True).values
    p = torch.exp(s - most)
    total = p.sum(dim=-1, keepdim=True)
    blend = p @ values[0]
    for k, v in zip(keys[1:], values[1:]):
        s = Q @ k.T / d ** 0.5
        new = torch.maximum(most, s.max(dim=-1, keepdim=True).values)
        keep = torch.exp(most - new)
        p = torch.exp(s - new)
        total = total * keep + p.sum(dim=-1, keepdim=True)
        blend = blend * keep + p @ v
        most = new
    return blend / total`,
    mistakes: {
      'not-rescaled': [
        ['total = total * keep', 'total = total'],
        ['blend = blend * keep', 'blend = blend'],
      ],
      'sum-not-rescaled': [['total = total * keep', 'total = total']],
      'blend-not-rescaled': [['blend = blend * keep', 'blend = blend']],
      turned: [['torch.exp(most - new)', 'torch.exp(new - most)']],
      'last-block': [
        ['total = total * keep + p', 'total = p'],
        ['blend = blend * keep + p', 'blend = p'],
      ],
      'block-max': [
        [
          'torch.maximum(most, s.max(dim=-1, keepdim=True).values)',
          's.max(dim=-1, keepdim=True).values',
        ],
      ],
      'no-division': [['return blend / total', 'return blend']],
      'scale-by-width': [
        ['keys[0].T / d ** 0.5', 'keys[0].T / d'],
        ['k.T / d ** 0.5', 'k.T / d'],
      ],
    },
  },
  {
    code: `import numpy as np
def online_attention(Q, K, V, block):
    rows = []
    for q in Q:
        m, l, o = -np.inf, 0, 0
        for i in range(0, len(K), block):
            k, v = K[i:i + block], V[i:i + block]
            s = k @ q / np.sqrt(len(q))
            n = max(m, s.max())
            keep, p = np.exp(m - n), np.exp(s - n)
            l, o = l * keep + p.sum(), o * keep + p @ v
            m = n
        rows.append(o / l)
    return np.stack(rows)`,
    mistakes: {
      'not-rescaled': [['l * keep + p.sum(), o * keep + p', 'l + p.sum(), o + p']],
      'sum-not-rescaled': [['l * keep', 'l']],
      'blend-not-rescaled': [['o * keep', 'o']],
      'last-block': [['l * keep + p.sum(), o * keep + p @ v', 'p.sum(), p @ v']],
      rest: [['range(0, len(K), block)', 'range(0, len(K) // block * block, block)']],
      'no-division': [['o / l', 'o']],
      'no-scale': [[' / np.sqrt(len(q))', '']],
      'keys-for-values': [['p @ v', 'p @ k']],
    },
  },
];
