"""Makes tests/golden/gradients and tests/golden/training: /usr/bin/python3 make_gradients.py, with Debian's python3-torch.

  gradients/NAME.npy   the gradients of a case one after another, by autograd in float64; the test of the same name in
                       tests/core/*gradients_golden_test.cc draws the same inputs
  training/...         the references of tests/core/training_golden_test.cc:
    gpt2, llama        the losses of 20 steps of a model of 4 layers, and their change if all gradients have the
                       largest error of floats: [2, 20]
    gpt2_lora, ...     the same for LoRA: W + alpha / rank B A, with only A and B trained
"""

import math

import torch
from torch import nn
from torch.nn import functional

from dropout import dropout_as_ours
from golden import Random, save
from lora import lora_of, merged
from make_block_golden import ACTIVATIONS, causal, drawn, padding

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def tensor(random, *shape, scale=1.0):
    return (torch.from_numpy(random.uniform(*shape)).double() * scale).requires_grad_()


def store(name, out, d_out, wanted):
    """Saves the gradients of sum(d_out * out) by the wanted tensors, each in its own order."""
    gradients = torch.autograd.grad(out, wanted, d_out)
    save(f'gradients/{name}', torch.cat([each.flatten() for each in gradients]))


def matmul():
    random = Random(500)
    a, b, d_out = tensor(random, 2, 1, 5, 7), tensor(random, 1, 3, 7, 4), tensor(random, 2, 3, 5, 4)
    store('matmul', 0.5 * a @ b, d_out, [a, b])
    a, b = tensor(random, 2, 3, 7, 5), tensor(random, 1, 3, 4, 7)
    store('matmul_transposed', a.mT @ b.mT, d_out, [a, b])


def layers():
    random = Random(510)
    x, weight, bias, d_out = (tensor(random, *shape) for shape in ((9, 7), (5, 7), (5,), (9, 5)))
    store('linear', functional.linear(x, weight, bias), d_out, [x, weight, bias])

    random = Random(511)
    x, d_out = tensor(random, 5, 9, scale=4.0), tensor(random, 5, 9)
    store('softmax', functional.softmax(x / 0.5, 1), d_out, [x])
    store('softmax_columns', functional.softmax(x, 0), d_out, [x])
    store('log_softmax', functional.log_softmax(x / 0.5, 1), d_out, [x])

    random = Random(512)
    x, weight, bias, d_out = (tensor(random, *shape) for shape in ((6, 9), (9,), (9,), (6, 9)))
    store('layer_norm', functional.layer_norm(x, (9,), weight, bias, 1e-5), d_out, [x, weight, bias])
    # torch.nn.functional.rms_norm came after this PyTorch; its definition:
    store('rms_norm', x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * weight, d_out, [x, weight])

    random = Random(513)
    x, up, d_out = tensor(random, 5, 13, scale=4.0), tensor(random, 5, 13), tensor(random, 5, 13)
    for name, activation in ACTIVATIONS.items():
        store(name, activation(x), d_out, [x])
        store(f'{name}_gated', activation(x) * up, d_out, [x, up])

    random = Random(514)
    table, d_out = tensor(random, 6, 5), tensor(random, 9, 5)
    store('embedding', table[[3, 0, 3, 5, 1, 1, 3, 5, 2]], d_out, [table])

    random = Random(515)
    angles = torch.outer(torch.arange(7.0), 10000.0 ** (-torch.arange(4.0) / 4))
    # The tables are rounded to float32 before use, like a stored cache.
    cos, sin = angles.cos().float().double(), angles.sin().float().double()
    x, d_out = tensor(random, 2, 3, 7, 10), tensor(random, 2, 3, 7, 10)
    for name in ('halves', 'interleaved'):
        a, b = (x[..., :4], x[..., 4:8]) if name == 'halves' else (x[..., :8:2], x[..., 1:8:2])
        a, b = a * cos - b * sin, a * sin + b * cos
        turned = torch.cat([a, b], -1) if name == 'halves' else torch.stack([a, b], -1).flatten(-2)
        store(f'rotary_{name}', torch.cat([turned, x[..., 8:]], -1), d_out, [x])


