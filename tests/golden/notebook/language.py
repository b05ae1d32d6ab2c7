# --- whole numbers
a = 7 // 2, -7 // 2, 7 % 3, -7 % 3, 2 ** 10, 2 ** -1, 7 / 2, 6 / 2
print(*a)
# --- floats
print(0.1 + 0.2, 1e16, 1e15, 1e-4, 1e-5, 100.0, -0.0, 1.5e300, 7.5 // 2, -7.5 % 2, 2.0 ** 0.5)
# --- infinities
inf = float('inf')
print(inf, -inf, inf - inf, inf > 1, float('nan') == float('nan'))
# --- booleans are numbers
print(True + True, True * 3, 3 > 2 > 1, 1 < 3 < 2, not 1, True == 1)
# --- bits
print(6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 4, 17 >> 2)
# --- chained comparison evaluates once
calls = []
def f(x):
    calls.append(x)
    return x
print(f(1) < f(2) < f(3), f(3) < f(2) < f(9), calls)
# --- and and or give values
print(0 or 'a', 1 and 'b', None or 0, '' and 1, [] or [1])
# --- conditional
x = 5
print('big' if x > 3 else 'small', 'a' if x < 3 else 'b' if x < 4 else 'c')
# --- strings
s = 'attention'
print(s[0], s[-1], s[2:5], s[::-1], len(s), s + '!', s * 2, 'ten' in s, s.upper(), s.replace('t', 'T'))
# --- string escapes
print('a\tb\nc\\', "it's", 'say "hi"', r'a\n', """two
lines""")
# --- repr of strings
print(['a', "it's", 'q"', 'n\n'])
# --- joined strings
print(', '.join(['a', 'b']), 'a b  c'.split(), 'a,b'.split(','), 'x'.join('abc'))
# --- string methods
print('Hello'.startswith('He'), 'Hello'.endswith('x'), '  x '.strip() + '|', 'abc'.find('c'), 'aXbX'.count('X'), 'a'.rjust(3) + '|')
# --- f-strings
a, b = 3, 2.5
print(f'{a} {b} {a + b} {a!r} {"q"!r} {{}} {a:5d}| {b:8.3f}| {b:<8}| {a:>4}| {a:^5}| {a:05d}')
# --- f-string specs
x = 1234.5678
print(f'{x:.2f} {x:e} {x:.3e} {x:g} {x:.3g} {x:,.1f} {x:+.1f} {x:10.1f}| {0.25:.1%} {255:x} {5:b} {1e10:g} {x:.0f}')
# --- f-string rounding of halves
print(f'{0.5:.0f} {1.5:.0f} {2.5:.0f} {0.125:.2f} {2.675:.2f} {-0.5:.0f}')
# --- f-string nested width
w = 7
print(f'{3:{w}d}|{2.5:{w}.{2}f}|{"a":>{w}}|')
# --- f-string names
x = 3
print(f'{x=} {x + 1=} {x=:4d}')
# --- format method
print('{} and {}'.format(1, 'b'), '{1} {0}'.format('a', 'b'), '{:.2f}'.format(2.345), '{x}'.format(x=3))
# --- lists
a = [1, 2, 3]
a.append(4)
a.extend([5, 6])
b = a[1:-1]
a[0] = 10
print(a, b, len(a), a[-2], a + [7], [0] * 3, 3 in a, a.index(4), a.pop(), a)
# --- lists are shared
a = [1, 2]
b = a
b.append(3)
print(a, a is b, a == [1, 2, 3])
# --- list slices with steps
a = list(range(10))
print(a[::2], a[::-1], a[8:2:-2], a[-3:], a[:3], a[20:], a[5:2])
# --- list sorting
a = [3, 1, 2]
a.sort()
print(a, sorted([3, 1, 2], reverse=True), sorted(['b', 'A', 'c'], key=lambda s: s.lower()), list(reversed(a)))
# --- nested lists
m = [[1, 2], [3, 4]]
m[1][0] = 9
print(m, m[1], [row[0] for row in m], sum([sum(row) for row in m]))
# --- tuples
t = (1, 'a', 2.5)
a, b, c = t
print(t, t[1], (1,), (), len(t), t + (1,), a, b, c)
# --- swapping
a, b = 1, 2
a, b = b, a
print(a, b)
# --- unpacking
(a, b), c = (1, 2), 3
first, *rest = [1, 2, 3]
*init, last = 'abc'
head, *middle, tail = range(5)
print(a, b, c, first, rest, init, last, middle)
# --- dictionaries
d = {'a': 1, 2: 'b'}
d['c'] = 3.0
d['a'] += 1
print(d, d['a'], 'c' in d, 'x' in d, d.get('x'), d.get('x', 0), len(d), list(d.keys()), list(d.values()))
for k, v in d.items():
    print(k, v)
# --- dict display and merge
a = {**{'x': 1}, 'y': 2}
print(a, dict(x=1, y=2), dict([('p', 1)]), {k: v for k, v in a.items() if v > 1})
# --- sets
s = {1, 2, 2, 3}
print(len(s), 2 in s, {x % 2 for x in range(5)} == {0, 1})
# --- comprehensions
print([x * x for x in range(5)], [x for x in range(10) if x % 3 == 0], [(x, y) for x in range(2) for y in 'ab'])
print({x: x * x for x in range(3)}, [[i * j for j in range(3)] for i in range(2)], sum(x for x in range(5)))
# --- comprehension scope
x = 'outer'
y = [x for x in range(3)]
print(x, y)
# --- while
n, steps = 27, 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
print(steps)
# --- while else and break
i = 0
while i < 5:
    i += 1
    if i == 3:
        break
else:
    print('no')
print(i)
# --- for else
for i in range(3):
    pass
else:
    print('done', i)
# --- continue
out = []
for i in range(6):
    if i % 2:
        continue
    out.append(i)
print(out)
# --- range
print(list(range(3)), list(range(2, 5)), list(range(5, 0, -2)), len(range(0, 10, 3)), range(3), range(1, 9, 2), 4 in range(5))
# --- zip and enumerate
print(list(zip([1, 2, 3], 'ab')), list(enumerate('ab')), list(enumerate('ab', start=1)))
for i, (a, b) in enumerate(zip(range(2), range(5, 7))):
    print(i, a, b)
# --- map filter any all
print(list(map(lambda x: x + 1, [1, 2])), list(filter(lambda x: x > 1, [1, 2, 3])), any([0, 1]), all([]), all([1, 0]))
# --- min max sum abs round
print(min(3, 1, 2), max([1, 5, 2]), max('abc', key=lambda c: -ord_(c)) if False else 'c', sum([1.5, 2]), abs(-3), abs(-2.5), round(2.5), round(3.5), round(2.675, 2), round(1234, -2), divmod(7, 3), pow(2, 3))
# --- conversions
print(int('12'), int(3.9), int(-3.9), float('2.5'), float(3), str(2.0), bool(''), bool('a'), list('ab'), tuple([1]), int(True))
# --- type checks
print(isinstance(1, int), isinstance(1.0, int), isinstance('a', (int, str)), type(1) == int, callable(len))
# --- functions
def f(a, b=2, *args, c=3, **named):
    return a, b, args, c, named
print(f(1), f(1, 5), f(1, 2, 3, 4), f(1, c=9, z=1), f(*[1, 2], **{'c': 4}))
# --- keyword only
def f(a, *, b=1):
    return a + b
print(f(1), f(1, b=5))
# --- defaults are evaluated once
def f(x, seen=[]):
    seen.append(x)
    return seen
f(1)
print(f(2))
# --- docstrings and annotations
def f(x: int, y: float = 2.0) -> float:
    """Adds."""
    z: float = x + y
    return z
print(f(1))
# --- several returns
def f():
    return 1, 2
a, b = f()
def g():
    pass
print(a, b, g(), f())
# --- recursion
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(12))
# --- closures
def adder(n):
    def add(x):
        return x + n
    return add
