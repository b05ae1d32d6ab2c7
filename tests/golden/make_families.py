"""Makes tests/golden/models of more families: /usr/bin/python3 make_families.py, with Debian's python3-torch.

  NAME/config.json, NAME/model.safetensors, NAME/logits.npy   as in make_models.py
  gpt_neox/in_turn.npy                                        with sublayers that follow each other
  phi3/longrope.npy, phi3/longrope_short.npy                  with positions scaled, in a long text and in a short one

Each is written plainly after its modeling_NAME.py in transformers (src/transformers/models/NAME), whose decisive
lines are quoted beside the code. tests/core/families_test.cc reads them.
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

KV_HEADS, HIDDEN = 2, 40


class Family:
    """The common parts of decoders; callers pass the differences."""

    def __init__(self, model):
        self.m, self.config = model, model.config

    def linear(self, x, name):
        return linear(self.m, x, name)

    def rms_norm(self, x, name, eps, added=0.0):
        return rms_norm(self.m, x, name, eps, added)

    def layer_norm(self, x, name, eps):
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred * (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
        return scaled * self.m[name + '.weight'] + self.m[name + '.bias']

    def turned(self, x, base, share=1.0, factor=1.0, scale=1.0):
        """Rotates x [H, T, D]: the first elements of a head, paired in halves; factor: one number, or one per pair."""
        width = int(x.shape[-1] * share)  # rotary_ndims = int(self.head_size * config.rotary_pct)
        speeds = base ** (-torch.arange(0, width, 2) / width) / factor
        angles = torch.outer(torch.arange(float(x.shape[1])), speeds)
        a, b = x[..., :width].chunk(2, -1)
        cos, sin = angles.cos() * scale, angles.sin() * scale
        return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., width:]], -1)

    def attend(self, q, k, v, window=None, scale=None, cap=None):
        """Causal, [H, T, D] each. masking_utils.py, sliding_window_overlay: kv_idx > q_idx - sliding_window."""
        k, v = (each.repeat_interleave(len(q) // len(each), 0) for each in (k, v))
        scores = q @ k.mT * (scale or q.shape[-1] ** -0.5)
        if cap:  # before the mask, as in eager_attention_forward of modeling_gemma2.py
            scores = cap * torch.tanh(scores / cap)
        query, key = torch.arange(scores.shape[-2])[:, None], torch.arange(scores.shape[-1])
        seen = (key <= query) & (key > query - window) if window else key <= query
        return joined(scores.masked_fill(~seen, -math.inf).softmax(-1) @ v)

    def projected(self, x, at):
        config = self.config
        kv_heads = config.get('num_key_value_heads', HEADS)
        return (
            heads_of(self.linear(x, at + name), count)
            for name, count in (('q_proj', HEADS), ('k_proj', kv_heads), ('v_proj', kv_heads))
        )

    def gated(self, x, at, activation=torch.nn.functional.silu):
        gate, up = (self.linear(x, at + name) for name in ('gate_proj', 'up_proj'))
        return self.linear(activation(gate) * up, at + 'down_proj')


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def made(name, kind, seed, config, norms, biases=False, fused=False, heads_norm=None, norm_biases=False, plain=False):
    """A model whose parameters have Llama's names, except as given."""
    config = {
        'model_type': name, 'vocab_size': VOCABULARY, 'hidden_size': WIDTH, 'intermediate_size': HIDDEN,
        'num_hidden_layers': LAYERS, 'num_attention_heads': HEADS, 'num_key_value_heads': KV_HEADS,
        'max_position_embeddings': CONTEXT, 'bos_token_id': 1, 'eos_token_id': 2, **config,
    }  # fmt: skip
    m = Model(name, kind, seed, config)
    head = config.get('head_dim', WIDTH // HEADS)
    queries, keys = HEADS * head, KV_HEADS * head

    def norm(at):
        m.add(at + '.weight', WIDTH)
        if norm_biases:
            m.add(at + '.bias', WIDTH)

    def linear(at, rows, columns, bias=biases):
        m.add(at + '.weight', rows, columns)
        if bias is True:
            m.add(at + '.bias', rows)

    m.add('model.embed_tokens.weight', VOCABULARY, WIDTH)
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        for each in norms:
            norm(at + each)
        if fused:
            linear(at + 'self_attn.qkv_proj', queries + 2 * keys, WIDTH)
        else:
            for part, rows in (('q', queries), ('k', keys), ('v', keys)):
                linear(at + f'self_attn.{part}_proj', rows, WIDTH, biases == 'projections' or biases)
        linear(at + 'self_attn.o_proj', WIDTH, queries)
        if heads_norm:
            m.add(at + 'self_attn.q_norm.weight', queries if heads_norm == 'joint' else head)
            m.add(at + 'self_attn.k_norm.weight', keys if heads_norm == 'joint' else head)
        if plain:
            linear(at + 'mlp.c_fc', HIDDEN, WIDTH), linear(at + 'mlp.c_proj', WIDTH, HIDDEN)
            continue
        if fused:
            linear(at + 'mlp.gate_up_proj', 2 * HIDDEN, WIDTH)
        else:
            linear(at + 'mlp.gate_proj', HIDDEN, WIDTH), linear(at + 'mlp.up_proj', HIDDEN, WIDTH)
        linear(at + 'mlp.down_proj', WIDTH, HIDDEN)
    norm('model.norm')
    if not config['tie_word_embeddings']:
        m.add('lm_head.weight', VOCABULARY, WIDTH)
    m.write()
    return Family(m)


def said(f, x):
    head = 'model.embed_tokens.weight' if f.config['tie_word_embeddings'] else 'lm_head.weight'
    return x @ f.m[head].mT


PRE = ('input_layernorm', 'post_attention_layernorm')
GEMMA = (*PRE, 'pre_feedforward_layernorm', 'post_feedforward_layernorm')


def mistral():
    f = made('mistral', 'BF16', 610, {
        'architectures': ['MistralForCausalLM'], 'hidden_act': 'silu', 'rms_norm_eps': 1e-05, 'rope_theta': 10000.0,
        'sliding_window': 7, 'head_dim': 6, 'tie_word_embeddings': False, 'torch_dtype': 'bfloat16',
    }, PRE)  # fmt: skip
    x = f.m['model.embed_tokens.weight'][TOKENS]
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        q, k, v = f.projected(f.rms_norm(x, at + PRE[0], 1e-5), at + 'self_attn.')
        mixed = f.attend(f.turned(q, 1e4), f.turned(k, 1e4), v, window=7)
        x = x + f.linear(mixed, at + 'self_attn.o_proj')
        x = x + f.gated(f.rms_norm(x, at + PRE[1], 1e-5), at + 'mlp.')
    f.m.save(said(f, f.rms_norm(x, 'model.norm', 1e-5)))


def olmo2():
    # Without rms_norm_eps: configuration_olmo2.py has 1e-5. With rope_parameters and dtype, as in today's files.
    f = made('olmo2', 'F16', 611, {
        'architectures': ['Olmo2ForCausalLM'], 'hidden_act': 'silu', 'attention_bias': False,
        'rope_parameters': {'rope_type': 'default', 'rope_theta': 500000.0}, 'tie_word_embeddings': False,
        'dtype': 'float16',
    }, ('post_attention_layernorm', 'post_feedforward_layernorm'), heads_norm='joint')  # fmt: skip
    x = f.m['model.embed_tokens.weight'][TOKENS]
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        # query_states = self.q_norm(self.q_proj(hidden_states)), before the heads are told apart
        q = heads_of(f.rms_norm(f.linear(x, at + 'self_attn.q_proj'), at + 'self_attn.q_norm', 1e-5), HEADS)
        k = heads_of(f.rms_norm(f.linear(x, at + 'self_attn.k_proj'), at + 'self_attn.k_norm', 1e-5), KV_HEADS)
        v = heads_of(f.linear(x, at + 'self_attn.v_proj'), KV_HEADS)
        mixed = f.attend(f.turned(q, 5e5), f.turned(k, 5e5), v)
        x = x + f.rms_norm(f.linear(mixed, at + 'self_attn.o_proj'), at + 'post_attention_layernorm', 1e-5)
        x = x + f.rms_norm(f.gated(x, at + 'mlp.'), at + 'post_feedforward_layernorm', 1e-5)
    f.m.save(said(f, f.rms_norm(x, 'model.norm', 1e-5)))


def gpt_neox():
    m = Model('gpt_neox', 'F16', 612, {
        'architectures': ['GPTNeoXForCausalLM'], 'model_type': 'gpt_neox', 'vocab_size': VOCABULARY,
        'hidden_size': WIDTH, 'intermediate_size': HIDDEN, 'num_hidden_layers': LAYERS, 'num_attention_heads': HEADS,
        'max_position_embeddings': CONTEXT, 'hidden_act': 'gelu', 'layer_norm_eps': 1e-05, 'rotary_pct': 0.5,
        'rotary_emb_base': 10000, 'bos_token_id': 0, 'eos_token_id': 0, 'tie_word_embeddings': False,
        'torch_dtype': 'float16',
    })  # fmt: skip
    f = Family(m)

    def linear(at, rows, columns):
        m.add(at + '.weight', rows, columns), m.add(at + '.bias', rows)

    def norm(at):
        m.add(at + '.weight', WIDTH), m.add(at + '.bias', WIDTH)

    m.add('gpt_neox.embed_in.weight', VOCABULARY, WIDTH)
    for n in range(LAYERS):
        at = f'gpt_neox.layers.{n}.'
        norm(at + PRE[0]), norm(at + PRE[1])
        # Tensors that older files also have (_keys_to_ignore_on_load_unexpected).
        mask = np.tril(np.ones((1, 1, CONTEXT, CONTEXT), np.uint8))
        m.files[at + 'attention.bias'] = ('U8', list(mask.shape), mask.tobytes())
        m.files[at + 'attention.masked_bias'] = ('F32', [], np.float32(-1e9).tobytes())
        m.files[at + 'attention.rotary_emb.inv_freq'] = ('F32', [1], np.float32(1).tobytes())
        linear(at + 'attention.query_key_value', 3 * WIDTH, WIDTH), linear(at + 'attention.dense', WIDTH, WIDTH)
        linear(at + 'mlp.dense_h_to_4h', HIDDEN, WIDTH), linear(at + 'mlp.dense_4h_to_h', WIDTH, HIDDEN)
    norm('gpt_neox.final_layer_norm')
    m.add('embed_out.weight', VOCABULARY, WIDTH)
    m.write()
    for path, parallel in (('logits', True), ('in_turn', False)):  # use_parallel_residual, by default True
        x = m['gpt_neox.embed_in.weight'][TOKENS]
        for n in range(LAYERS):
            at = f'gpt_neox.layers.{n}.'
            all_heads = f.linear(f.layer_norm(x, at + PRE[0], 1e-5), at + 'attention.query_key_value')
            # qkv.view(*input_shape, -1, 3 * self.head_size).transpose(1, 2).chunk(3, dim=-1)
            q, k, v = heads_of(all_heads, HEADS).chunk(3, -1)
            mixed = f.attend(f.turned(q, 1e4, 0.5), f.turned(k, 1e4, 0.5), v)
            mid = x + f.linear(mixed, at + 'attention.dense')
            # x = x + attn(ln1(x)) + mlp(ln2(x)), or x = x + attn(ln1(x)), x = x + mlp(ln2(x))
            inner = f.layer_norm(x if parallel else mid, at + PRE[1], 1e-5)
            x = mid + f.linear(gelu(f.linear(inner, at + 'mlp.dense_h_to_4h')), at + 'mlp.dense_4h_to_h')
        logits = f.layer_norm(x, 'gpt_neox.final_layer_norm', 1e-5) @ m['embed_out.weight'].mT
        m.save(logits) if parallel else save(f'models/gpt_neox/{path}', logits.detach())


def phi3():
    f = made('phi3', 'BF16', 613, {
        'architectures': ['Phi3ForCausalLM'], 'hidden_act': 'silu', 'rms_norm_eps': 1e-05, 'rope_theta': 10000.0,
        'rope_scaling': None, 'partial_rotary_factor': 0.5, 'sliding_window': 7, 'tie_word_embeddings': True,
        'original_max_position_embeddings': CONTEXT, 'torch_dtype': 'bfloat16',
    }, PRE, fused=True)  # fmt: skip
    width = WIDTH // HEADS

    def logits(share, factor=1.0, scale=1.0):
        x = f.m['model.embed_tokens.weight'][TOKENS]
        for n in range(LAYERS):
            at = f'model.layers.{n}.'
            qkv = f.linear(f.rms_norm(x, at + PRE[0], 1e-5), at + 'self_attn.qkv_proj')
            q, k, v = qkv.split([HEADS * width, KV_HEADS * width, KV_HEADS * width], -1)  # Phi3Attention.forward
            q, k, v = heads_of(q, HEADS), heads_of(k, KV_HEADS), heads_of(v, KV_HEADS)
            q, k = (f.turned(each, 1e4, share, factor, scale) for each in (q, k))
            x = x + f.linear(f.attend(q, k, v, window=7), at + 'self_attn.o_proj')
            gate, up = f.linear(f.rms_norm(x, at + PRE[1], 1e-5), at + 'mlp.gate_up_proj').chunk(2, -1)
            x = x + f.linear(up * torch.nn.functional.silu(gate), at + 'mlp.down_proj')
        return said(f, f.rms_norm(x, 'model.norm', 1e-5))

    f.m.save(logits(0.5))
    # modeling_rope_utils.py, _compute_longrope_parameters: inv_freq = 1.0 / (ext_factors * base**inv_freq_shape), by
    # long_factor if seq_len > original_max_position_embeddings; attention_factor = math.sqrt(1 + math.log(factor) /
    # math.log(original_max_position_embeddings)), factor = max_position_embeddings / original_max_position_embeddings
    for path, original, factors in (('longrope', 16, [2.0, 3.5]), ('longrope_short', 24, [1.25, 1.5])):
        scale = math.sqrt(1 + math.log(CONTEXT / original) / math.log(original))
        save(f'models/phi3/{path}', logits(1.0, torch.tensor(factors), scale).detach())


def gemma(f, name, layer, cap=None, logit_cap=None):
    """Gemma; layer(n) returns the window, the base and the factor of its positions."""
    # hidden_states * torch.tensor(self.config.hidden_size**0.5)
    x = f.m['model.embed_tokens.weight'][TOKENS] * math.sqrt(WIDTH)

    def norm(x, name):
        return f.rms_norm(x, name, 1e-6, added=1.0)  # output * (1.0 + self.weight.float())

    for n in range(LAYERS):
        at, (window, base, factor) = f'model.layers.{n}.', layer(n)
        q, k, v = f.projected(norm(x, at + GEMMA[0]), at + 'self_attn.')
        if name == 'gemma3_text':
            q, k = norm(q, at + 'self_attn.q_norm'), norm(k, at + 'self_attn.k_norm')
        q, k = f.turned(q, base, factor=factor), f.turned(k, base, factor=factor)
        # self.scaling = config.query_pre_attn_scalar**-0.5
        mixed = f.attend(q, k, v, window, f.config['query_pre_attn_scalar'] ** -0.5, cap)
        x = x + norm(f.linear(mixed, at + 'self_attn.o_proj'), at + GEMMA[1])
        x = x + norm(f.gated(norm(x, at + GEMMA[2]), at + 'mlp.', gelu_tanh), at + GEMMA[3])
    logits = said(f, norm(x, 'model.norm'))
    f.m.save(logit_cap * torch.tanh(logits / logit_cap) if logit_cap else logits)


def gemma2():
    f = made('gemma2', 'BF16', 614, {
        'architectures': ['Gemma2ForCausalLM'], 'hidden_activation': 'gelu_pytorch_tanh', 'hidden_act':
        'gelu_pytorch_tanh', 'rms_norm_eps': 1e-06, 'rope_theta': 10000.0, 'sliding_window': 7, 'head_dim': 6,
        'query_pre_attn_scalar': 9, 'attn_logit_softcapping': 2.0, 'final_logit_softcapping': 3.0,
        'attention_bias': False, 'tie_word_embeddings': True, 'torch_dtype': 'bfloat16',
    }, GEMMA)  # fmt: skip
    # self.is_sliding = not bool(layer_idx % 2)
    gemma(f, 'gemma2', lambda n: (7 if n % 2 == 0 else None, 1e4, 1.0), 2.0, 3.0)


def gemma3():
    f = made('gemma3_text', 'BF16', 615, {
        'architectures': ['Gemma3ForCausalLM'], 'hidden_activation': 'gelu_pytorch_tanh', 'rms_norm_eps': 1e-06,
        'rope_parameters': {
            'full_attention': {'rope_type': 'linear', 'factor': 8.0, 'rope_theta': 1000000.0},
            'sliding_attention': {'rope_type': 'default', 'rope_theta': 10000.0},
        },
        'layer_types': ['sliding_attention', 'full_attention'], 'sliding_window': 7, 'head_dim': 6,
        'query_pre_attn_scalar': 9, 'attn_logit_softcapping': None, 'final_logit_softcapping': None,
        'attention_bias': False, 'tie_word_embeddings': True, 'dtype': 'bfloat16',
    }, GEMMA, heads_norm='apart')  # fmt: skip
    gemma(f, 'gemma3_text', lambda n: (7, 1e4, 1.0) if n % 2 == 0 else (None, 1e6, 8.0))


def starcoder2():
    f = made('starcoder2', 'F16', 616, {
        'architectures': ['Starcoder2ForCausalLM'], 'hidden_act': 'gelu_pytorch_tanh', 'norm_epsilon': 1e-05,
        'rope_theta': 100000.0, 'sliding_window': None, 'use_bias': True, 'tie_word_embeddings': True,
        'torch_dtype': 'float16',
    }, PRE, biases=True, norm_biases=True, plain=True)  # fmt: skip
    x = f.m['model.embed_tokens.weight'][TOKENS]
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        q, k, v = f.projected(f.layer_norm(x, at + PRE[0], 1e-5), at + 'self_attn.')
        x = x + f.linear(f.attend(f.turned(q, 1e5), f.turned(k, 1e5), v), at + 'self_attn.o_proj')
        inner = f.linear(f.layer_norm(x, at + PRE[1], 1e-5), at + 'mlp.c_fc')
        x = x + f.linear(gelu_tanh(inner), at + 'mlp.c_proj')
    f.m.save(said(f, f.layer_norm(x, 'model.norm', 1e-5)))


def stablelm():
    f = made('stablelm', 'BF16', 617, {
        'architectures': ['StableLmForCausalLM'], 'hidden_act': 'silu', 'layer_norm_eps': 1e-05, 'rope_theta': 10000,
        'partial_rotary_factor': 0.5, 'use_qkv_bias': True, 'use_parallel_residual': False, 'qk_layernorm': False,
        'tie_word_embeddings': False, 'torch_dtype': 'bfloat16',
    }, PRE, biases='projections', norm_biases=True)  # fmt: skip
    x = f.m['model.embed_tokens.weight'][TOKENS]
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        q, k, v = f.projected(f.layer_norm(x, at + PRE[0], 1e-5), at + 'self_attn.')
        x = x + f.linear(f.attend(f.turned(q, 1e4, 0.5), f.turned(k, 1e4, 0.5), v), at + 'self_attn.o_proj')
        x = x + f.gated(f.layer_norm(x, at + PRE[1], 1e-5), at + 'mlp.')
    f.m.save(said(f, f.layer_norm(x, 'model.norm', 1e-5)))


def smollm3():
    f = made('smollm3', 'BF16', 618, {
        'architectures': ['SmolLM3ForCausalLM'], 'hidden_act': 'silu', 'rms_norm_eps': 1e-06, 'rope_theta': 2000000.0,
        'no_rope_layers': [1, 0], 'no_rope_layer_interval': 4, 'use_sliding_window': False, 'sliding_window': None,
        'layer_types': ['full_attention'] * 2, 'attention_bias': False, 'mlp_bias': False,
        'tie_word_embeddings': True, 'torch_dtype': 'bfloat16',
    }, PRE)  # fmt: skip
    x = f.m['model.embed_tokens.weight'][TOKENS]
    for n in range(LAYERS):
        at = f'model.layers.{n}.'
        q, k, v = f.projected(f.rms_norm(x, at + PRE[0], 1e-6), at + 'self_attn.')
        if f.config['no_rope_layers'][n]:  # if self.use_rope
            q, k = f.turned(q, 2e6), f.turned(k, 2e6)
        x = x + f.linear(f.attend(q, k, v), at + 'self_attn.o_proj')
        x = x + f.gated(f.rms_norm(x, at + PRE[1], 1e-6), at + 'mlp.')
    f.m.save(said(f, f.rms_norm(x, 'model.norm', 1e-6)))


mistral(), olmo2(), gpt_neox(), phi3(), gemma2(), gemma3(), starcoder2(), stablelm(), smollm3()
