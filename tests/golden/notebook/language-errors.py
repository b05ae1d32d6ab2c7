# --- raise
def check(x):
    if x < 0:
        raise ValueError('negative: ' + str(x))
    return x
check(1)
check(-1)
# --- own exception
class Wrong(Exception):
    pass
raise Wrong('bad')
# --- assertion fails
x = 3
assert x == 4, f'x is {x}'
# --- name error
a = 1
print(a)
b = a + c
# --- unbound local
x = 1
def f():
    y = x + 1
    x = 2
    return y
f()
# --- type error of add
1 + 'a'
# --- type error of str
'a' + 1
# --- division by zero
x = 0
print(1 / x)
# --- modulo by zero
1 % 0
# --- index error
a = [1, 2]
a[5]
# --- tuple index error
(1, 2)[2]
# --- string index error
'abc'[3]
# --- key error
{'a': 1}['b']
# --- not callable
x = 3
x()
# --- not subscriptable
x = 3
x[0]
# --- not iterable
for i in 5:
    pass
# --- unpack too few
a, b, c = 1, 2
# --- unpack too many
a, b = [1, 2, 3]
# --- missing argument
def f(a, b):
    return a
f(1)
# --- too many arguments
def f(a):
    return a
f(1, 2)
# --- unknown keyword
def f(a):
    return a
f(b=1)
# --- twice an argument
def f(a):
    return a
f(1, a=2)
# --- attribute error
x = [1]
x.shape
# --- attribute of object
class A:
    pass
A().x
# --- tuple assignment
t = (1, 2)
t[0] = 3
# --- unhashable
{[1]: 2}
# --- comparison of kinds
1 < 'a'
# --- int of text
int('a')
# --- math domain
import math
math.sqrt(-1)
# --- syntax error
x = 1
y = (2 +
print(x)
# --- missing colon
for i in range(3)
    print(i)
# --- bad indent
def f():
return 1
# --- assign to call
f() = 1
# --- no such module
import notamodule
# --- error inside a function
def f(x):
    y = x * 2
    return y + missing
a = 1
f(a)
# --- error in the second round
for i in range(3):
    x = 1 / (1 - i)
# --- len of int
len(5)
# --- len and indexing of sequences
print(len('abc'), len([1, 2]), len({}), len(range(4)), len((1, 2)))
