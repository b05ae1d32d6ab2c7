# --- indexing
import numpy as np
a = np.arange(24).reshape(2, 3, 4)
print(a[0, 1, 2], a[1].shape, a[-1, -1], a[:, 1].shape, a[..., 0], a[0, :, 1:3], a[0][1], a[1, ..., 2], a[:, :, None].shape, a[()].shape)
# --- slices with steps
import numpy as np
a = np.arange(10)
m = np.arange(20).reshape(4, 5)
print(a[::2], a[::-1], a[8:2:-2], a[-3:], a[:-3], a[2:100], a[5:2], m[::2, ::-1], m[1:3, ::3], m[:, -1], m[-2:, :2])
# --- indexing with lists
import numpy as np
a = np.arange(12).reshape(3, 4)
print(a[[0, 2]], a[[0, 2], 1], a[[0, 1], [1, 2]], a[:, [3, 0]], a[np.array([[0, 1], [2, 0]])].shape, a[[-1]], a[[0, 2]][:, [1, 2]])
# --- indexing with several arrays
import numpy as np
a = np.arange(24).reshape(2, 3, 4)
i, j = np.array([0, 1]), np.array([2, 0])
print(a[i, j], a[i, :, j].shape, a[:, i, j].shape, a[i[:, None], j].shape, a[0, i], a[i, 1], a[i, :, 1].shape)
# --- masks
import numpy as np
a = np.arange(6).reshape(2, 3)
print(a[a > 2], a[a % 2 == 0].sum(), a[np.array([True, False])], a[:, [True, False, True]], a[a > 10])
# --- rows by targets
import numpy as np
logits = np.array([[1., 2, 3], [4, 5, 6]])
y = np.array([2, 0])
print(logits[np.arange(2), y], logits[range(2), y])
# --- where
import numpy as np
a = np.array([1., -2, 3])
print(np.where(a > 0, a, 0), np.where(a > 0), np.where([True, False], [1, 2], [3, 4]), np.where(a[:, None] > a, 1, 0), np.where(a > 0, 1, -1))
# --- assignment
import numpy as np
a = np.zeros((2, 3))
a[0, 1] = 5
a[1] = [1, 2, 3]
a[:, 0] = 9
print(a)
a[a > 4] = -1
a[0, :] += 10
a[1, 2] *= 3
print(a)
# --- assignment of parts
import numpy as np
a = np.arange(12.).reshape(3, 4)
a[1:, ::2] = 0
a[0, -1] = 100
a[:, 1] = a[:, 2] + 1
print(a)
# --- assignment with broadcasting
import numpy as np
a = np.zeros((2, 2, 2))
a[:] = 1
a[0] = np.array([5, 6])
a[..., 1] = np.array([[1], [2]])
a[1, 1] = 7
print(a)
# --- assignment by arrays
import numpy as np
a = np.zeros((3, 4))
a[np.arange(3), [0, 2, 3]] = 1
a[[0, 1]] -= 2
print(a)
p = np.ones((2, 3))
p[np.arange(2), [0, 1]] -= 1
print(p)
# --- repeated places
import numpy as np
a = np.zeros(3)
a[[0, 0, 1]] = [1, 2, 3]
a[[2, 2]] += 1
print(a)
# --- types in assignment
import numpy as np
a = np.zeros(3, dtype=int)
a[0] = 2.7
a[1] = True
a[2:] = np.array([3.9])
print(a, a.dtype)
# --- views share
import numpy as np
a = np.arange(6)
b = a[1:4]
b[0] = 100
c = a.reshape(2, 3)
c[1, 2] = -1
a[2] = 50
print(a, b, c)
# --- views of views
import numpy as np
a = np.zeros((3, 3))
a.T[0] = 1
a[1:][:, 1:][0] = 5
b = a.swapaxes(0, 1)
b[2, 0] = 9
row = a[2]
row += 3
print(a)
# --- copies do not share
import numpy as np
a = np.arange(4)
b = a.copy()
c = a[[0, 1]]
d = a + 0
e = np.array(a)
b[0] = c[0] = d[0] = e[0] = 9
f = a.flatten()
f[1] = 9
print(a)
# --- views see later changes
import numpy as np
a = np.ones((2, 2))
b = a[0]
t = a.T
a[0, 1] = 5
a += 1
print(b, t)
# --- in place
import numpy as np
a = np.array([1., 2])
b = a
a += 1
a *= b
print(a, b)
a = a + 1
print(a, b)
# --- loops over arrays
import numpy as np
a = np.arange(6).reshape(2, 3)
for row in a:
    for x in row:
        print(x, end=' ')
