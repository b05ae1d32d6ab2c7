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
