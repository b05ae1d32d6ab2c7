// Programs to begin with: one with a mistake in it, and some of the notebooks' examples.
import type { ProgramId } from '../../state/write';

const softmax = `import numpy as np

def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
`;

/** One head as it is often written: its scores are not scaled. */
export const firstTry = `import numpy as np

def attention(Q, K, V):
    scores = Q @ K.swapaxes(-1, -2)
    weights = softmax(scores)
    return weights @ V

def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
`;

const numbers = `np.random.seed(3)
B, T, C = 1, 4, 6
X = np.random.randn(B, T, C)`;

export const programs: Readonly<Record<ProgramId, string>> = {
  average: `import numpy as np

x = np.array([[2., 7.], [6., 4.], [6., 5.]])
T, C = x.shape
y = np.zeros((T, C))
for t in range(T):
    past = x[:t + 1]
    y[t] = past.mean(axis=0)
print(y)
`,
  triangle: `import torch

x = torch.tensor([[2., 7.], [6., 4.], [6., 5.]])
T, C = x.shape
ones = torch.tril(torch.ones(T, T))
weights = ones / ones.sum(dim=1, keepdim=True)
y = weights @ x

scores = torch.zeros(T, T)
scores = scores.masked_fill(ones == 0, float('-inf'))
same = torch.softmax(scores, dim=-1) @ x
print(torch.allclose(y, same))
`,
  self: `${softmax}
def self_attention(X, mask, W_KQV, W_out):
    K, Q, V = np.split(X @ W_KQV, 3, axis=-1)
    scores = K @ Q.swapaxes(-1, -2) / np.sqrt(X.shape[-1])
    attn = softmax(scores + mask)
    return attn @ V @ W_out, attn

${numbers}
mask = np.triu(-np.inf * np.ones((T, T)), 1)
W_KQV = np.random.randn(C, 3 * C)
W_out = np.random.randn(C, C)
Y, A = self_attention(X, mask, W_KQV, W_out)
print(A.sum(axis=-1))
`,
  heads: `${softmax}
def multi_head(X, mask, heads, W_KQV, W_out):
    B, T, C = X.shape
    K, Q, V = np.split(X @ W_KQV, 3, axis=-1)
    K, Q, V = [a.reshape(B, T, heads, C // heads).swapaxes(1, 2) for a in (K, Q, V)]
    scores = K @ Q.swapaxes(-1, -2) / np.sqrt(C // heads)
    attn = softmax(scores + mask)
    joined = (attn @ V).swapaxes(1, 2).reshape(B, T, C)
    return joined @ W_out, attn

${numbers}
mask = np.triu(-np.inf * np.ones((T, T)), 1)
W_KQV = np.random.randn(C, 3 * C)
W_out = np.random.randn(C, C)
Y, A = multi_head(X, mask, 2, W_KQV, W_out)
`,
  block: `import torch
import torch.nn as nn
import torch.nn.functional as F

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def attend(self, x):
        T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=-1)
        scores = q @ k.transpose(-1, -2) / C ** 0.5
        future = torch.triu(torch.ones(T, T), diagonal=1).bool()
        weights = F.softmax(scores.masked_fill(future, float('-inf')), dim=-1)
        return weights @ v

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        hidden = torch.relu(self.up(self.norm2(x)))
        return x + self.down(hidden)

torch.manual_seed(1)
block = Block(4)
x = torch.randn(5, 4)
y = block(x)
print(y.shape)
`,
};

/** An example of a teacher's exercise. */
export const madeByDefault = {
  title: 'A window of two',
  task: 'x has the shape [T, C]. Row t of the result is the mean of the rows t - 1 and t of x; row 0 stays as it is.',
  program: `import numpy as np

def window(x):
    before = np.concatenate([x[:1], x[:-1]])
    return (x + before) / 2
`,
  skeleton: `import numpy as np

def window(x):
    pass
`,
  hints: 'Row t needs row t - 1 beside it.\n`x[:-1]` is x without its last row.',
  cases: 'x: 5 3\nx: 1 2\nx: 8 1',
};
