# --- causal mask by where
import numpy as np
rng = np.arange(16.0).reshape(4, 4)
T = rng.shape[0]
i = np.arange(T)
mask = i[:, None] >= i[None, :]
scores = np.where(mask, rng / 10, -np.inf)
e = np.exp(scores - scores.max(-1, keepdims=True))
w = e / e.sum(-1, keepdims=True)
print(w.round(3))
print(f'{mask.sum()} of {mask.size} seen, rows sum to {w.sum(-1)}')
assert np.allclose(w.sum(axis=1), 1), 'rows must sum to one'
# --- heads by einsum
import numpy as np
B, T, H, D = 2, 3, 2, 4
q = np.arange(B * T * H * D, dtype=np.float32).reshape(B, H, T, D) / 48
k = np.cos(q)
scores = np.einsum('bhid,bhjd->bhij', q, k) / D ** 0.5
same = q @ k.swapaxes(-2, -1) / np.sqrt(D)
print(np.allclose(scores, same, atol=1e-6), scores.shape, scores.dtype)
out = np.einsum('bhij,bhjd->bihd', scores, k).reshape(B, T, H * D)
trace = np.einsum('ii', np.eye(3))
outer = np.einsum('i,j->ij', np.arange(3), np.arange(2))
# --- heads by list comprehension
import numpy as np
np.set_printoptions(precision=3, suppress=True)
X = np.linspace(-1, 1, 24).reshape(4, 6)
heads = [X[:, h * 2:(h + 1) * 2] for h in range(3)]
outs = []
for n, head in enumerate(heads, start=1):
    s = head @ head.T / np.sqrt(head.shape[1])
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    outs.append(p @ head)
    print(f'head {n:>2}: {p.max():.3f} {p.min():8.2e} {p.shape}')
joined = np.concatenate(outs, axis=-1)
stacked = np.stack(outs, axis=0)
print(joined.shape, stacked.shape, [o.shape for o in outs])
print(joined)
# --- module of one head
import torch
import torch.nn as nn
from torch.nn import functional as F

class Head(nn.Module):
    """ one head of self-attention """
    def __init__(self, n_embd, head_size, block_size, dropout=0.0):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer('tril', torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * C**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float('-inf'))
        wei = F.softmax(wei, dim=-1)
        wei = self.dropout(wei)
        v = self.value(x)
        return wei @ v

class MultiHead(nn.Module):
    def __init__(self, num_heads, head_size, n_embd):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd, head_size, 8) for _ in range(num_heads)])
        self.proj = nn.Linear(n_embd, n_embd)
    def forward(self, x):
        out = torch.cat([h(x) for h in self.heads], dim=-1)
        return self.proj(out)

m = MultiHead(4, 2, 8)
m.eval()
x = torch.ones(2, 5, 8)
with torch.no_grad():
    y = m(x)
shape = tuple(y.shape)
del x, y, m
print(shape)
# --- scaled dot product attention
import torch
import torch.nn.functional as F
q = torch.arange(24.).view(1, 2, 3, 4) / 24
k = q.flip(-1)
v = q * 2
s = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
m = torch.ones(3, 3, dtype=torch.bool).tril()
s = s.masked_fill(~m, float('-inf'))
a = s.softmax(-1)
o = a @ v
print(o.shape, o.dtype, a.sum(-1).allclose(torch.ones(1, 2, 3)))
# --- torch arange and where
import torch
T = 5
pos = torch.arange(T)
dist = pos[:, None] - pos[None, :]
bias = -dist.abs().float() * 0.5
mask = dist < 0
bias = bias.masked_fill(mask, float('-inf'))
w = torch.softmax(bias, dim=-1)
print(torch.where(dist >= 0, dist, torch.zeros_like(dist)))
print(w.argmax(dim=-1).tolist(), w[2].tolist()[3:])
topv, topi = w[2:].topk(2, dim=-1)
lse = torch.logsumexp(bias, -1)
rolled = torch.roll(pos, 2).flip(0)
d = torch.diag(torch.ones(2)), torch.trace(w), w[0].argsort(descending=True)[0]
# --- dictionary of words
words = 'the cat sat on the mat'.split()
vocab = sorted(set(words))
stoi = {w: i for i, w in enumerate(vocab)}
itos = {i: w for w, i in stoi.items()}
ids = [stoi[w] for w in words]
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
best = max(counts, key=counts.get)
order = sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))
print(ids, ' '.join(itos[i] for i in ids))
print(best, order)
for k, v in order[:2]:
    print(f'{k:<6}|{v:03d}|{v / len(words):.1%}')
