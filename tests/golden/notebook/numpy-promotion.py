# --- numpy floats
import numpy as np
x = np.arange(3)
a = np.floor(x)
b = np.ceil(x)
c = np.sign(x)
d = np.sin(x)
e = np.floor(np.array([1.5, -0.5], dtype=np.float32))
f = np.log2(np.array([1., 2.], dtype=np.float32))
g = np.log1p(x)
# --- keepdims as numbers
import numpy as np
a = np.ones((2, 3)).sum(axis=1, keepdims=1)
# --- split by range
import numpy as np
a, b, c = np.split(np.arange(6), [2, 3])
d = np.split(np.arange(6), range(2, 5, 2))
# --- clip and where with numbers
import numpy as np
x = np.arange(5)
a = np.where(x > 2, x, 0)
b = np.where(x > 2, x, 0.5)
c = np.where(x > 2)
d = np.clip(x, 1, 3)
e = x.clip(1.5)
f = np.where(True, 1, 2)
g = np.where([True, False], [1, 2], [3., 4.])
# --- floor divide
import numpy as np
x = np.arange(12).reshape(3, 4)
a = x // 3
b = x % 5
c = x // np.array([1, 2, 3, 4])
d = x % np.array([[2], [3], [4]])
e = (x + 0.5) // np.array([[2], [3], [4]])
f = 7 // (x + 1)
g = np.isclose(x, 3)
h = x.T // 2
i = np.float64(7) // 2
j = x[:, ::2] % 3
# --- stack range
import numpy as np
a = np.stack(range(3))
b = np.vstack(range(3))
c = np.hstack([range(2), range(3)])
d = np.array(range(4))
e = np.concatenate([range(2), [5]])
# --- concatenate range
import numpy as np
np.concatenate(range(3))
# --- small numbers
import numpy as np
a = np.array([0., 1.]) + 1e-12
b = np.maximum(np.zeros(2), 1e-12)
c = np.array([0.]) / b[0]
d = np.sqrt(np.zeros(2))
e = 1 / (np.zeros(2) + 1e-10)
f = np.zeros(2) + 1e-9
print(f, b, a)
# --- shortest
import numpy as np
x = np.array([1012.10925])[0]
print(np.float32(1012.10925), np.array([1012.10925], dtype=np.float32))
# --- float32 digits
import numpy as np
x = np.array([1012.10925, 0.1, 3.0], dtype=np.float32)
print(x[0], x[1], x.tolist()[2])
# --- floats printed
import numpy as np
print(np.array([1012.10925])[0], np.array([1012.10925]), np.array([0.1, 1e-5]), np.array([1e10, 1.5]))
print(np.array([1.5, np.nan, np.inf]), np.arange(3), np.arange(3) > 1, np.array([[1.25, 2], [3, 4]]))
print(np.float32(0.1), np.array([0.1], dtype=np.float32), np.zeros((0, 3)), np.arange(2000))
print(repr(np.arange(30) * 1.5))
print(np.arange(3000).reshape(3, 1000))
# --- numpy reductions
import numpy as np
x = np.arange(12).reshape(3, 4)
a = x.sum(), x.sum(0), x.mean(axis=(0, 1)), x.max(axis=1, keepdims=True), x.argmax(), x.argmin(axis=1), x.prod(axis=0), x.cumsum(), x.cumsum(axis=1)
b = x.var(), x.std(axis=0, ddof=1), np.var(x, axis=1), np.std(x), np.any(x > 3, axis=0), np.all(x > 3)
c = np.argmax(x, axis=0), np.cumsum(x, axis=0), np.prod(np.array([True, False])), np.roll(x, 1), np.roll(x, 2, axis=1), np.repeat(x, 2, axis=0), np.repeat([1, 2], [2, 3]), np.take(x, [0, 5]), np.take(x, 1, axis=1)
d = np.array_equal(x, x), np.allclose(x, x + 1e-9), np.isclose(x, 3), np.zeros_like(x), np.ones_like(x, dtype=float), np.full_like(x, 2.5)
e = np.linalg.norm(x), np.linalg.norm(x, axis=1), np.inner(x, x), np.flip(x, axis=1), np.sort(-x, axis=1), np.argsort(-x), abs(-x), np.abs(-x)
# --- sign of booleans
import numpy as np
np.sign(np.arange(3) > 1)
# --- concatenate errors
import numpy as np
np.concatenate([np.ones((2, 3)), np.ones((2, 2))])
# --- stack errors
import numpy as np
np.stack([np.ones(2), np.ones(3)])
# --- mask errors
import numpy as np
np.ones((2, 3))[np.array([True, False, True])]
# --- index errors
import numpy as np
np.ones((2, 3))[0, 0, 0]
# --- broadcast to fewer axes
import numpy as np
np.broadcast_to(np.ones((2, 2)), 2)
# --- broadcast wrong
import numpy as np
np.broadcast_to(np.ones((2, 2)), (2, 3))
# --- types of None
import numpy as np
a = np.arange(2).astype(None)
