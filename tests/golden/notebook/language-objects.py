# --- staticmethod
class A:
    @staticmethod
    def f(x):
        return x + 1
    @property
    def p(self):
        return 3
a = A()
b = a.f(2)
c = A.f(3)
d = a.p
# --- property set
class A:
    @property
    def p(self):
        return 3
a = A()
a.p = 4
# --- depth
class A:
    @property
    def p(self):
        return self.q
a = A()
n = 0
for i in range(300):
    if not hasattr(a, 'p'):
        n += 1
print(n)
# --- bool of objects
class A:
    def __init__(self, n):
        self.n = n
    def __bool__(self):
        return self.n > 0
class L:
    def __len__(self):
        return 0
a = bool(A(0))
b = any([A(0), A(0)])
c = all([A(1), A(0)])
d = not A(0)
e = [x.n for x in filter(None, [A(0), A(2)])]
f = bool(L())
g = bool(A(3))
h = len(L())
# --- iter of objects
class A:
    def __iter__(self):
        return iter([1, 2, 3])
a = list(A())
b = tuple(A())
c = sum(A())
d = max(A())
e = sorted(A(), reverse=True)
f = [x for x in A()]
g = 2 in A()
h, i, j = A()
k = [*A()]
l = list(zip(A(), A()))
m = list(map(lambda x: x + 1, A()))
n = ', '.join(str(x) for x in A())
o = list(enumerate(A()))
p = []
p.extend(A())
q = sorted(set(A()))
r = list(reversed([*A()]))
s = min(A())
# --- sum of objects
class V:
    def __init__(self, x):
        self.x = x
    def __add__(self, other):
        return V(self.x + (other.x if isinstance(other, V) else other))
    def __radd__(self, other):
        return V(other + self.x)
    def __eq__(self, other):
        return isinstance(other, V) and self.x == other.x
    def __repr__(self):
        return f'V({self.x})'
print(sum([V(1), V(2)]))
print(V(1) == V(1), V(1) != V(1), V(1) != V(2), 1 == V(1), V(1) == 1)
print(V(1) in [V(2), V(1)], [V(1)] == [V(1)], (V(1),) != (V(1),))
print([V(1), V(2)].index(V(2)), [V(1), V(1)].count(V(1)))
print({'a': V(1)} == {'a': V(1)})
print([V(1), {'k': V(2)}], (V(3),))
print(str(V(1)), repr(V(2)), f'{V(3)}', f'{V(3)!r}', '{}'.format(V(4)))
d = {}
d[V(1)] = 2
# --- reflected
class V:
    def __rsub__(self, other):
        return ('rsub', other)
    def __rmul__(self, other):
        return ('rmul', other)
    def __rtruediv__(self, other):
        return ('rdiv', other)
    def __rpow__(self, other):
        return ('rpow', other)
    def __rmatmul__(self, other):
        return ('rmatmul', other)
    def __pow__(self, other):
        return ('pow', other)
a = 1 - V()
b = 'a' * V()
c = 2 / V()
d = 2 ** V()
e = 3 @ V()
f = pow(V(), 4)
g = [1] * V()
# --- len and items
class S:
    def __init__(self):
        self._items = [1, 2, 3]
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return self._items[i] * 10
s = S()
a = len(s)
b = s[1]
c = s[-1]
# --- own _items are private
class S:
    def __init__(self):
        self._items = [1, 2, 3]
s = S()
a = 1
for x in s:
    a += 1
# --- own _items have no len
class S:
    def __init__(self):
        self._items = [1, 2, 3]
len(S())
# --- own _items not indexed
class S:
    def __init__(self):
        self._items = [1, 2, 3]
S()[0]
# --- str and repr
class A:
    def __str__(self):
        return 'text'
class B:
    def __repr__(self):
        return 'B!'
a = str(A())
b = str(B())
c = str([B()])
d = f'{A()} {B()}'
e = repr([B(), (B(),)])
# --- exceptions are written
e = ValueError('x', 3)
print(e, repr(ValueError('y')), [ValueError('z')], repr(ValueError()))
# --- super with arguments
class A:
    def __init__(self, n):
        self.n = n
    def f(self):
        return 'A'
class B(A):
    def __init__(self):
        super(B, self).__init__(3)
    def f(self):
        return super(B, self).f() + 'B'
b = B()
n = b.n
f = b.f()
# --- iterator objects
class C:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n
a = list(C(3))
b = next(C(2))
c = [x for x in C(2)]
# --- data sets
class D:
    def __init__(self):
        self.x = [1, 2, 3]
    def __getitem__(self, i):
        return self.x[i] * 2
    def __len__(self):
        return 3
a = [x for x in D()]
b = list(zip(D(), D()))
c = 4 in D()
# --- not iterable
class D: pass
for x in D(): pass
# --- none of a method
class A:
    def __add__(self, o): return None
    def __getitem__(self, i): return None
    def __call__(self): return None
a = A() + 1
b = A()[0]
c = A()()
d = {'k': None}.get('k', 5)
e = next(iter([None]))
# --- comparisons
class V:
    def __init__(self, x): self.x = x
    def __lt__(self, o): return self.x < o.x
    def __repr__(self): return f'V{self.x}'
a = str(sorted([V(3), V(1), V(2)]))
b = V(1) > V(2)
c = V(1) < V(2)
d = str(max([V(1), V(5)]))
e = (1, V(2)) < (1, V(3))
# --- no comparison
class V: pass
V() < V()
# --- contains
class V:
    def __contains__(self, x): return x > 3
a = 4 in V()
b = 1 not in V()
# --- negative
class V:
    def __neg__(self): return 'neg'
    def __invert__(self): return 'inv'
a = -V()
b = ~V()
# --- bad unary
class V: pass
-V()
# --- own errors
class Wrong(ValueError):
    def __init__(self, x):
        self.x = x
raise Wrong(3)
# --- own args is no error
class A:
    def __init__(self):
        self.args = (1, 2)
a = str(A())[0]
b = A().args
raise A()
# --- errors as texts
class Mine(Exception):
    pass
class Shown(Exception):
    def __str__(self):
        return 'shown'
class Sup(Exception):
    def __init__(self, x):
        super().__init__(f'x = {x}')
print(Mine('a'), Shown('b'), repr(Mine('c', 1)), repr(Shown()), Sup(4), repr(Sup(4)))
# --- set attributes
class A:
    x = 1
a = A()
setattr(a, 'y', 2)
A.z = 3
b = a.y + a.z + getattr(a, 'x')
c = hasattr(a, 'q')
d = callable(A), callable(a), callable(len), callable(3)
# --- set attributes of numbers
x = 3
x.y = 2
# --- dict as keys
class A: pass
a = A()
d = {a: 1, A: 2, len: 3, (a, 1): 4}
b = d[a], d[A], d[len], d[(a, 1)]