# --- nested functions and stars
def compose(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x
    return run
def scale(by=2, **more):
    return lambda x: x * by + more.get('plus', 0)
f = compose(scale(), scale(by=3, plus=1), lambda x: -x)
a = f(2)
first, *rest = range(5)
*init, last = 'abc'
opts = dict(by=5, plus=2)
b = scale(**opts)(1)
print(a, first, rest, init, last, b, *rest, sep=', ', end='!\n')
def count(start=0):
    n = start
    def more():
        nonlocal n
        n += 1
        return n
    return more
c = count(10)
c()
d = c()
# --- sums
import numpy as np
rows = [[1, 2, 3], [4, 5, 6]]
total = sum(sum(r) for r in rows)
flat = sum(rows, [])
cols = [sum(c) for c in zip(*rows)]
T = list(map(list, zip(*rows)))
dot = sum(a * b for a, b in zip(rows[0], rows[1]))
some = any(x > 5 for r in rows for x in r)
every = all(x > 0 for x in flat)
pairs = [(i, j) for i in range(3) for j in range(3) if i < j]
np_sum = sum(np.array(rows))
print(total, flat, cols, T, dot, some, every, pairs, np_sum)
# --- format specs
import numpy as np
x = 3.14159
n = 42
name = 'T'
print(f'{x:.2f} {x:8.3f} {x:<8.2f}| {x:+.1e} {n:5d} {n:05d} {n:,} {n:b} {n:x}')
print(f'{name!r} {name:>5} {name:^5}| {name * 3}')
print(f'{x=:.2f} {n=}')
w = 10
print(f'{x:{w}.2f} {"yes" if n > 3 else "no"} {{}}')
a = np.array([1.5, 2.25])
print(f'{a[0]:.1f} {a.mean():.3f} {a} {a.shape}')
print('%d of %d, %.2f%%' % (1, 2, 50.0))
print('{} {:.2f} {k}'.format(1, 2.5, k=3))
print(str(a), repr(a))
# --- layer norm and gelu
import numpy as np
def layer_norm(x, gamma, beta, eps=1e-5):
    mu, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return gamma * (x - mu) / np.sqrt(var + eps) + beta
def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
x = np.arange(12.0).reshape(3, 4)
y = layer_norm(x, np.ones(4), np.zeros(4))
np.testing.assert_allclose(y.mean(-1), 0, atol=1e-6)
z = gelu(y)
print(z.shape, np.abs(z).max() < 2)
# --- positional encoding
import numpy as np
T, C = 6, 4
pos = np.arange(T)[:, np.newaxis]
i = np.arange(0, C, 2)
div = np.exp(i * -(np.log(10000.0) / C))
pe = np.zeros((T, C))
pe[:, 0::2] = np.sin(pos * div)
pe[:, 1::2] = np.cos(pos * div)
print(pe[:2].round(3))
print(pe.shape, pe[-1, ...].tolist() == list(pe[T - 1]))
# --- positional encoding in torch
import math
import torch
T, C = 6, 4
pe = torch.zeros(T, C)
position = torch.arange(0, T, dtype=torch.float).unsqueeze(1)
div_term = torch.exp(torch.arange(0, C, 2).float() * (-math.log(10000.0) / C))
pe[:, 0::2] = torch.sin(position * div_term)
pe[:, 1::2] = torch.cos(position * div_term)
pe = pe.unsqueeze(0)
print(pe.size(), pe[0, 1])
# --- rotary
import torch
def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)
x = torch.arange(8.).reshape(2, 4)
theta = 10000 ** (-torch.arange(0, 2) / 2)
angle = torch.outer(torch.arange(2).float(), theta)
angle = torch.cat([angle, angle], dim=-1)
y = x * angle.cos() + rotate_half(x) * angle.sin()
# --- cross entropy by hand
import numpy as np
logits = np.array([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3]])
targets = np.array([0, 1])
z = logits - logits.max(axis=1, keepdims=True)
logp = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
loss = -logp[np.arange(2), targets].mean()
onehot = np.eye(3)[targets]
grad = (np.exp(logp) - onehot) / len(targets)
acc = (logits.argmax(axis=1) == targets).mean()
print(f'loss {loss:.4f}, accuracy {acc:.0%}')
# --- key value cache
import numpy as np
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)
cache = {'k': np.empty((0, 2)), 'v': np.empty((0, 2))}
for t in range(3):
    x = np.full((1, 2), t + 1.0)
    cache['k'] = np.vstack([cache['k'], x])
    cache['v'] = np.vstack([cache['v'], 2 * x])
    out = softmax(x @ cache['k'].T) @ cache['v']
    print(t, cache['k'].shape, out.ravel())