print(sum(a[0]), [r.sum() for r in a], list(a[0]), len(a), 3 in a)
# --- scalars of arrays in python
import numpy as np
a = np.array([1.5, 2])
print(int(a[1]), float(a[0]), a[0] + 1, a[0] > 1, a.sum() / 2, bool(a[0]), a.tolist(), a[0].item(), round(float(a[0])), f'{a[0]:.3f}', f'{a.mean():.2f}')
# --- allclose
import numpy as np
a = np.array([1., 2])
print(np.allclose(a, a + 1e-9), np.allclose(a, a + 1), np.isclose(a, [1, 3]), np.array_equal(a, a), np.isnan([1, np.nan]), np.isinf([np.inf, 1]))
# --- einsum of two
import numpy as np
a = np.arange(6.).reshape(2, 3)
b = np.arange(12.).reshape(3, 4)
c = np.einsum('ij,jk->ik', a, b), np.einsum('ij,jk', a, b), np.einsum('ij,jk->ki', a, b), np.einsum('ij,jk->i', a, b), np.einsum('ij->ji', a), np.einsum('ij->', a), np.einsum('ij,ij->i', a, a), np.einsum('i,j->ij', a[0], b[0]), np.einsum('ii->i', b[:, :3]), np.einsum('ii', b[:, :3])
# --- einsum of heads
import numpy as np
q = np.arange(24.).reshape(2, 3, 4) / 10
k = np.arange(40.).reshape(2, 5, 4) / 10
v = np.arange(30.).reshape(2, 5, 3) / 10
s = np.einsum('btd,bsd->bts', q, k)
o = np.einsum('...ts,...sd->...td', s, v)
p = np.einsum('btd,bsd,bse->bte', q, k, v)
# --- einsum of three
import numpy as np
a, b, c = np.arange(4.).reshape(2, 2), np.arange(6.).reshape(2, 3), np.arange(3.)
print(np.einsum('ij,jk,k->i', a, b, c))
# --- softmax
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
a = np.arange(6.).reshape(2, 3)
b = softmax(a), softmax(a, axis=0), softmax(np.array([1000., 1000.]))
# --- attention
import numpy as np
def softmax(Z):
    E = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)
def self_attention(X, mask, W_KQV, W_out):
    K, Q, V = np.split(X @ W_KQV, 3, axis=-1)
    attn = softmax(K @ Q.swapaxes(-1, -2) / np.sqrt(X.shape[-1]) + mask)
    return attn @ V @ W_out, attn