def feed_forward():
    random = Random(520)
    shapes = ((11, 5), (9, 5), (9,), (5, 9), (5,), (11, 5))
    x, weight1, bias1, weight2, bias2, d_out = (tensor(random, *shape) for shape in shapes)
    wanted = [x, weight1, bias1, weight2, bias2]
    for name, activation in ACTIVATIONS.items():
        hidden = activation(functional.linear(x, weight1, bias1))
        store(f'feed_forward_{name}', functional.linear(hidden, weight2, bias2), d_out, wanted)
    random = Random(521)
    shapes = ((11, 5), (18, 5), (18,), (5, 9), (5,), (11, 5))
    x, weight1, bias1, weight2, bias2, d_out = (tensor(random, *shape) for shape in shapes)
    gate, up = functional.linear(x, weight1, bias1).split(9, 1)
    out = functional.linear(functional.silu(gate) * up, weight2, bias2)
    store('feed_forward_gated', out, d_out, [x, weight1, bias1, weight2, bias2])


def losses():
    random = Random(530)
    logits = tensor(random, 9, 11, scale=4.0)
    targets = torch.tensor([3, 10, -100, 0, 7, 7, -100, 1, 5])
    for name, options in {
        'mean': {},
        'sum': {'reduction': 'sum'},
        'smoothed': {'label_smoothing': 0.125},
    }.items():
        loss = functional.cross_entropy(logits, targets, ignore_index=-100, **options)
        gradient = torch.autograd.grad(loss, logits)[0]
        save(f'gradients/cross_entropy_{name}', torch.cat([loss.detach()[None], gradient.flatten()]))
    x, y = tensor(random, 5, 7), tensor(random, 5, 7)
    loss = functional.mse_loss(x, y)
    gradient = torch.autograd.grad(loss, x)[0]
    save('gradients/mean_squared_error', torch.cat([loss.detach()[None], gradient.flatten()]))


# name: (B, H, Hk, T, S, D, Dv), options. The same table is in tests/core/attention_backward_test.cc.
ATTENTION = {
    'plain': ((2, 2, 2, 5, 7, 4, 3), {}),
    'causal': ((1, 3, 3, 9, 9, 4, 4), {'causal': True}),
    'grouped': ((2, 4, 2, 6, 6, 4, 4), {'causal': True}),
    'past': ((1, 2, 1, 4, 9, 4, 4), {'causal': True, 'past': 5}),
    'window': ((1, 2, 2, 12, 12, 4, 4), {'window': (3, 1)}),
    'lengths': ((2, 2, 2, 5, 7, 4, 4), {'lengths': (7, 3)}),
    'softcap': ((1, 2, 2, 6, 7, 4, 4), {'scale': 0.75, 'softcap': 1.5}),
    'additive': ((2, 4, 2, 5, 7, 4, 3), {'added': True}),
    'long': ((1, 1, 1, 70, 66, 4, 4), {'causal': True}),
}


def attention():
    for name, (sizes, options) in ATTENTION.items():
        batches, heads, kv_heads, queries, keys, depth, width = sizes
        random = Random(120)
        q, k = tensor(random, batches, heads, queries, depth), tensor(random, batches, kv_heads, keys, depth)
        v, d_out = tensor(random, batches, kv_heads, keys, width), tensor(random, batches, heads, queries, width)
        mask = torch.zeros(batches, heads, queries, keys, requires_grad=True)
        if options.get('added'):
            mask = tensor(Random(122), batches, heads, queries, keys)
        position = torch.arange(queries)[:, None] + options.get('past', 0)
        key = torch.arange(keys)
        visible = torch.ones(batches, 1, queries, keys, dtype=torch.bool)
        if options.get('causal'):
            visible &= key <= position
        if 'window' in options:
            left, right = options['window']
            visible &= (key >= position - left) & (key <= position + right)
        if 'lengths' in options:
            visible &= key < torch.tensor(options['lengths']).reshape(-1, 1, 1, 1)
        group = heads // kv_heads
        scores = options.get('scale', depth**-0.5) * q @ k.repeat_interleave(group, 1).mT
        if 'softcap' in options:
            scores = options['softcap'] * torch.tanh(scores / options['softcap'])
        weights = torch.softmax((scores + mask).masked_fill(~visible, -math.inf), -1)
        wanted = [q, k, v] if name == 'long' else [q, k, v, mask]
        store(f'attention_{name}', weights @ v.repeat_interleave(group, 1), d_out, wanted)