print(adder(3)(4), [f(1) for f in [lambda x, i=i: x + i for i in range(3)]], [f() for f in [lambda: i for i in range(3)]])
# --- nonlocal
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
c = counter()
c()
print(c())
# --- global
total = 0
def add(x):
    global total
    total += x
add(3)
add(4)
print(total)
# --- lambda
f = lambda x, y=1: x * y
print(f(3), f(3, 4), (lambda: 5)())
# --- classes
class Point:
    kind = 'point'
    def __init__(self, x, y=0):
        self.x = x
        self.y = y
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5
    def __repr__(self):
        return f'Point({self.x}, {self.y})'
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
p = Point(3, 4)
p.x = 6
print(p, p.norm(), Point.kind, p.kind, p + Point(1), [p])
# --- inheritance
class A:
    def __init__(self, n):
        self.n = n
    def name(self):
        return 'A'
    def both(self):
        return self.name() + str(self.n)
class B(A):
    def __init__(self, n):
        super().__init__(n + 1)
    def name(self):
        return 'B' + super().name()
print(B(1).both(), isinstance(B(1), A), isinstance(A(1), B))
# --- special methods
class V:
    def __init__(self, items):
        self.items = items
    def __len__(self):
        return len(self.items)
    def __getitem__(self, i):
        return self.items[i]
    def __call__(self, x):
        return x * 2
    def __mul__(self, k):
        return V([k * i for i in self.items])
    def __eq__(self, other):
        return self.items == other.items
v = V([1, 2, 3])
print(len(v), v[1], v(4), (v * 2).items, v == V([1, 2, 3]))
# --- property
class A:
    @property
    def x(self):
        return 5
print(A().x)
# --- augmented assignment
x = 5
x += 1; x -= 2; x *= 3; x /= 2; x //= 1; x **= 2; x %= 5
print(x)
# --- several targets
a = b = [1]
a.append(2)
print(b)
# --- walrus
if (n := 10) > 5:
    print(n)
# --- print options
print(1, 2, sep=', ', end='!\n')
print()
print('a', None, True, sep='')
# --- del
a = [1, 2, 3]
del a[1]
x = 1
del x
print(a)
# --- math
import math
print(math.sqrt(16), math.floor(2.7), math.ceil(2.1), math.pi, math.exp(0), math.log(math.e), math.log(8, 2), math.inf, math.isnan(math.nan))
# --- from import
from math import sqrt as root, pi
print(root(2), round(pi, 3))
# --- numbers with points
print(1., .5, 1.e-3, 2.5e+2, 1_000, 0x10, -1.*2)
# --- multi-line expressions
x = (1 +
     2 +
     3)
y = [
    1,
    2,
]
z = 1 + \
    2
print(x, y, z)
# --- statements on one line
a = 1; b = 2; print(a + b)
if a: print('one')
# --- comments
# first
x = 1  # behind
print(x)  # end
# --- none
x = None
print(x is None, x is not None, x == None, [None])
# --- generators are used once
g = (x for x in range(3))
print(list(g), list(g), sum(x * x for x in [1, 2, 3]))
# --- nested functions and names
def outer():
    x = 1
    def inner():
        x = 2
        return x
    return inner(), x
print(outer())
# --- assert holds
assert 1 + 1 == 2, 'no'
print('yes')