T, d = 4, 6
X = np.sin(np.arange(2 * T * d)).reshape(2, T, d)
W_KQV = np.cos(np.arange(d * 3 * d)).reshape(d, 3 * d) / 3
W_out = np.sin(np.arange(d * d) * 0.7).reshape(d, d)
mask = np.triu(-float('inf') * np.ones((T, T)), 1)
Y, A = self_attention(X, np.where(np.isnan(mask), 0, mask), W_KQV, W_out)
# --- heads
import numpy as np
def multihead(X, heads, W):
    B, T, d = X.shape
    K, Q, V = np.split(X @ W, 3, axis=-1)
    K, Q, V = [a.reshape(B, T, heads, d // heads).swapaxes(1, 2) for a in (K, Q, V)]
    S = K @ Q.swapaxes(-1, -2) / np.sqrt(d // heads)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return (A @ V).swapaxes(1, 2).reshape(B, T, d), A
X = np.sin(np.arange(2 * 3 * 4.)).reshape(2, 3, 4)
Y, A = multihead(X, 2, np.cos(np.arange(48.)).reshape(4, 12))
# --- block
import numpy as np
def layer_norm(Z, eps):
    return (Z - Z.mean(axis=-1, keepdims=True)) / np.sqrt(Z.var(axis=-1, keepdims=True) + eps)
def relu(Z):
    return np.maximum(Z, 0)
X = np.sin(np.arange(12.)).reshape(3, 4)
W1 = np.cos(np.arange(32.)).reshape(4, 8)
W2 = np.cos(np.arange(32.) * 2).reshape(8, 4)
Z = layer_norm(X, 1e-5)
Y = layer_norm(Z + relu(Z @ W1) @ W2, 1e-5)
# --- average of the past
import numpy as np
B, T, C = 4, 8, 2
x = np.sin(np.arange(B * T * C)).reshape(B, T, C)
xbow = np.zeros((B, T, C))
for b in range(B):
    for t in range(T):
        xprev = x[b, :t + 1]
        xbow[b, t] = np.mean(xprev, 0)
wei = np.tril(np.ones((T, T)))
wei = wei / wei.sum(1, keepdims=True)
xbow2 = wei @ x
print(np.allclose(xbow, xbow2))
# --- online softmax
import numpy as np
x = np.array([1., 3, 2, 5, 4])
m, l = -np.inf, 0.0
for v in x:
    new = max(m, v)
    l = l * np.exp(m - new) + np.exp(v - new)
    m = new
print(f'{m:.1f} {l:.4f}', np.round(np.exp(x - m) / l, 4))
# --- cross entropy and its gradient
import numpy as np
X = np.sin(np.arange(6.)).reshape(3, 2)
W = np.cos(np.arange(8.)).reshape(2, 4)
y = np.array([1, 0, 3])
logits = X @ W
p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
loss = -np.log(p[np.arange(3), y]).mean()
g = p.copy()
g[np.arange(3), y] -= 1
dW = X.T @ g / 3
print(f'{loss:.5f}')
# --- gradient descent
import numpy as np
x = np.array([1., 2, 3])
y = 2 * x + 1
w, b = 0.0, 0.0
for i in range(50):
    e = w * x + b - y
    w -= 0.05 * (e * x).mean()
    b -= 0.05 * e.mean()
print(f'{w:.3f} {b:.3f}')
# --- one hot
import numpy as np
ids = np.array([0, 2, 1])
print(np.eye(3)[ids], np.arange(3) == ids[:, None])
# --- positions
import numpy as np
T, C = 4, 6
pos = np.arange(T)[:, None]
i = np.arange(0, C, 2)
div = np.exp(-np.log(10000.0) * i / C)
pe = np.zeros((T, C))
pe[:, 0::2] = np.sin(pos * div)
pe[:, 1::2] = np.cos(pos * div)
# --- sort and unique
import numpy as np
a = np.array([3, 1, 2, 3])
print(np.sort(a), np.argsort(a[:3]), np.unique(a), np.sort([[3, 1], [2, 5]]), np.sort([[3, 1], [2, 0]], axis=0), np.median([3, 1, 2]))
# --- diag and norm
import numpy as np
a = np.arange(9.).reshape(3, 3)
print(np.diag(a), np.diag([1, 2]), np.linalg.norm([3., 4]), np.linalg.norm(a, axis=1).round(3), np.take(a, [0, 2], axis=1), np.count_nonzero(a))
# --- empty and one
import numpy as np
a = np.zeros((0, 3))
b = np.ones((1, 1))
print(a.sum(), a.sum(axis=0), b + b, a.shape, (a @ np.ones((3, 2))).shape, b.item(), np.concatenate([a, np.ones((1, 3))]).shape)
# --- list and array
import numpy as np
a = np.array([1, 2])
print(a + [3, 4], [3, 4] * a, (1, 2) - a, a == [1, 3], np.sum([1, 2, 3]), np.mean([[1, 2], [3, 4]], axis=0), np.max([1, 5]))
# --- arrays of arrays
import numpy as np
a = np.arange(3)
print(np.array([a, a * 2]), np.array([a[0], a[1], 5]), np.array([[x, x ** 2] for x in a]), np.asarray([1.0, 2]))
# --- float32
import numpy as np
a = np.array([0.1, 0.2], dtype=np.float32)
print(a, a.dtype, a * 3, repr(a), np.float32(0.5), a.sum().dtype)
