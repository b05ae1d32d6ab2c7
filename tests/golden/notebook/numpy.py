# --- arrays of lists
import numpy as np
a = np.array([[1, 2], [3, 4]])
b = np.array([[1., 2.5], [3, 4]])
c = np.array([True, False])
print(a, b, c, a.shape, b.dtype, c.dtype, a.ndim, a.size)
# --- repr
import numpy as np
a = np.arange(6).reshape(2, 3)
print(repr(a), repr(a / 2), [a[0]], repr(a > 2))
# --- printing floats
import numpy as np
print(np.array([1.5, 2.25, -3]), np.array([0.1, 100]), np.array([1e-5, 1]), np.array([1e10, 1]), np.array([0.5, 0.25, 0.125]))
# --- printing infinities
import numpy as np
print(np.array([np.inf, 1, -np.inf, np.nan]), np.array([[-np.inf, 0], [0.5, 1]]))
# --- printing three axes
import numpy as np
print(np.arange(12).reshape(2, 2, 3))
# --- printing long rows
import numpy as np
print(np.arange(40))
print(np.arange(30) / 4)
# --- printing very long ones
import numpy as np
print(np.arange(2000))
print(np.zeros((40, 40)))
# --- printing empty ones
import numpy as np
print(np.array([]), np.zeros((0, 3)).shape, np.zeros(0).size)
# --- printing numbers of arrays
import numpy as np
a = np.array([1.5, 2.0])
print(a[0], a[1], a.sum(), a.max(), np.arange(3)[1], (a > 1)[0], [a[0], a[1]])
# --- zeros and ones
import numpy as np
print(np.zeros(3), np.ones((2, 2)), np.full((2,), 7), np.full((2,), 2.5), np.zeros((2, 1), dtype=int), np.eye(2), np.identity(2))
# --- like
import numpy as np
a = np.arange(4)
print(np.zeros_like(a), np.ones_like(a / 2), np.full_like(a, 9))
# --- arange and linspace
import numpy as np
print(np.arange(5), np.arange(2, 8, 2), np.arange(0, 1, 0.25), np.arange(3.0), np.linspace(0, 1, 5), np.arange(5, 0, -2))
# --- tri
import numpy as np
print(np.tri(3), np.tril(np.ones((3, 3))), np.triu(np.arange(9).reshape(3, 3), 1), np.tril(np.arange(9).reshape(3, 3), -1))
# --- triu of infinities
import numpy as np
m = np.triu(np.full((3, 3), -np.inf), 1)
print(m)
# --- arithmetic
import numpy as np
a = np.array([[1., 2], [3, 4]])
b = np.array([10., 20])
c = a + b, a - b, a * b, a / b, b / a, a ** 2, 2 ** a, -a, a + 1, 1 - a, 2 * a, a / 2, 3 / a
# --- whole numbers
import numpy as np
a = np.array([7, -7, 3])
print(a + 1, a * 2, a / 2, a // 2, a % 3, a ** 2, -a, (a + 1.0).dtype, (a / 1).dtype, (a // 2).dtype)
# --- types
import numpy as np
i, f, g, b = np.arange(2), np.ones(2), np.ones(2, dtype=np.float32), np.array([True, False])
print((i + f).dtype, (i + g).dtype, (g + f).dtype, (b + i).dtype, (b + b).dtype, (b * 1.5).dtype, (g * 2.0).dtype, (g + 1).dtype, (i * 1.5).dtype)
# --- types of results
import numpy as np
i, f, g = np.arange(4), np.ones(2), np.ones(2, dtype=np.float32)
print(i.sum().dtype, i.mean().dtype, g.mean().dtype, np.exp(i).dtype, np.exp(g).dtype, (i > 2).dtype, (i > 2).sum(), (i > 2).mean(), i.argmax().dtype)
# --- astype
import numpy as np
a = np.array([1.7, -1.7, 0])
print(a.astype(int), a.astype(bool), np.array([1, 0]).astype(float), np.array([1, 0]).astype(np.float32).dtype, np.array([True, False]).astype(int))
# --- broadcasting
import numpy as np
a = np.arange(3)
b = np.arange(2).reshape(2, 1)
c = np.arange(6).reshape(2, 1, 3)
print((a + b).shape, (b + c).shape, a[:, None] * a, (a + b))
# --- comparisons
import numpy as np
a = np.array([1, 2, 3])
b = np.array([3, 2, 1])
print(a < b, a == b, a != 2, a >= 2, 2 < a, (a > 1) & (b > 1), (a > 2) | (b > 2), ~(a > 1), np.logical_not(a > 1), np.logical_and(a > 1, b > 1))
# --- functions of elements
import numpy as np
a = np.array([0.5, 1, 2])
b = np.exp(a), np.log(a), np.sqrt(a), np.tanh(a), np.abs(-a), np.square(a), np.maximum(a, 1), np.minimum(a, [1, 2, 0]), np.sin(a), np.cos(a), np.floor(a), np.sign(-a), np.power(a, 3), np.clip(a, 0.7, 1.5), np.round(a * 1.234, 1)
# --- functions of numbers
import numpy as np
print(np.sqrt(16), np.exp(0), np.abs(-2), np.maximum(1, 2), np.sqrt(2.25), np.floor(2.5))
# --- sums
import numpy as np
a = np.arange(6.).reshape(2, 3)
b = a.sum(), a.sum(axis=0), a.sum(axis=1), a.sum(axis=-1, keepdims=True), a.sum(0), np.sum(a, axis=1), a.sum(axis=(0, 1)), np.sum(a, axis=(0,), keepdims=True)
print(b)
# --- means and others
import numpy as np
a = np.array([[1., 5, 3], [4, 2, 9]])
b = a.mean(), a.mean(axis=0), a.max(axis=1), a.min(), a.min(axis=0, keepdims=True), np.max(a), a.argmax(), a.argmax(axis=1), np.argmin(a, axis=0), a.std(), a.var(axis=1), a.std(axis=0, ddof=1), np.prod(a), np.cumsum(a), np.cumsum(a, axis=1), a.any(), (a > 1).all(), (a > 3).any(axis=0)
# --- products
import numpy as np
a = np.arange(6.).reshape(2, 3)
b = np.arange(12.).reshape(3, 4)
v = np.array([1., 2, 3])
c = a @ b, a @ v, v @ b, v @ v, np.dot(a, b), np.dot(v, v), a.dot(b), np.matmul(a, b), np.outer(v, v), np.inner(v, v)
print(v @ v, (a @ b).shape)
# --- products of whole numbers
import numpy as np
a = np.arange(4).reshape(2, 2)
print(a @ a, (a @ a).dtype, a @ np.ones(2))
# --- stacked products
import numpy as np
a = np.arange(12.).reshape(2, 2, 3)
b = np.arange(6.).reshape(3, 2)
c = a @ b, a @ a.swapaxes(-1, -2), a.transpose(0, 2, 1) @ a, np.arange(8.).reshape(2, 1, 2, 2) @ np.arange(12.).reshape(3, 2, 2)
# --- transposes
import numpy as np
a = np.arange(24).reshape(2, 3, 4)
print(a.T.shape, a.transpose(1, 0, 2).shape, a.transpose((2, 0, 1)).shape, a.swapaxes(0, 2).shape, np.transpose(a).shape, np.transpose(a, (0, 2, 1))[0], np.moveaxis(a, 0, -1).shape, np.arange(3).T)
# --- reshapes
import numpy as np
a = np.arange(12)
print(a.reshape(3, 4), a.reshape((2, -1)), a.reshape(2, 2, 3).shape, a.reshape(-1).shape, np.reshape(a, (4, 3))[1], a.reshape(3, 4).flatten().shape, a.reshape(3, 4).ravel()[5], a.reshape(3, 4).T.reshape(2, 6))
# --- new axes
import numpy as np
a = np.arange(3)
print(a[None].shape, a[:, None].shape, a[np.newaxis, :, np.newaxis].shape, np.expand_dims(a, 0).shape, np.expand_dims(a, -1).shape, np.zeros((1, 3, 1)).squeeze().shape, np.squeeze(np.zeros((1, 3)), axis=0).shape)
# --- joins
import numpy as np
a, b = np.arange(4).reshape(2, 2), np.ones((2, 2))
print(np.concatenate([a, b]), np.concatenate((a, b), axis=1), np.stack([a, a]).shape, np.stack([a, a], axis=-1), np.vstack([a[0], a[1]]), np.hstack([a, b]), np.hstack([a[0], a[1]]))
# --- splits
import numpy as np
a = np.arange(12).reshape(2, 6)
b, c, d = np.split(a, 3, axis=-1)
print(b, c, d, [x.shape for x in np.split(a, [1, 4], axis=1)], [x.shape for x in np.array_split(np.arange(7), 3)], len(np.split(a, 2)))
# --- repeats
import numpy as np
a = np.array([[1, 2], [3, 4]])
print(np.repeat(a, 2), np.repeat(a, 2, axis=1), np.tile(a, 2), np.tile([1, 2], (2, 2)), np.flip(a), np.flip(a, 0), np.roll([1, 2, 3], 1), np.broadcast_to([1, 2], (2, 2)))
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
# --- truth of an array
import numpy as np
a = np.array([1, 2])
if a > 1:
    pass
# --- shapes do not broadcast
import numpy as np
a = np.ones((2, 3))
b = np.ones(4)
c = a + b
# --- product does not fit
import numpy as np
a = np.ones((5, 6))
b = a @ a
# --- product of vectors does not fit
import numpy as np
np.ones(3) @ np.ones(4)
# --- product of stacks does not fit
import numpy as np
np.ones((2, 3, 4)) @ np.ones((3, 4, 5))
# --- reshape does not fit
import numpy as np
np.arange(6).reshape(4, 2)
# --- two unknown sizes
import numpy as np
np.arange(6).reshape(-1, -1)
# --- index out of bounds
import numpy as np
a = np.zeros((2, 3))
a[2]
# --- index out of bounds inside
import numpy as np
a = np.zeros((2, 3))
print(a[1, 2])
a[0, 3]
# --- too many indices
import numpy as np
np.zeros(3)[0, 0]
# --- float index
import numpy as np
np.zeros(3)[1.0]
# --- index by floats
import numpy as np
np.zeros(3)[np.array([0.0, 1.0])]
# --- list index out of bounds
import numpy as np
np.zeros(3)[[0, 5]]
# --- mask does not fit
import numpy as np
np.zeros(3)[np.array([True, False])]
# --- indices do not broadcast
import numpy as np
np.zeros((3, 3))[[0, 1], [0, 1, 2]]
# --- no such axis
import numpy as np
np.zeros((2, 3)).sum(axis=2)
# --- no such axis of softmax
import numpy as np
a = np.zeros((2, 3))
a.max(axis=-3)
# --- transpose of wrong axes
import numpy as np
np.zeros((2, 3)).transpose(0, 1, 2)
# --- transpose twice an axis
import numpy as np
np.zeros((2, 3)).transpose(0, 0)
# --- uneven split
import numpy as np
np.split(np.arange(7), 3)
# --- join of other shapes
import numpy as np
np.concatenate([np.zeros((2, 3)), np.zeros((2, 4))])
# --- join of other ranks
import numpy as np
np.concatenate([np.zeros((2, 3)), np.zeros(3)])
# --- stack of other shapes
import numpy as np
np.stack([np.zeros(2), np.zeros(3)])
# --- ragged lists
import numpy as np
np.array([[1, 2], [3]]).sum(axis=1)
# --- assignment does not fit
import numpy as np
a = np.zeros((2, 3))
a[0] = [1, 2]
# --- assignment out of bounds
import numpy as np
a = np.zeros(3)
a[3] = 1
# --- in place to another shape
import numpy as np
a = np.zeros(3)
a += np.ones((2, 3))
# --- in place to another type
import numpy as np
a = np.arange(3)
a += 0.5
# --- attribute of array
import numpy as np
np.zeros(3).foo
# --- name of numpy
import numpy as np
np.softmax([1, 2])
# --- maximum of nothing
import numpy as np
np.zeros(0).max()
# --- item of many
import numpy as np
np.zeros(3).item()
# --- float of many
import numpy as np
float(np.zeros((2, 2))[0])
# --- squeeze of no one
import numpy as np
np.zeros((2, 3)).squeeze(axis=0)
# --- wrong keyword
import numpy as np
np.zeros((2, 3)).sum(axes=0)
# --- string with array
import numpy as np
np.zeros(3) + 'a'
# --- einsum of wrong sizes
import numpy as np
np.einsum('ij,jk->ik', np.zeros((2, 3)), np.zeros((4, 2)))
# --- einsum of wrong ranks
import numpy as np
np.einsum('ijk->i', np.zeros((2, 3)))
# --- iteration over a number
import numpy as np
for x in np.array(3.0):
    pass
# --- len of a number
import numpy as np
len(np.array(3.0))
# --- boolean minus
import numpy as np
np.array([True]) - np.array([True])
# --- invert floats
import numpy as np
~np.ones(2)
# --- negative power
import numpy as np
np.arange(3) ** -1
# --- slice by float
import numpy as np
np.arange(5)[1.5:]
# --- step zero
import numpy as np
np.arange(5)[::0]
# --- error keeps lines before
import numpy as np
a = np.arange(3)
b = a * 2
c = b @ np.ones((2, 2))
d = c + 1
