"""Makes tests/golden/models: /usr/bin/python3 make_models.py, with Debian's python3-torch.

  NAME/config.json, NAME/model.safetensors...   small random models with the names and settings of their families' files
  NAME/logits.npy                               the logits of TOKENS, by the definitions below in float64
  llama/linear.npy, llama/dynamic.npy           the same with SCALINGS of rotary positions
  llama/dynamic_24.npy                          dynamic for a text of 24 tokens instead of the context
  gpt2/kin.npy                                  with relu and scores divided by the number of the layer, from 1

The models are written plainly, after Radford et al. 2019, Touvron et al. 2023 and, for the norms of queries and keys,
Qwen3Attention.forward in transformers' modeling_qwen3.py; tests/core/pretrained_test.cc reads them. Weights are rounded
to the type of their file before anything is computed.
"""

import math

import numpy as np
import torch

from golden import save
from golden_models import (
    CONTEXT,
    HEADS,
    LAYERS,
    TOKENS,
    VOCABULARY,
    WIDTH,
    Model,
    gelu_tanh,
    heads_of,
    joined,
    linear,
    rms_norm,
)

LLAMA3 = {
    'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0,
    'original_max_position_embeddings': 16,
}  # fmt: skip
ACTIVATIONS = {'silu': torch.nn.functional.silu, 'relu': torch.relu}
SCALINGS = {
    'linear': {'type': 'linear', 'factor': 2.5},
    'dynamic': {'rope_type': 'dynamic', 'factor': 2.0, 'original_max_position_embeddings': 8},
}


def attend(query, key, value, over=1):
    """Causal attention for q, k, v [H, T, D]."""
    scores = query @ key.mT / math.sqrt(query.shape[-1]) / over
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, -math.inf).softmax(-1) @ value


def gpt2():
    m = Model('gpt2', 'F32', 600, {
        'architectures': ['GPT2LMHeadModel'], 'model_type': 'gpt2', 'vocab_size': VOCABULARY, 'n_layer': LAYERS,
        'n_head': HEADS, 'n_embd': WIDTH, 'n_inner': None, 'n_positions': CONTEXT, 'n_ctx': CONTEXT,
        'activation_function': 'gelu_new', 'layer_norm_epsilon': 1e-05, 'resid_pdrop': 0.1, 'bos_token_id': 0,
        'eos_token_id': 0, 'task_specific_params': {'text-generation': {'do_sample': True, 'max_length': 50}},
        'torch_dtype': 'float32',
    })  # fmt: skip
    m.add('transformer.wte.weight', VOCABULARY, WIDTH)
    m.add('transformer.wpe.weight', CONTEXT, WIDTH)
    for n in range(LAYERS):
        at = f'transformer.h.{n}.'
        m.add(at + 'ln_1.weight', WIDTH), m.add(at + 'ln_1.bias', WIDTH)
        # Older files contain the mask.
        mask = np.tril(np.ones((1, 1, CONTEXT, CONTEXT), np.uint8))
        m.files[at + 'attn.bias'] = ('U8', list(mask.shape), mask.tobytes())
        m.add(at + 'attn.c_attn.weight', WIDTH, 3 * WIDTH), m.add(at + 'attn.c_attn.bias', 3 * WIDTH)
        m.add(at + 'attn.c_proj.weight', WIDTH, WIDTH), m.add(at + 'attn.c_proj.bias', WIDTH)
        m.add(at + 'ln_2.weight', WIDTH), m.add(at + 'ln_2.bias', WIDTH)
        m.add(at + 'mlp.c_fc.weight', WIDTH, 4 * WIDTH), m.add(at + 'mlp.c_fc.bias', 4 * WIDTH)
        m.add(at + 'mlp.c_proj.weight', 4 * WIDTH, WIDTH), m.add(at + 'mlp.c_proj.bias', WIDTH)
    m.add('transformer.ln_f.weight', WIDTH), m.add('transformer.ln_f.bias', WIDTH)

    m.write()
    m.save(gpt2_logits(m, gelu_tanh))
    # modeling_gpt2.py, eager_attention_forward: attn_weights / float(module.layer_idx + 1)
    save('models/gpt2/kin', gpt2_logits(m, torch.relu, by_layer=True).detach())


