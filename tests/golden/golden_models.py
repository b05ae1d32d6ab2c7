"""Helpers for make_models.py and make_families.py: sizes, a model's files, and the common parts of models.

Weights are rounded to the type of their file before anything is computed, in float64.
"""

import json
import math
import struct

import numpy as np
import torch

from golden import FOLDER, Random, save

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

WIDTH, HEADS, LAYERS, VOCABULARY, CONTEXT = 16, 4, 2, 48, 32
LEARNT = 10  # more than a window of 7
TOKENS = [(7 * n * n + 3 * n + 1) % VOCABULARY for n in range(24)]


def stored(tensor, kind):
    """The bytes of a tensor in a file, and their numbers."""
    floats = tensor.astype(np.float32)
    if kind == 'F16':
        halves = floats.astype(np.float16)
        return halves.tobytes(), halves.astype(np.float64)
    if kind == 'BF16':  # truncated: any bfloat16 will do
        bits = floats.view(np.uint32) >> 16
        return bits.astype(np.uint16).tobytes(), (bits << 16).view(np.float32).astype(np.float64)
    return floats.tobytes(), floats.astype(np.float64)


def write_safetensors(path, tensors):
    header, data = {'__metadata__': {'format': 'pt'}}, b''
    for name, (kind, shape, content) in tensors.items():
        header[name] = {'dtype': kind, 'shape': shape, 'data_offsets': [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    path.write_bytes(struct.pack('<Q', len(text)) + text + data)


class Model:
    def __init__(self, name, kind, seed, config):
        self.folder, self.kind, self.config = FOLDER / 'models' / name, kind, config
        self.random, self.weights, self.files = Random(seed), {}, {}

    def add(self, name, *shape):
        scale = 0.5 if len(shape) > 1 else 0.2
        draws = self.random.uniform(*shape).astype(np.float64) * scale
        if len(shape) == 1 and not name.endswith('bias'):
            draws += 1
        content, values = stored(draws, self.kind)
        self.files[name] = (self.kind, list(shape), content)
        self.weights[name] = torch.from_numpy(values).requires_grad_()

    def __getitem__(self, name):
        return self.weights[name]

    def save(self, logits):
        """Saves the logits, and gradients of the loss on the first tokens: every 7th number, in the order of names."""
        name = f'models/{self.folder.name}'
        save(f'{name}/logits', logits.detach())
        loss = torch.nn.functional.cross_entropy(logits[:LEARNT], torch.tensor(TOKENS[1 : LEARNT + 1]), reduction='sum')
        names = sorted(self.weights)
        gradients = torch.autograd.grad(loss, [self.weights[each] for each in names])
        save(f'{name}/gradients', torch.cat([each.flatten() for each in gradients])[::7])

    def write(self, parts=1):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / 'config.json').write_text(json.dumps(self.config, indent=2, sort_keys=True) + '\n')
        names = list(self.files)
        if parts == 1:
            write_safetensors(self.folder / 'model.safetensors', self.files)
            return
        weight_map = {}
        for part in range(parts):
            file = f'model-{part + 1:05}-of-{parts:05}.safetensors'
            chosen = names[part * len(names) // parts : (part + 1) * len(names) // parts]
            write_safetensors(self.folder / file, {name: self.files[name] for name in chosen})
            weight_map |= {name: file for name in chosen}
        index = {'metadata': {'total_size': sum(len(each[2]) for each in self.files.values())}, 'weight_map': weight_map}
        (self.folder / 'model.safetensors.index.json').write_text(json.dumps(index, indent=2) + '\n')


def heads_of(x, count):
    return x.unflatten(-1, (count, -1)).transpose(0, 1)


def joined(x):
    return x.transpose(0, 1).flatten(1)


def linear(m, x, name):
    out = x @ m[name + '.weight'].mT
    return out + m[name + '.bias'] if name + '.bias' in m.weights else out


def rms_norm(m, x, name, eps, added=0.0):
    return x * (x.square().mean(-1, keepdim=True) + eps).rsqrt() * (added + m[name + '.weight'])


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