# --- online softmax
import math
def online(xs):
    m, l = float('-inf'), 0.0
    for x in xs:
        new = max(m, x)
        l = l * math.exp(m - new) + math.exp(x - new)
        m = new
    return [math.exp(x - m) / l for x in xs]
p = online([1.0, 3.0, 2.0])
assert abs(sum(p) - 1) < 1e-9
assert math.isclose(sum(p), 1.0)
print([round(x, 4) for x in p])
# --- classes of one's own
class Tokenizer:
    unknown = '?'
    def __init__(self, text):
        self.chars = sorted(list(set(text)))
        self.stoi = {ch: i for i, ch in enumerate(self.chars)}
    def __len__(self):
        return len(self.chars)
    def __repr__(self):
        return f'Tokenizer({len(self)} letters)'
    def encode(self, s):
        return [self.stoi.get(c, -1) for c in s]
    def decode(self, ids):
        return ''.join(self.chars[i] if i >= 0 else self.unknown for i in ids)
    @property
    def size(self):
        return len(self)
    @staticmethod
    def of(text):
        return Tokenizer(text)
t = Tokenizer.of('hello world')
print(t, t.encode('hex'), t.decode(t.encode('hex')), t.size)
# --- embedding and loss
import torch
import torch.nn.functional as F
table = torch.arange(12.).view(4, 3) / 10
ids = torch.tensor([[0, 2], [3, 1]])
x = table[ids]
logits = x @ table.t()
loss = F.cross_entropy(logits.view(-1, 4), ids.view(-1))
one = F.one_hot(ids, num_classes=4)
print(x.shape, f'{loss.item():.4f}', one.sum().item())
# --- sequential module
import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4), nn.Dropout(0.1))
n = sum(p.numel() for p in net.parameters())
shape = list(net(torch.zeros(2, 4)).shape)
print(n, shape)
del net
# --- masks of padding
import torch
lengths = torch.tensor([3, 1])
T = 4
pad = torch.arange(T)[None, :] >= lengths[:, None]
scores = torch.zeros(2, T, T)
scores = scores.masked_fill(pad.unsqueeze(1), -1e9)
w = scores.softmax(dim=-1)
print(w[1], pad.any(dim=1), (~pad).sum(1))
x = torch.ones(2, T, 3)
x[pad] = 0
mean = x.sum(1) / lengths.unsqueeze(-1)
# --- numpy tricks
import numpy as np
a = np.arange(12).reshape(3, 4)
print(a[a % 2 == 0], a[::-1, ::2], a[[0, 2]], a[..., -1])
print(np.tril(a), np.triu(a, k=1), np.diag(a[:, :3]))
print(a.cumsum(axis=1) / np.arange(1, 5))
print(np.repeat(a[:1], 2, axis=0), np.tile([1, 2], 2), np.hstack([a, a])[0])
print(np.argsort([3, 1, 2]), np.sort([3, 1, 2])[::-1], np.unique([1, 2, 1]))
print(np.clip(a, 2, 5).min(), np.isinf(np.array([1, -np.inf])), np.nan_to_num(np.array([np.nan, 1])))
print(np.linalg.norm(a), np.dot(a, a.T)[0], np.matmul(a, a.T).trace(), np.diag([np.inf, 1]),, np.outer([1, 2], [3, 4]))
print(np.array_equal(a, a.copy()), np.expand_dims(a, 0).shape, np.squeeze(a[None]).shape, a.T.flatten()[:3])
print(np.split(a, 2, axis=1)[0].shape, np.moveaxis(a[None], 0, -1).shape, np.transpose(a[None], (0, 2, 1)).shape)
print(np.broadcast_to(np.arange(3), (2, 3)), np.full_like(a, 7)[0], np.ones_like(a, dtype=float)[0])
for row in a:
    print(row.sum(), end=' ')