def gpt2_logits(m, activation, by_layer=False):
    def conv1d(x, name):
        return x @ m[name + '.weight'] + m[name + '.bias']

    def norm(x, name):
        mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
        return (x - mean) / (variance + 1e-5).sqrt() * m[name + '.weight'] + m[name + '.bias']

    x = m['transformer.wte.weight'][TOKENS] + m['transformer.wpe.weight'][: len(TOKENS)]
    for n in range(LAYERS):
        at = f'transformer.h.{n}.'
        q, k, v = (heads_of(each, HEADS) for each in conv1d(norm(x, at + 'ln_1'), at + 'attn.c_attn').chunk(3, -1))
        x = x + conv1d(joined(attend(q, k, v, n + 1 if by_layer else 1)), at + 'attn.c_proj')
        x = x + conv1d(activation(conv1d(norm(x, at + 'ln_2'), at + 'mlp.c_fc')), at + 'mlp.c_proj')
    return norm(x, 'transformer.ln_f') @ m['transformer.wte.weight'].mT


def speeds(config, width):
    """Radians per position, as in transformers.modeling_rope_utils."""
    scaling, base = config.get('rope_scaling') or {}, config['rope_theta']
    kind, factor = scaling.get('rope_type', scaling.get('type')), scaling.get('factor')
    old = scaling.get('original_max_position_embeddings')
    if kind == 'dynamic':
        # For a text as long as the context, Tril's rotation for every text; another length can be passed.
        length = config['max_position_embeddings']
        base *= (factor * length / old - (factor - 1)) ** (width / (width - 2))
    speed = base ** (-torch.arange(0, width, 2) / width)
    if kind == 'linear':
        speed = speed / factor
    if kind == 'llama3':
        wavelength, low, high = 2 * math.pi / speed, scaling['low_freq_factor'], scaling['high_freq_factor']
        smooth = (old / wavelength - low) / (high - low)
        blended = (1 - smooth) * speed / factor + smooth * speed
        speed = torch.where(wavelength > old / low, speed / factor, torch.where(wavelength < old / high, speed, blended))
    return speed


