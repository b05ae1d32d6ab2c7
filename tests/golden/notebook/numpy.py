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
