"""Makes tests/golden/files: NumPy's own .npy files, of every type, order and version.

All but two have the shape [2, 3, 4]; element n in row-major order is n, minus 12 for signed types, over 4 for floats;
bool: n % 3 == 0. Run: python3 tests/golden/make_files.py
"""

import numpy as np

from golden import FOLDER

TARGET = FOLDER / 'files'
SHAPE = (2, 3, 4)


def array(dtype):
    dtype = np.dtype(dtype)
    n = np.arange(24).reshape(SHAPE)
    if dtype.kind == 'b':
        return n % 3 == 0
    if dtype.kind == 'f':
        return ((n - 12) / 4).astype(dtype)
    return (n - 12 if dtype.kind == 'i' else n).astype(dtype)


def store(name, values, version=None):
    with open(TARGET / f'{name}.npy', 'wb') as file:
        np.lib.format.write_array(file, values, version=version, allow_pickle=False)


TARGET.mkdir(exist_ok=True)
for code in ['b1', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f2', 'f4', 'f8']:
    store(f'{code}_little', array(f'<{code}'))
    store(f'{code}_big_fortran', np.asfortranarray(array(f'>{code}')))
for major in [2, 3]:
    store(f'f4_version_{major}', array('<f4'), version=(major, 0))
store('f4_vector', array('<f4').ravel())
store('f4_scalar', np.array(-2.75, dtype='<f4'))
store('f4_none', np.zeros((2, 0, 3), dtype='<f4'))
