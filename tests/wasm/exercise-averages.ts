// Programs for the averages as products, and for batches.
import { numpySoftmax, torchHead, type Style } from './exercise-styles.js';

export const triangle: readonly Style[] = [
  {
    code: `import numpy as np
def triangle_average(x):
    T = x.shape[1]
    W = np.tril(np.ones((T, T)))
    W = W / W.sum(axis=1, keepdims=True)
    return W, W @ x`,
    mistakes: {
      sum: [['    W = W / W.sum(axis=1, keepdims=True)\n', '']],
      future: [['np.tril(np.ones((T, T)))', 'np.ones((T, T))']],
      divisor: [['W.sum(axis=1, keepdims=True)', 'T']],
      columns: [['axis=1', 'axis=0']],
      turned: [['np.tril(', 'np.triu(']],
      'hides-itself': [['np.ones((T, T)))', 'np.ones((T, T)), -1)']],
    },
  },
  {
    code: `import torch
def triangle_average(x):
    B, T, C = x.shape
    wei = torch.tril(torch.ones(T, T))
    wei = wei / wei.sum(1, keepdim=True)
    return wei, wei @ x`,
    mistakes: {
      sum: [['    wei = wei / wei.sum(1, keepdim=True)\n', '']],
      columns: [['wei.sum(1', 'wei.sum(0']],
      turned: [['torch.tril(', 'torch.triu(']],
      divisor: [['wei.sum(1, keepdim=True)', 'T']],
    },
  },
];

export const softmaxOfMask: readonly Style[] = [
  {
    code: `${numpySoftmax}
def softmax_average(x):
    T = x.shape[1]
    scores = np.triu(np.full((T, T), -np.inf), 1)
    weights = softmax(scores)
    return weights, weights @ x`,
    mistakes: {
      'no-mask': [['np.triu(np.full((T, T), -np.inf), 1)', 'np.zeros((T, T))']],
      'mask-of-zeros': [['np.triu(np.full((T, T), -np.inf), 1)', 'np.tril(np.ones((T, T)))']],
      'mask-turned': [
        ['np.triu(np.full((T, T), -np.inf), 1)', 'np.tril(np.full((T, T), -np.inf), -1)'],
      ],
      'hides-itself': [['-np.inf), 1)', '-np.inf))']],
      'mask-after-softmax': [
        ['np.triu(np.full((T, T), -np.inf), 1)', 'np.zeros((T, T))'],
        ['softmax(scores)', 'np.tril(softmax(scores))'],
      ],
      columns: [
        ['axis=-1, keepdims=True))', 'axis=-2, keepdims=True))'],
        ['e.sum(axis=-1', 'e.sum(axis=-2'],
      ],
    },
  },
  {
    code: `${torchHead}def softmax_average(x):
    B, T, C = x.shape
    tril = torch.tril(torch.ones(T, T))
    wei = torch.zeros((T, T))
    wei = wei.masked_fill(tril == 0, float('-inf'))
    wei = F.softmax(wei, dim=-1)
    return wei, wei @ x`,
    mistakes: {
      'no-mask': [["    wei = wei.masked_fill(tril == 0, float('-inf'))\n", '']],
      columns: [['dim=-1', 'dim=0']],
      'mask-turned': [['torch.tril(', 'torch.triu(']],
      'hides-itself': [['torch.ones(T, T))', 'torch.ones(T, T), -1)']],
    },
  },
];

export const batches: readonly Style[] = [
  {
    code: `${numpySoftmax}
def batched_attention(Q, K, V, real):
    d = Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(d)
    scores = np.where(real[:, None, :] == 1, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V`,
    mistakes: {
      'no-mask': [['    scores = np.where(real[:, None, :] == 1, scores, -np.inf)\n', '']],
      'mask-of-zeros': [['scores, -np.inf)', 'scores, 0)']],
      'mask-after-softmax': [
        ['    scores = np.where(real[:, None, :] == 1, scores, -np.inf)\n', ''],
        ['softmax(scores)', 'softmax(scores) * real[:, None, :]'],
      ],
      'first-mask': [['real[:, None, :]', 'real[0]']],
      'no-scale': [[' / np.sqrt(d)', '']],
      'scale-by-width': [['/ np.sqrt(d)', '/ d']],
      multiplied: [['/ np.sqrt(d)', '* np.sqrt(d)']],
      overflow: [[' - z.max(axis=-1, keepdims=True)', '']],
      'keys-for-values': [['weights @ V', 'weights @ K']],
    },
  },
  {
    code: `${torchHead}def batched_attention(Q, K, V, real):
    d = Q.size(-1)
    scores = Q @ K.transpose(-2, -1) / d ** 0.5
    scores = scores.masked_fill(real.unsqueeze(1) == 0, float('-inf'))
    weights = F.softmax(scores, dim=-1)
    return weights @ V`,
    mistakes: {
      'no-mask': [["    scores = scores.masked_fill(real.unsqueeze(1) == 0, float('-inf'))\n", '']],
      'mask-of-zeros': [["float('-inf')", '0']],
      'no-scale': [[' / d ** 0.5', '']],
      'keys-for-values': [['weights @ V', 'weights @ K']],
    },
  },
  {
    code: `${torchHead}def batched_attention(Q, K, V, real):
    out = []
    for q, k, v, r in zip(Q, K, V, real):
        n = int(r.sum())
        weights = F.softmax(q @ k[:n].T / q.shape[-1] ** 0.5, dim=-1)
        out.append(weights @ v[:n])
    return torch.stack(out)`,
    mistakes: {
      'no-scale': [[' / q.shape[-1] ** 0.5', '']],
    },
  },
];
