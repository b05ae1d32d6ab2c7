"""A plain writer of GGUF files, after ggml's docs/gguf.md, for the scripts that make golden models."""

import struct

import numpy as np

ALIGNMENT = 32
U32, I32, F32, BOOL, TEXT, LIST = 4, 5, 6, 7, 8, 9
TYPES = {'F32': (0, np.float32), 'F16': (1, np.float16)}


def text(value):
    content = value.encode()
    return struct.pack('<Q', len(content)) + content


def value_of(value):
    if isinstance(value, list):
        parts = [value_of(each) for each in value]
        kind = I32 if isinstance(value[0], int) else parts[0][0]
        return LIST, struct.pack('<IQ', kind, len(parts)) + b''.join(content for _, content in parts)
    if isinstance(value, bool):
        return BOOL, struct.pack('<?', value)
    if isinstance(value, int):
        return U32, struct.pack('<I', value)
    if isinstance(value, float):
        return F32, struct.pack('<f', value)
    return TEXT, text(value)


def write_gguf(path, values, tensors, kind):
    """Writes keys and tensors in order. Matrices have this kind, except for the tables that are looked up and added
    (conversion/base.py, prepare_tensors: POS_EMBD and TOKEN_TYPES), which are F32, like all other tensors."""
    keys = b''
    for name, value in values.items():
        number, content = value_of(value)
        keys += text(name) + struct.pack('<I', number) + content
    infos, data = b'', b''
    for name, array in tensors.items():
        is_small = array.ndim < 2 or name in ('position_embd.weight', 'token_types.weight')
        number, dtype = TYPES['F32' if is_small else kind]
        infos += text(name) + struct.pack('<I', array.ndim)
        infos += struct.pack(f'<{array.ndim}Q', *reversed(array.shape)) + struct.pack('<IQ', number, len(data))
        data += np.ascontiguousarray(array, dtype).tobytes()
        data += bytes(-len(data) % ALIGNMENT)
    header = b'GGUF' + struct.pack('<IQQ', 3, len(tensors), len(values)) + keys + infos
    path.write_bytes(header + bytes(-len(header) % ALIGNMENT) + data)
