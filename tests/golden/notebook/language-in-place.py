# --- update once
calls = []
class A:
    def __init__(self):
        self.x = 1
a = A()
def get():
    calls.append(1)
    return a
get().x += 1
n = len(calls)
x = a.x
l = [1, 2]
def lst():
    calls.append(2)
    return l
lst()[0] += 5
m = len(calls)
# --- update with list
import numpy as np
x = np.ones(2)
y = x
x += [1, 2]
x *= (2, 3)
# --- update radd
class A:
    def __radd__(self, other):
        return ('radd', other)
x = 3
x += A()
y = [1]
# --- update iadd
class A:
    def __init__(self): self.l = []
    def __iadd__(self, other):
        self.l.append(other)
        return self
    def __add__(self, other):
        return 'no'
a = A()
b = a
a += 1
n = a.l
s = a is b
# --- update casts
import numpy as np
x = np.arange(3)
x += 1.5
# --- update casts bool
import numpy as np
x = np.arange(3) > 1
x += 1
# --- update casts divide
import numpy as np
x = np.arange(3)
x /= 2
# --- update shape
import numpy as np
x = np.ones(3)
x += np.ones((2, 3))
# --- update shape torch
import torch
x = torch.ones(3)
x += torch.ones(2, 3)
# --- update casts torch
import torch
x = torch.arange(3)
x += 1.5
# --- update casts torch bool
import torch
x = torch.arange(3) > 1
x += 1
# --- update scalar keeps
import numpy as np
x = np.ones(3)[0]
y = x
x += 1
# --- update float32
import numpy as np
x = np.ones(3, dtype=np.float32)
x += np.ones(3)
x -= 1
x **= 2
x //= 1
# --- update matmul numpy
import numpy as np
x = np.eye(2)
x @= np.ones((2, 2))
# --- update matmul torch
import torch
x = torch.eye(2)
x @= torch.ones(2, 2)
# --- update lists in place
a = [1]
b = a
a += (2, 3)
a *= 2
a += 'xy'
c = {1}
d = c
c |= {2}
e = sorted(d)
s = 'a'
s += 'b'
t = (1,)
u = t
t += (2,)
# --- update list with number
a = [1]
a += 3
# --- update attribute array in place
import numpy as np
class A: pass
a = A()
a.x = np.zeros(2)
y = a.x
a.x += 1
d = {'k': np.zeros(2)}
z = d['k']
d['k'] += 2
# --- del out of range
l = [1, 2]
del l[7]
# --- del
l = [1, 2, 3]
del l[-1]
del l[0]
# --- del far negative
l = [1, 2]
del l[-3]
# --- set out of range
l = [1]
l[1] = 2
# --- set with a bool and numpy index
import numpy as np
l = [1, 2, 3]
l[True] = 5
l[np.argmax(np.array([0, 1, 2]))] = 7
a = l.pop(np.int64(0))
b = l.pop(-1)
c = l.pop(False)
# --- pop range
[1].pop(3)
# --- pop empty
[].pop()
# --- set with a string
l = [1]
l['a'] = 2
