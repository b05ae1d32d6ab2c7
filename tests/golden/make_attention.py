"""Makes golden data for attention: python3 make_attention.py, with PyTorch (Debian's python3-torch).

  attention/NAME.npy     output of scaled dot-product attention for each case below, written out in torch.float64
  multi_head/...         torch.nn.MultiheadAttention in float64:
    output_h1, output_h4   the classic check: d = 64, T = 100, causal, no biases, 1 and 4 heads; batch 10 of even inputs
    average_h1, _h4        its weights, averaged over heads, of the keys up to the query's own: [10, 5050]
    normal/...             the same for a batch of 1 of normal inputs, and the Frobenius norms of the error that PyTorch
                           itself makes there in float32: [2], output and averaged weights
    small/...              one small case with its inputs, for readers without the generator
    masked/...             masks of nn.MultiheadAttention, output and weights averaged over heads: `padding`, a key_padding_mask;
                           `additive`, a float attn_mask [T, S]; `heads`, one [B H, T, S], with the padding
    cross, cross_average   context of its own length, widths of keys and values of their own (kdim, vdim)

The committed files are of PyTorch 1.13.
"""

import numpy as np
import torch

from golden import Random, save

torch.set_default_dtype(torch.float64)


def normal(random, *shape):
    """Box and Muller's transform, as in Random::normal."""
    count = int(np.prod(shape))
    draws = (random.bits(2 * count) >> np.uint32(8)).astype(np.float64) * 2.0**-24
    radius, angle = 1 - draws[0::2], draws[1::2]
    values = np.sqrt(-2 * np.log(radius)) * np.cos(2 * np.pi * angle)
    return torch.from_numpy(values.astype(np.float32).reshape(shape)).double()


# name: (B, H, Hk, T, S, D, Dv), options. The same table is in tests/core/attention_golden_test.cc.
CASES = {
    'single': ((1, 1, 1, 1, 1, 1, 1), {}),
    'pair_causal': ((3, 2, 2, 2, 2, 3, 5), {'causal': True}),
    'odd': ((1, 3, 3, 7, 5, 5, 3), {}),
    'more_keys_causal': ((1, 3, 3, 7, 12, 5, 7), {'causal': True}),
    'fewer_keys_causal': ((3, 1, 1, 12, 7, 5, 7), {'causal': True}),
    'eight_heads': ((1, 8, 8, 64, 64, 8, 8), {'causal': True}),
    'hundred': ((1, 2, 2, 100, 100, 16, 5), {}),
    'long_causal': ((1, 1, 1, 129, 129, 16, 16), {'causal': True}),
    'long_to_short': ((1, 2, 1, 129, 64, 7, 9), {}),
    'one_query': ((3, 2, 2, 1, 129, 17, 4), {}),
    'grouped': ((3, 8, 2, 7, 7, 4, 4), {'causal': True}),
    'multi_query': ((1, 3, 1, 64, 70, 4, 6), {}),
    'scale': ((1, 2, 2, 7, 7, 4, 4), {'scale': 0.3}),
    'softcap': ((1, 2, 2, 7, 9, 4, 4), {'scale': 2.0, 'softcap': 1.5, 'causal': True}),
    'window': ((1, 2, 2, 100, 100, 4, 4), {'window': (10, 3)}),
    'window_left': ((1, 1, 1, 129, 129, 4, 4), {'window': (None, 0)}),
    'strided': ((1, 2, 2, 64, 64, 4, 4), {'strided': (3, 5)}),
    'strided_causal': ((1, 1, 1, 129, 129, 4, 4), {'strided': (4, 16), 'causal': True}),
    'padding': ((3, 2, 2, 7, 12, 4, 4), {'padding': (12, 5, 0)}),
    'additive': ((3, 2, 2, 7, 9, 4, 4), {'additive': (3, 1, 7, 9)}),
    'additive_heads': ((3, 2, 2, 7, 9, 4, 4), {'additive': (1, 2, 1, 9), 'causal': True}),
    'boolean': ((3, 2, 2, 7, 9, 4, 4), {'boolean': (1, 2, 7, 9)}),
    'past': ((3, 2, 1, 7, 12, 4, 4), {'past': 5, 'causal': True}),
    'past_window': ((1, 2, 2, 2, 100, 4, 4), {'past': 98, 'window': (20, 0)}),
    'key_lengths': ((3, 2, 2, 4, 12, 4, 4), {'key_lengths': (12, 6, 3), 'causal': True}),
    'everything': (
        (3, 4, 2, 100, 129, 8, 6),
        {'past': 29, 'causal': True, 'window': (40, 0), 'padding': (129, 100, 60), 'additive': (1, 4, 1, 129),
         'scale': 0.5, 'softcap': 3.0},
    ),
}