def llama_logits(m, config):
    def norm(x, name):
        return rms_norm(m, x, name, config['rms_norm_eps'])

    def turned(x):
        angles = torch.outer(torch.arange(float(x.shape[1])), speeds(config, x.shape[-1]))
        a, b = x.chunk(2, -1)
        return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)

    x = m['model.embed_tokens.weight'][TOKENS]
    heads, kv_heads = config['num_attention_heads'], config['num_key_value_heads']
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        inner = norm(x, at + 'input_layernorm')
        q = heads_of(linear(m, inner, at + 'self_attn.q_proj'), heads)
        k = heads_of(linear(m, inner, at + 'self_attn.k_proj'), kv_heads)
        if config['model_type'] == 'qwen3':
            q, k = norm(q, at + 'self_attn.q_norm'), norm(k, at + 'self_attn.k_norm')
        q, k = turned(q), turned(k)
        v = heads_of(linear(m, inner, at + 'self_attn.v_proj'), kv_heads)
        k, v = (each.repeat_interleave(heads // kv_heads, 0) for each in (k, v))
        x = x + linear(m, joined(attend(q, k, v)), at + 'self_attn.o_proj')
        inner = norm(x, at + 'post_attention_layernorm')
        gate = ACTIVATIONS[config['hidden_act']](linear(m, inner, at + 'mlp.gate_proj'))
        x = x + linear(m, gate * linear(m, inner, at + 'mlp.up_proj'), at + 'mlp.down_proj')
    head = 'model.embed_tokens.weight' if config['tie_word_embeddings'] else 'lm_head.weight'
    return norm(x, 'model.norm') @ m[head].mT


def llama(name, kind, seed, parts, more):
    config = {
        'vocab_size': VOCABULARY, 'hidden_size': WIDTH, 'intermediate_size': 40, 'num_hidden_layers': LAYERS,
        'num_attention_heads': HEADS, 'num_key_value_heads': 2, 'max_position_embeddings': CONTEXT, 'hidden_act': 'silu',
        'rms_norm_eps': 1e-06, 'use_cache': True, 'initializer_range': 0.02, 'bos_token_id': 1, **more,
    }  # fmt: skip
    m = Model(name, kind, seed, config)
    head = config.get('head_dim', WIDTH // HEADS)
    queries, keys = HEADS * head, 2 * head
    m.add('model.embed_tokens.weight', VOCABULARY, WIDTH)
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        m.add(at + 'input_layernorm.weight', WIDTH)
        for part, rows in (('q', queries), ('k', keys), ('v', keys)):
            m.add(at + f'self_attn.{part}_proj.weight', rows, WIDTH)
            if config['model_type'] == 'qwen2' or config.get('attention_bias'):
                m.add(at + f'self_attn.{part}_proj.bias', rows)
        m.add(at + 'self_attn.o_proj.weight', WIDTH, queries)
        if config.get('attention_bias'):  # modeling_llama.py, LlamaAttention: o_proj has a bias, too
            m.add(at + 'self_attn.o_proj.bias', WIDTH)
        if config['model_type'] == 'qwen3':
            m.add(at + 'self_attn.q_norm.weight', head), m.add(at + 'self_attn.k_norm.weight', head)
        m.add(at + 'post_attention_layernorm.weight', WIDTH)
        m.add(at + 'mlp.gate_proj.weight', 40, WIDTH), m.add(at + 'mlp.up_proj.weight', 40, WIDTH)
        m.add(at + 'mlp.down_proj.weight', WIDTH, 40)
    m.add('model.norm.weight', WIDTH)
    if not config['tie_word_embeddings']:
        m.add('lm_head.weight', VOCABULARY, WIDTH)
    m.write(parts)
    m.save(llama_logits(m, config))
    return m


gpt2()
model = llama('llama', 'BF16', 601, 3, {
    'architectures': ['LlamaForCausalLM'], 'model_type': 'llama', 'rope_theta': 10000.0, 'rope_scaling': LLAMA3,
    'attention_bias': False, 'mlp_bias': False, 'head_dim': 4, 'tie_word_embeddings': False, 'eos_token_id': [2, 5],
    'torch_dtype': 'bfloat16',
})  # fmt: skip
for name, scaling in SCALINGS.items():
    save(f'models/llama/{name}', llama_logits(model, model.config | {'rope_scaling': scaling}).detach())
short = {'rope_scaling': SCALINGS['dynamic'], 'max_position_embeddings': len(TOKENS)}
save('models/llama/dynamic_24', llama_logits(model, model.config | short).detach())
llama('qwen2', 'F16', 602, 1, {
    'architectures': ['Qwen2ForCausalLM'], 'model_type': 'qwen2', 'rope_theta': 1000000.0, 'sliding_window': 32,
    'use_sliding_window': False, 'max_window_layers': 2, 'tie_word_embeddings': True, 'eos_token_id': 2,
    'torch_dtype': 'float16',
})  # fmt: skip
llama('qwen3', 'BF16', 603, 1, {
    'architectures': ['Qwen3ForCausalLM'], 'model_type': 'qwen3', 'rope_theta': 1000000.0, 'rope_scaling': None,
    'attention_bias': False, 'attention_dropout': 0.0, 'head_dim': 6, 'sliding_window': None,
    'use_sliding_window': False, 'max_window_layers': 2, 'tie_word_embeddings': True, 'eos_token_id': 2,
    'torch_dtype': 'bfloat16',
})  # fmt: skip
llama('llama_kin', 'F16', 604, 1, {
    'architectures': ['LlamaForCausalLM'], 'model_type': 'llama', 'rope_theta': 10000.0, 'hidden_act': 'relu',
    'attention_bias': True, 'mlp_bias': False, 'tie_word_embeddings': True, 'eos_token_id': 2, 'torch_dtype': 'float16',
})  # fmt: skip
