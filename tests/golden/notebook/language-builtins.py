# --- slice of long string
s = 'ab' * 10000
t = s[::-1]
n = len(t)
u = t[:5]
# --- sets
a = {1, 2} ^ {2, 5}
b = sorted(a)
c = sorted({1, 2} | {3})
d = sorted({1, 2} & {2})
e = sorted({1, 2} - {2})
# --- sets plus
{1, 2} + {3}
# --- sets times
{1, 2} * {3}
# --- dict add
{}.add(3)
# --- set keys
{1}.keys()
# --- set add
s = {1}
s.add(2)
s.update([3, 4])
t = sorted(s)
# --- set remove
s = {1, 2}
s.remove(1)
s.discard(5)
t = len(s)
# --- set remove missing
{1}.remove(2)
# --- strip
a = 'xxabxx'.strip('x')
b = '  a '.strip()
c = 'xyabyx'.strip('xy')
d = ''.strip('a')
e = 'aaa'.strip('a')
# --- round
a = round(25, -1)
b = round(35, -1)
c = round(15, -1)
d = round(25.0, -1)
e = round(2.5)
f = round(-2.5)
g = round(-0.4)
h = round(1234, -2)
i = round(1250, -2)
j = round(0.5)
k = round(2.675, 2)
l = round(-25, -1)
m = round(True)
n = round(2.5, None)
o = round(1e20)
# --- many
a = len([*range(200000)])
b = max(*range(150000))
def f(*args):
    return len(args)
c = f(*range(150000))
d = sum([1] * 200000)
# --- walrus
a = [y := x, y ** 2] if (x := 3) else 0
b = [last := i for i in range(4)]
c = last
def f():
    r = [z := i * 2 for i in range(3)]
    return z
d = f()
e = any((w := n) > 2 for n in [1, 3, 5])
f2 = w
# --- walrus in a nested comprehension
r = [[q := i + j for i in range(2)] for j in range(3)]
s = q
# --- lazy generators
seen = []
def f(x):
    seen.append(x)
    return x
a = any(f(x) > 1 for x in range(10))
g = (f(x) for x in range(3))
b = next(g)
c = list(g)
d = {f(x): x for x in range(2)}
e = sorted({x % 2 for x in range(5)})
h = [(x, y) for x in range(3) for y in range(x) if x + y > 1]
i = next(x for x in [1, 2, 3] if x > 1)
# --- text methods
a = '{{}} {} {!r} {x:.2f}'.format('a', 'b', x=1.5)
b = 'HELLO world'.title()
c = 'a,b'.split(',')
d = ' a  b '.split()
e = 'a$b'.replace('$', '$$')
# --- split by nothing
'ab'.split('')
# --- string characters
s = 'aé😀b'
a = len(s)
b = s[2]
c = s[::-1]
d = s[1:3]
# --- range items
r = range(10)
a = r[2]
b = r[-1]
c = list(r[2:8:2])
# --- range out of range
range(3)[3]
# --- pow divmod repr format next iter
a = pow(2, 3), divmod(7, 2), repr('a'), format(3.14159, '.2f'), next(iter([1, 2])), divmod(-7, 2)
# --- wrong arguments of builtins
len()
# --- wrong arguments of builtins 2
len(1, 2)
# --- wrong arguments of builtins 3
len([1], x=2)
# --- wrong arguments of functions
def f(a, b=1, *, c): pass
f(1)
# --- wrong arguments of functions 2
def f(a, b=1): pass
f(1, 2, 3)
# --- wrong arguments of functions 3
def f(a, b=1): pass
f(1, a=3)
# --- arguments
def f(a, b=2, *args, c=4, **named):
    return a, b, args, c, named
print(f(1), f(1, 2, 3, 4, c=5, d=6), f(*[1, 2], **{'x': 1}), f(a=1, b=3))
def g(*args, args2=1): return args, args2
print(g(1, args2=2))
def h(**args): return args
print(h(a=1))
# --- lambda and closures
fs = [lambda x, i=i: x + i for i in range(3)]
a = [f(1) for f in fs]
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    inner()
    return inner()
b = outer()
# --- dict update
d = {'a': 1}
d.update({'b': 2})
d.update([('c', 3)])
e = dict([('x', 1)], y=2)
f = d.pop('a')
# --- negative zero rounds
a = round(-0.4)
b = [round(x) for x in [0.5, 1.5, 2.5, -0.5, -1.5]]
# --- slices made by hand
import numpy as np
x = np.arange(10)
a = x[slice(1, None)]
b = x[slice(3)]
c = x[slice(None, None, 2)]
d = [1, 2, 3][slice(0, 2)]
# --- getattr with a default
class A:
    x = None
a = getattr(A(), 'x', 5)
b = getattr(A(), 'y', 5)
c = getattr(A(), 'y', None)
# --- getattr without
class A: pass
getattr(A(), 'y')
# --- types
import numpy as np
import torch
a = isinstance(3, int), isinstance(3.0, (int, float)), isinstance([1], list), isinstance({}, dict), isinstance({1}, set)
b = type(3) == int, type('a') is str, type([]) == list, isinstance(True, int), isinstance(np.ones(1), np.ndarray)
c = isinstance(torch.ones(1), torch.Tensor), int('3'), float('1.5'), str(3), bool([]), list('ab'), tuple([1]), dict(a=1)
d = range(5, 0, -2)[1], list(range(3)), len(range(2, 9, 3))
# --- math
import math
a = math.sqrt(4), math.floor(2.5), math.ceil(2.1), math.log(8, 2), math.log(math.e), math.isclose(1, 1 + 1e-12), math.prod([1, 2, 3]), math.pow(2, 3)
b = math.isnan(float('nan')), math.isinf(float('inf')), math.exp(0), math.tanh(0.5), math.trunc(-2.5), math.fabs(-3)
# --- math domain
import math
math.log(0)
# --- math domain 2
import math
math.sqrt(-1)
# --- import of None
from numpy import newaxis, ones
a = ones(2)[newaxis].shape