def additive_attention():
    random = Random(200)
    shapes = ((2, 5, 3), (2, 6, 4), (2, 6, 2), (2, 5, 2), (7, 3), (7, 4), (7,))
    query, key, value, d_out, w_query, w_key, w_score = (tensor(random, *shape) for shape in shapes)
    hidden = torch.tanh((query @ w_query.mT)[:, :, None] + (key @ w_key.mT)[:, None])
    scores = (hidden @ w_score).masked_fill(torch.ones(5, 6).triu(1).bool(), -math.inf)
    store('additive_attention', torch.softmax(scores, -1) @ value, d_out, [query, key, value, w_query, w_key, w_score])


def halved(module, random):
    """All parameters, those of one input one after another, drawn as in tests/core/multi_head_gradient_case.h."""
    for parameter in module.parameters():
        parameter.data = torch.from_numpy(random.uniform(*parameter.shape)).double() / 2
    return module


def multi_head():
    """nn.MultiheadAttention; the order of the draws is that of MultiHeadCase."""
    for name, batches, queries, keys, width, heads in (('self', 2, 5, 5, 8, 2), ('cross', 3, 4, 7, 8, 2)):
        random = Random(150)
        wide = width + 1 if name == 'cross' else width
        x, context = tensor(random, batches, queries, width), tensor(random, batches, keys, width)
        values, d_out = tensor(random, batches, keys, wide), tensor(random, batches, queries, width)
        options = {'kdim': width, 'vdim': wide} if name == 'cross' else {}
        module = halved(nn.MultiheadAttention(width, heads, batch_first=True, **options), random)
        mask = torch.zeros(batches * heads, queries, keys)
        if name == 'self':
            mask = mask.masked_fill(causal(queries), -math.inf)
        mask.requires_grad_()
        own = name == 'self'
        out, _ = module(x, x if own else context, x if own else values, attn_mask=mask)
        # A hidden key's gradient is 0, as in PyTorch.
        store(f'multi_head_{name}', out, d_out, ([x] if own else [x, context, values]) + list(module.parameters()) + [mask])


def blocks():
    for name, pre, activation in (('post', False, 'gelu'), ('pre', True, 'silu')):
        options = {
            'dropout': 0.0, 'batch_first': True, 'norm_first': pre, 'activation': ACTIVATIONS[activation],
        }
        random = Random(550)
        with torch.no_grad():
            layer = drawn(nn.TransformerEncoderLayer(8, 2, 17, **options), random)
        x, d_out = tensor(random, 2, 5, 8), tensor(random, 2, 5, 8)
        store(f'transformer_block_{name}', layer(x, src_mask=causal(5)), d_out, [x, *layer.parameters()])

        random = Random(551)
        with torch.no_grad():
            layer = drawn(nn.TransformerDecoderLayer(8, 2, 17, **options), random)
        x, memory, d_out = tensor(random, 2, 5, 8), tensor(random, 2, 7, 8), tensor(random, 2, 5, 8)
        out = layer(x, memory, tgt_mask=causal(5), memory_key_padding_mask=padding([7, 4], 7))
        store(f'decoder_block_{name}', out, d_out, [x, memory, *layer.parameters()])

        random = Random(552)
        with torch.no_grad():
            module = drawn(nn.Transformer(8, 2, 1, 1, 17, **options), random)
        source, target, d_out = tensor(random, 2, 6, 8), tensor(random, 2, 5, 8), tensor(random, 2, 5, 8)
        out = module(source, target, tgt_mask=causal(5))
        store(f'transformer_{name}', out, d_out, [source, target, *module.parameters()])

        random = Random(553)
        with torch.no_grad():
            module = drawn(nn.Transformer(8, 2, 2, 1, 17, **(options | {'dropout': 0.25})), random)
        source, target, d_out = tensor(random, 2, 6, 8), tensor(random, 2, 5, 8), tensor(random, 2, 5, 8)
        with dropout_as_ours(7):
            out = module(source, target, tgt_mask=causal(5))
        store(f'transformer_dropout_{name}', out, d_out, [source, target, *module.parameters()])