print()
print([i * j for i, j in np.ndindex(2, 3)])
np.testing.assert_array_equal(a.T.T, a)
for (i, j), v in np.ndenumerate(a[:1, :2]):
    print(i, j, v)
# --- printing options
import numpy as np
a = np.array([[1.23456789, 0.00001234], [1000.7, 2.0]])
print(a)
np.set_printoptions(precision=3)
print(a, a[0, 0])
np.set_printoptions(suppress=True, precision=4)
print(a, repr(a[1]))
np.set_printoptions(threshold=5, linewidth=30)
print(np.arange(20))
print(np.arange(5) / 3)
# --- printing options of torch
import torch
a = torch.tensor([[1.23456789, 0.00001234], [1000.5, 2.0]])
print(a)
torch.set_printoptions(precision=2, sci_mode=False)
print(a)
torch.set_printoptions(sci_mode=True)
print(a)
# --- percent formats
print('%5.2f|%-6s|%06.1f|%+d|%x|%s|%r|%5d|%e' % (3.14159, 'ab', 2.5, 3, 255, [1], 'x', 7, 12345.678))
print('%s' % 'one', '%d%%' % 50.7, '%(a)d %(b).1f' % {'a': 1, 'b': 2})
'%d' % 'a'
# --- percent with too few
'%d %d' % (1,)
# --- percent with too many
'%d' % (1, 2)
# --- testing fails
import numpy as np
np.testing.assert_allclose(np.array([1.0, 2.0]), np.array([1.0, 2.1]))
# --- testing of shapes
import numpy as np
np.testing.assert_array_equal(np.zeros(2), np.zeros(3))
# --- close in spite of rounding
import numpy as np
x = np.linspace(-3, 5, 24).reshape(4, 6)
y = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
a = np.allclose(y.mean(-1), 0), np.allclose(y.std(-1), 1), np.allclose(1e-3, 1.1e-3), np.allclose(0.0, 1e-5)
np.testing.assert_allclose(y.std(-1), 1)
np.testing.assert_almost_equal(y.mean(-1), 0)
# --- methods of tensors
import torch
x = torch.tensor([[0.5, -1.5], [2.5, 0.0]])
a = x.sin() + x.cos(), x.floor(), x.ceil(), x.sign(), x.rsqrt()[0, 0], x.abs().log1p(), x.expm1(), x.tan()
b = x.isnan(), x.isinf(), x.isfinite(), x.logical_not(), (x > 0).logical_and(x > 1), x.maximum(torch.zeros(2, 2))
c = x.where(x > 0, torch.zeros(2, 2)), x.flip(0, 1), x.roll(1, 0), x.allclose(x), x.equal(x + 1), x[0].outer(x[1])
d = x.logsumexp(-1), x.logsumexp(0, keepdim=True), torch.tensor([float('inf'), 1.0]).nan_to_num(), x.reciprocal()[0]
e = torch.tensor([3, 1, 2]).floor(), torch.argsort(torch.tensor([3, 1, 2])), x.diag(), x.trace()
f = x.topk(1).values, x.topk(1, dim=0, largest=False).indices
x.topk(3)
# --- points at the end of numbers
import numpy as np
x = np.arange(1, 4)
a = 1. / x, 2. * x, 3. + 1, [1. , 2.], (4.), 5. if True else 6., 1.e-3 * 2, 7. ** 2, -1. @ np.eye(1) if False else 0., {1.: 2.}
b = 10 ** -1. # a point
c = 'version 3. of 4. ', f'{2. * 3:.1f}', x[0:2], 1_000. - 1
d = 1. and 2., not 0., 3. == 3
# --- limits of types, defaults, items that are deleted
import numpy as np
import torch
d = {'a': 1, 'b': 2}
del d['a']
n = sorted(d), max([], default=0), min([3, 4], default=0), max([1, 2], key=lambda v: -v), max([], default=None)
hidden = torch.triu(torch.ones(3, 3), 1).bool()
x = torch.zeros(3, 3)
w = x.masked_fill(hidden, torch.finfo(x.dtype).min).softmax(-1)
limits = float(np.finfo(np.float64).eps), torch.finfo(torch.float32).max, torch.finfo(torch.float32).eps
del d['c']
