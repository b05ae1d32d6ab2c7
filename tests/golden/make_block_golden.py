"""Makes tests/golden/layers and tests/golden/block: run by Debian's python3 with python3-torch.

Each case draws its inputs in the order in which the test of the same name in tests/core does.
"""

import torch
from torch import nn
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
        # The table is rounded to float32 before use, like a stored cache.
        turn = torch.complex(angles.cos().float().double(), angles.sin().float().double())
        for name in ('halves', 'interleaved'):
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


def drawn(module, random, plain=False):
    """Sets all parameters, in the order of the state_dict, like tests/core/block_weights.h."""
    for name, value in module.state_dict().items():
        norm, matrix = 'norm' in name, value.dim() == 2
        if plain and not matrix:
            value.fill_(1.0 if norm and name.endswith('weight') else 0.0)
        elif matrix:
            halvings = next(k for k in range(32) if 4**k >= value.shape[1])
            value.copy_(double(random.uniform(*value.shape)) * 2.0**-halvings)
        elif norm and name.endswith('weight'):
            # 1 + u / 4 is rounded to float32, as it is in C++.
            value.copy_(double((1 + random.uniform(*value.shape) / 4).astype('float32')))
        else:
            value.copy_(double(random.uniform(*value.shape)) / 8)
    return module.double()


def causal(tokens):
    """The causal mask, true for hidden keys."""
    return torch.ones(tokens, tokens).triu(1).bool()


def padding(lengths, keys):
    """The padding mask, true for hidden keys."""
    return torch.arange(keys) >= torch.tensor(lengths)[:, None]


def lengths(batches, tokens):
    return [max(1, tokens - 3 * b) for b in range(batches)]


# Each way of building a layer: training mode without dropout is the formula itself, not PyTorch's fused path.
def options(case):
    return {
        'dropout': 0.0,
        'batch_first': True,
        'norm_first': case // 2 % 2 == 1,
        'activation': list(ACTIVATIONS.values())[case % 4],
        'layer_norm_eps': 1e-3 if case % 7 == 0 else 1e-5,
        'dtype': torch.float64,
    }


def transformer_block():
    case = 0
    for heads, width in ((1, 7), (2, 10), (3, 9), (8, 24)):
        for tokens in (1, 2, 7, 64, 100, 129):
            for batches in (1, 3):
                random = Random(1000 + case)
                layer = nn.TransformerEncoderLayer(width, heads, 2 * width + 1, **options(case))
                drawn(layer, random, plain=case % 5 == 0)
                x = double(random.uniform(batches, tokens, width))
                masks = [
                    {'src_mask': causal(tokens)},
                    {'src_key_padding_mask': padding(lengths(batches, tokens), tokens)},
                    {},
                ]
                save(f'block/transformer_block_h{heads}_t{tokens}_b{batches}', layer(x, **masks[case % 3]))
                case += 1


def decoder_block():
    case = 0
    for heads, width in ((1, 7), (2, 10), (3, 9), (8, 24)):
        for tokens, keys in ((1, 129), (2, 7), (7, 2), (64, 100), (7, 7), (12, 1)):
            batches = 1 if case % 2 == 0 else 3
            random = Random(2000 + case)
            layer = nn.TransformerDecoderLayer(width, heads, 2 * width + 1, **options(case))
            drawn(layer, random, plain=case % 5 == 0)
            x, memory = (double(random.uniform(batches, length, width)) for length in (tokens, keys))
            masks = {}
            if case % 3 != 2:
                masks['tgt_mask'] = causal(tokens)
            if case % 3 != 0:
                masks['memory_key_padding_mask'] = padding(lengths(batches, keys), keys)
            save(f'block/decoder_block_h{heads}_t{tokens}_s{keys}', layer(x, memory, **masks))
            case += 1


# name: heads, width, layers of encoder and decoder, batches, S, T, pre-norm, activation, plain, padded. The same table is
# in tests/core/transformer_test.cc.
TRANSFORMERS = {
    'post': (2, 10, 2, 3, 3, 9, 7, False, 'relu', False, True),
    'pre': (3, 9, 3, 1, 1, 64, 12, True, 'gelu', False, False),
    'plain': (1, 7, 1, 2, 3, 2, 1, False, 'silu', True, False),
    'eight': (8, 24, 1, 1, 1, 100, 129, True, 'relu', False, True),
}


def transformer():
    for case, (name, values) in enumerate(TRANSFORMERS.items()):
        heads, width, encoder_layers, decoder_layers, batches, keys, tokens, pre, activation, plain, padded = values
        random = Random(3000 + case)
        module = nn.Transformer(
            width, heads, encoder_layers, decoder_layers, 2 * width + 1, dropout=0.0, batch_first=True,
            norm_first=pre, activation=ACTIVATIONS[activation], dtype=torch.float64,
        )
        drawn(module, random, plain)
        source, target = (double(random.uniform(batches, length, width)) for length in (keys, tokens))
        masks = {'tgt_mask': causal(tokens)}
        if padded:
            hidden = padding([max(1, keys - 3 * b - 1) for b in range(batches)], keys)
            masks.update(src_key_padding_mask=hidden, memory_key_padding_mask=hidden)
        save(f'block/transformer_{name}', module(source, target, **masks))

    random = Random(3100)
    layer = nn.TransformerEncoderLayer(10, 2, 21, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64)
    encoder = drawn(nn.TransformerEncoder(layer, 3), random)
    save('block/encoder_without_norm', encoder(double(random.uniform(2, 7, 10))))


def classic():
    for seed, kind in ((7, 'plain'), (8, 'full')):
        for order in ('post', 'pre'):
            random = Random(seed)
            layer = nn.TransformerEncoderLayer(
                64, 4, 128, dropout=0.0, batch_first=True, norm_first=order == 'pre', dtype=torch.float64
            )
            drawn(layer, random, plain=kind == 'plain')
            save(f'block/classic_{kind}_{order}', layer(double(random.uniform(1, 100, 64)), src_mask=causal(100)))


if __name__ == '__main__':
    torch.set_grad_enabled(False)
    activations()
    norms()
    rotary()
    feed_forward()
    transformer_block()
    decoder_block()
    transformer()
    classic()