def windows(step, seed, stream, count, length):
    """Windows drawn as in draw_batch of core/tril/model/batches.cc."""
    everything = 2**64 - 1
    z = (seed + 0x9E3779B97F4A7C15 * (step + 1)) & everything
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & everything
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & everything
    random = Random(z ^ z >> 31)
    starts = []
    for _ in range(count):
        high, low = (int(each) for each in random.bits(2))
        starts.append((high << 32 | low) % (len(stream) - length))
    pick = lambda shift: torch.stack([stream[at + shift : at + shift + length] for at in starts])
    return pick(0), pick(1)


# The sizes of both models; tests/core/training_golden_test.cc has the same.
LAYERS, HEADS, WIDTH, CONTEXT, VOCABULARY, BATCH = 4, 4, 32, 16, 29, 4


def parameter_shapes(family):
    """Names and shapes in the order of the family's files."""
    C, V = WIDTH, VOCABULARY
    if family == 'gpt2':
        yield 'wte.weight', (V, C)
        yield 'wpe.weight', (CONTEXT, C)
        for n in range(LAYERS):
            for name, shape in {
                'ln_1.weight': (C,), 'ln_1.bias': (C,), 'attn.c_attn.weight': (C, 3 * C), 'attn.c_attn.bias': (3 * C,),
                'attn.c_proj.weight': (C, C), 'attn.c_proj.bias': (C,), 'ln_2.weight': (C,), 'ln_2.bias': (C,),
                'mlp.c_fc.weight': (C, 4 * C), 'mlp.c_fc.bias': (4 * C,), 'mlp.c_proj.weight': (4 * C, C),
                'mlp.c_proj.bias': (C,),
            }.items():
                yield f'h.{n}.{name}', shape
        yield 'ln_f.weight', (C,)
        yield 'ln_f.bias', (C,)
        return
    F, Ek = (8 * C // 3 + 15) // 16 * 16, C // 2
    yield 'model.embed_tokens.weight', (V, C)
    for n in range(LAYERS):
        for name, shape in {
            'input_layernorm.weight': (C,), 'self_attn.q_proj.weight': (C, C), 'self_attn.k_proj.weight': (Ek, C),
            'self_attn.v_proj.weight': (Ek, C), 'self_attn.o_proj.weight': (C, C),
            'post_attention_layernorm.weight': (C,), 'mlp.gate_proj.weight': (F, C), 'mlp.up_proj.weight': (F, C),
            'mlp.down_proj.weight': (C, F),
        }.items():
            yield f'model.layers.{n}.{name}', shape
    yield 'model.norm.weight', (C,)
    yield 'lm_head.weight', (V, C)


def draw_parameters(family):
    """Matrices u / 8, biases u / 16, weights of norms 1 + u / 8."""
    random, parameters = Random(570), {}
    for name, shape in parameter_shapes(family):
        u = random.uniform(*shape)
        if len(shape) == 2:
            values = u / 8
        else:
            values = u / 16 if name.endswith('bias') else 1 + u / 8  # in float32, as in C++
        parameters[name] = torch.from_numpy(values.astype('float32')).double().requires_grad_()
    return parameters


def attend(q, k, v):
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(causal(q.shape[2]), -math.inf)
    return (torch.softmax(scores, -1) @ v).transpose(1, 2).flatten(2)


def split(x, heads):
    return x.unflatten(2, (heads, -1)).transpose(1, 2)


def turned(x):
    half = x.shape[-1] // 2
    angles = torch.outer(torch.arange(float(x.shape[2])), 10000.0 ** (-torch.arange(float(half)) / half))
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


def gpt2_logits(p, ids):
    norm = lambda x, name: functional.layer_norm(x, (WIDTH,), p[name + '.weight'], p[name + '.bias'], 1e-5)
    conv1d = lambda x, name: x @ p[name + '.weight'] + p[name + '.bias']
    x = p['wte.weight'][ids] + p['wpe.weight'][: ids.shape[1]]
    for n in range(LAYERS):
        at = f'h.{n}.'
        q, k, v = (split(each, HEADS) for each in conv1d(norm(x, at + 'ln_1'), at + 'attn.c_attn').split(WIDTH, 2))
        x = x + conv1d(attend(q, k, v), at + 'attn.c_proj')
        hidden = functional.gelu(conv1d(norm(x, at + 'ln_2'), at + 'mlp.c_fc'), approximate='tanh')
        x = x + conv1d(hidden, at + 'mlp.c_proj')
    return norm(x, 'ln_f') @ p['wte.weight'].T


def llama_logits(p, ids):
    norm = lambda x, name: x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * p[name + '.weight']
    linear = lambda x, name: x @ p[name + '.weight'].T
    x = p['model.embed_tokens.weight'][ids]
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        of = norm(x, at + 'input_layernorm')
        q, k, v = (split(linear(of, f'{at}self_attn.{part}_proj'), heads)
                   for part, heads in (('q', HEADS), ('k', HEADS // 2), ('v', HEADS // 2)))
        x = x + linear(attend(turned(q), turned(k), v), at + 'self_attn.o_proj')
        of = norm(x, at + 'post_attention_layernorm')
        hidden = functional.silu(linear(of, at + 'mlp.gate_proj')) * linear(of, at + 'mlp.up_proj')
        x = x + linear(hidden, at + 'mlp.down_proj')
    return linear(norm(x, 'model.norm'), 'lm_head')


def train(family, astray=0.0, seed=0, lora=False):
    """The losses of 20 steps; each gradient is changed by `astray` times the largest of its tensor, up or down."""
    signs = torch.Generator().manual_seed(seed)
    frozen = draw_parameters(family)
    parameters = lora_of(family, frozen) if lora else frozen
    highest = 1e-2 if lora else 1e-3
    stream = torch.from_numpy((Random(571).bits(400) % 29).astype('int64'))
    matrices = [each for each in parameters.values() if each.dim() == 2]
    vectors = [each for each in parameters.values() if each.dim() == 1]
    groups = [{'params': matrices, 'weight_decay': 0.1}, {'params': vectors, 'weight_decay': 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=highest, betas=(0.9, 0.99), eps=1e-8)
    logits_of = gpt2_logits if family == 'gpt2' else llama_logits
    losses = []
    for step in range(20):
        # Steps 0 to 4 warm up; then half a cosine to a tenth, at step 20.
        share = (step - 5) / 15
        rate = (step + 1) / 6 if step < 5 else 0.1 + 0.9 * (1 + math.cos(math.pi * share)) / 2
        for group in optimizer.param_groups:
            group['lr'] = highest * rate
        ids, targets = windows(step, 1337, stream, BATCH, CONTEXT)
        now = merged(family, frozen, parameters) if lora else parameters
        loss = functional.cross_entropy(logits_of(now, ids).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        for each in parameters.values():
            up = 2.0 * torch.randint(2, each.shape, generator=signs) - 1
            each.grad += astray * each.grad.abs().max() * up
        nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        optimizer.step()
    return torch.tensor(losses)


def models():
    # The tolerance for gradients in tests/core/model_test.cc, relative to the largest of their tensor: 80 operations
    # in a row, twice as many as with its two layers, each a sum of at most 128 terms.
    astray = 80 * 128 * 2.0**-24
    for family in ('gpt2', 'llama'):
        for lora in (False, True):
            losses = train(family, lora=lora)
            away = [(train(family, astray, seed, lora) - losses).abs() for seed in range(8)]
            name = f'training/{family}_lora' if lora else f'training/{family}'
            save(name, torch.stack([losses, torch.stack(away).max(0).values]))


if __name__ == '__main__':
    print('PyTorch', torch.__version__)
    for make in (matmul, layers, feed_forward, losses, attention, additive_attention, multi_head, blocks, models):
        make()