def attend(index, sizes, options):
    """Attention by its definition, broadcasting to [B, H, T, S]."""
    batches, heads, kv_heads, queries, keys, depth, width = sizes
    random = Random(100 + index)
    q = normal(random, batches, heads, queries, depth)
    k = normal(random, batches, kv_heads, keys, depth).repeat_interleave(heads // kv_heads, 1)
    v = normal(random, batches, kv_heads, keys, width).repeat_interleave(heads // kv_heads, 1)

    past = torch.full((batches, 1, 1, 1), options.get('past', 0))
    visible = torch.ones(batches, heads, queries, keys, dtype=torch.bool)
    key = torch.arange(keys).reshape(1, 1, 1, -1)
    if 'key_lengths' in options:
        lengths = torch.tensor(options['key_lengths']).reshape(-1, 1, 1, 1)
        past = lengths - queries
        visible &= key < lengths
    position = torch.arange(queries).reshape(1, 1, -1, 1) + past
    if options.get('causal'):
        visible &= key <= position
    if 'window' in options:
        left, right = options['window']
        visible &= (left is None or key >= position - left) & (key <= position + right)
    if 'strided' in options:
        local, stride = options['strided']
        visible &= ((position - key).abs() < local) | ((position - key) % stride == 0)
    if 'padding' in options:
        visible &= key < torch.tensor(options['padding']).reshape(-1, 1, 1, 1)
    if 'boolean' in options:
        shape = options['boolean']
        visible &= torch.from_numpy((random.uniform(*shape) < 0.5))

    scores = q @ k.transpose(2, 3) * options.get('scale', depth**-0.5)
    if 'softcap' in options:
        scores = options['softcap'] * torch.tanh(scores / options['softcap'])
    if 'additive' in options:
        scores = scores + normal(random, *options['additive'])
    weights = torch.softmax(scores.masked_fill(~visible, -torch.inf), -1)
    return torch.nan_to_num(weights, nan=0.0) @ v  # a row of only -inf: zeros


def multi_head(random, width, heads, **options):
    """nn.MultiheadAttention with the weights that PyTorch starts from, drawn from `random`: even within
    sqrt(6 / (in + out)) (Glorot), out_proj within 1 / sqrt(in). The biases, where there are some, within 0.1, not 0."""
    module = torch.nn.MultiheadAttention(width, heads, batch_first=True, **options)
    for name, parameter in module.named_parameters():
        fan_out, fan_in = parameter.shape[0], parameter.shape[-1]
        bound = 0.1 if 'bias' in name else fan_in**-0.5 if 'out' in name else (6 / (fan_in + fan_out)) ** 0.5
        values = random.uniform(*parameter.shape) * np.float32(bound)
        parameter.data = torch.from_numpy(values).double()
    return module


def classic():
    hidden = torch.ones(100, 100, dtype=torch.bool).triu(1)
    for heads in (1, 4):
        random = Random(7)
        module = multi_head(random, 64, heads, bias=False)
        even = torch.from_numpy(random.uniform(10, 100, 64)).double()
        output, average = module(even, even, even, attn_mask=hidden)
        save(f'multi_head/output_h{heads}', output.detach())
        save(f'multi_head/average_h{heads}', average.detach()[:, ~hidden])

        x = normal(random, 1, 100, 64)
        exact = module(x, x, x, attn_mask=hidden)
        save(f'multi_head/normal/output_h{heads}', exact[0].detach())
        save(f'multi_head/normal/average_h{heads}', exact[1].detach()[:, ~hidden])
        module, x = module.float(), x.float()
        rounded = module(x, x, x, attn_mask=hidden)
        errors = [torch.linalg.norm(a - b.double()).item() for a, b in zip(exact, rounded)]
        save(f'multi_head/normal/float32_errors_h{heads}', errors)


def small():
    random = Random(8)
    module = multi_head(random, 6, 2)
    x = normal(random, 2, 5, 6)
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    output, weights = module(x, x, x, attn_mask=hidden, average_attn_weights=False)
    save('multi_head/small/x', x)
    for name, parameter in module.named_parameters():
        save(f'multi_head/small/{name.replace(".", "_")}', parameter.detach())
    save('multi_head/small/weights', weights.detach())
    save('multi_head/small/output', output.detach())


def cross():
    random = Random(9)
    module = multi_head(random, 12, 3, kdim=5, vdim=7)
    x, key, value = normal(random, 3, 7, 12), normal(random, 3, 9, 5), normal(random, 3, 9, 7)
    output, average = module(x, key, value)
    save('multi_head/cross', output.detach())
    save('multi_head/cross_average', average.detach())


def masked():
    random = Random(10)
    module = multi_head(random, 12, 3)
    x = normal(random, 3, 7, 12)
    additive, by_head = normal(random, 7, 7), normal(random, 9, 7, 7)
    padding = torch.arange(7)[None, :] >= torch.tensor([7, 4, 1])[:, None]
    cases = {
        'padding': {'key_padding_mask': padding},
        'additive': {'attn_mask': additive},
        'heads': {'attn_mask': by_head, 'key_padding_mask': padding},
    }
    for name, masks in cases.items():
        output, average = module(x, x, x, **masks)
        save(f'multi_head/masked/{name}', output.detach())
        save(f'multi_head/masked/{name}_average', average.detach())


if __name__ == '__main__':
    print('PyTorch', torch.__version__)
    for index, (name, (sizes, options)) in enumerate(CASES.items()):
        save(f'attention/{name}', attend(index, sizes, options))
    classic()
    small()
    cross()
    masked()
