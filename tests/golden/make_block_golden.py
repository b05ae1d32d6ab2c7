"""Makes tests/golden/layers and tests/golden/block: run by Debian's python3 with python3-torch.

Each case draws its inputs in the order in which the test of the same name in tests/core does.
"""

import torch
from torch.nn import functional

from golden import Random, save

ACTIVATIONS = {
    'relu': functional.relu,
    'gelu': functional.gelu,
    'gelu_tanh': lambda x: functional.gelu(x, approximate='tanh'),
    'silu': functional.silu,
}


def double(array):
    return torch.from_numpy(array).double()


def activations():
    x = 8 * double(Random(11).uniform(7, 33))
    for name, activation in ACTIVATIONS.items():
        save(f'layers/{name}', activation(x))


def norms():
    random = Random(22)
    for cols in (1, 3, 64, 129):
        for scaled in (False, True):
            x, weight, bias = (double(random.uniform(*shape)) for shape in ((5, cols), (cols,), (cols,)))
            if not scaled:
                weight, bias = None, None
            eps = 1e-3 if scaled else 1e-5
            name = f'{cols}{"_scaled" if scaled else ""}'
            save(f'layers/layer_norm_{name}', functional.layer_norm(x, (cols,), weight, bias, eps))
            # torch.nn.functional.rms_norm came after this PyTorch; its definition:
            rms = x * (x.square().mean(-1, keepdim=True) + eps).rsqrt()
            save(f'layers/rms_norm_{name}', rms * weight if scaled else rms)


def rotary():
    random = Random(32)
    for pairs in (4, 3):
        angles = torch.outer(torch.arange(7).double(), 10000.0 ** (-torch.arange(pairs).double() / pairs))
        # The table is rounded to float32 before it is used, as a stored cache is.
        turn = torch.complex(angles.cos().float().double(), angles.sin().float().double())
        for name in ('halves', 'neighbours'):
            x = double(random.uniform(2, 3, 7, 8))
            turned, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
            # [..., pairs, 2]: both elements of a pair beside each other
            split = turned.unflatten(-1, (2, pairs)).mT if name == 'halves' else turned.unflatten(-1, (pairs, 2))
            result = torch.view_as_real(torch.view_as_complex(split.contiguous()) * turn)
            result = (result.mT if name == 'halves' else result).flatten(-2)
            save(f'layers/rotary_{name}_{2 * pairs}', torch.cat([result, rest], -1))


def feed_forward():
    random = Random(41)
    for rows in (1, 13):
        for biased in (True, False):
            shapes = ((21, 9), (21,), (9, 21), (9,), (rows, 9))
            weight1, bias1, weight2, bias2, x = (double(random.uniform(*shape)) for shape in shapes)
            if not biased:
                bias1, bias2 = None, None
            for name, activation in ACTIVATIONS.items():
                hidden = activation(functional.linear(x, weight1, bias1))
                suffix = '' if biased else '_plain'
                save(f'layers/feed_forward_{name}_{rows}{suffix}', functional.linear(hidden, weight2, bias2))


if __name__ == '__main__':
    torch.set_grad_enabled(False)
    activations()
    norms()
    rotary()
    feed_forward()
