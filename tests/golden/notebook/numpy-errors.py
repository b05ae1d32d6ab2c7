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
