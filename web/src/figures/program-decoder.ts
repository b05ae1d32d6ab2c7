// A decoder in plain PyTorch, for its family: a reader of its files, one forward pass over a text, and the logits of a
// residual stream.

/**
 * Reads the files of a folder (default `named`): tensors of the supported types, by name without the family's prefix.
 */
const reader = (named: string) => `import json
import math
import sys
from pathlib import Path

import torch

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "${named}")
config = json.loads((folder / "config.json").read_text())
types = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
weights = {}
for path in sorted(folder.glob("*.safetensors")):
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[:8], "little")
    for name, about in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or about["dtype"] not in types:
            continue
        begin, end = about["data_offsets"]
        flat = torch.frombuffer(data[8 + size + begin:8 + size + end], dtype=types[about["dtype"]])
        name = name.removeprefix("model.").removeprefix("transformer.")
        weights[name] = flat.reshape(about["shape"]).float()
`;

const gpt2 = `
blocks, heads, width = config["n_layer"], config["n_head"], config["n_embd"]

def norm(x, name):
    epsilon = config.get("layer_norm_epsilon", 1e-5)
    return torch.nn.functional.layer_norm(x, [width], weights[name + ".weight"], weights[name + ".bias"], epsilon)

def linear(x, name):
    return x @ weights[name + ".weight"] + weights[name + ".bias"]

def split(x):
    """[T, C] to [H, T, D]."""
    return x.view(len(x), heads, -1).transpose(0, 1)

def block_names(n):
    return f"h.{n}.ln_1", f"h.{n}.ln_2"

def asked(x, n):
    return (split(each) for each in linear(x, f"h.{n}.attn.c_attn").chunk(3, -1))

def joined(mixed, n):
    return linear(mixed, f"h.{n}.attn.c_proj")

def feed_forward(x, n):
    hidden = torch.nn.functional.gelu(linear(x, f"h.{n}.mlp.c_fc"), approximate="tanh")
    return linear(hidden, f"h.{n}.mlp.c_proj")

def embedded(tokens):
    return weights["wte.weight"][tokens] + weights["wpe.weight"][:len(tokens)]

def said(stream):
    """The logits of a residual stream, if the model ended there."""
    return norm(stream, "ln_f") @ weights.get("lm_head.weight", weights["wte.weight"]).T
`;

const llama = `
blocks, heads, width = config["num_hidden_layers"], config["num_attention_heads"], config["hidden_size"]
kv_heads = config.get("num_key_value_heads") or heads

def norm(x, name):
    epsilon = config.get("rms_norm_eps", 1e-6)
    return x * (x.square().mean(-1, keepdim=True) + epsilon).rsqrt() * weights[name + ".weight"]

def linear(x, name):
    return torch.nn.functional.linear(x, weights[name + ".weight"], weights.get(name + ".bias"))

def split(x, count):
    """[T, count * D] to [count, T, D]."""
    return x.view(len(x), count, -1).transpose(0, 1)

def frequencies(half):
    """Of the turns of rotary positions, slower where config.json has been made for longer texts."""
    turns = config.get("rope_theta", 10000.0) ** (-torch.arange(half) / half)
    scaling = config.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type"))
    if kind == "linear":
        return turns / scaling["factor"]
    if kind == "llama3":
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        length = scaling["original_max_position_embeddings"]
        kept = ((length * turns / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
        return kept * turns + (1 - kept) * turns / scaling["factor"]
    return turns

def turned(x):
    """Rotary positions: the first half of each head with the second as pairs, each turned by its own angle."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[1])[:, None] * frequencies(half)
    first, second = x[..., :half], x[..., half:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)

def block_names(n):
    return f"layers.{n}.input_layernorm", f"layers.{n}.post_attention_layernorm"

def asked(x, n):
    attention = f"layers.{n}.self_attn"
    q = split(linear(x, f"{attention}.q_proj"), heads)
    k = split(linear(x, f"{attention}.k_proj"), kv_heads)
    v = split(linear(x, f"{attention}.v_proj"), kv_heads)
    if f"{attention}.q_norm.weight" in weights:  # each head by itself
        q, k = norm(q, f"{attention}.q_norm"), norm(k, f"{attention}.k_norm")
    # Several heads may share one of keys and values.
    return turned(q), *(each.repeat_interleave(heads // kv_heads, 0) for each in (turned(k), v))

def joined(mixed, n):
    return linear(mixed, f"layers.{n}.self_attn.o_proj")

def feed_forward(x, n):
    gate, up = (linear(x, f"layers.{n}.mlp.{name}_proj") for name in ("gate", "up"))
    return linear(torch.nn.functional.silu(gate) * up, f"layers.{n}.mlp.down_proj")

def embedded(tokens):
    return weights["embed_tokens.weight"][tokens]

def said(stream):
    """The logits of a residual stream, if the model ended there."""
    return norm(stream, "norm") @ weights.get("lm_head.weight", weights["embed_tokens.weight"]).T
`;

const runs = `
def run(tokens, off=()):
    """The residual stream after each block, [T, C], and the weights of its heads, [H, T, T]."""
    x = embedded(tokens)
    # An encoder sees what comes later, too.
    later = torch.ones(len(tokens), len(tokens), dtype=torch.bool).triu(1) & config.get("tril_causal", True)
    if config["model_type"] == "mistral" and config.get("sliding_window"):  # so many keys, its own included
        later |= torch.ones_like(later).tril(-config["sliding_window"])
    streams, looked = [], []
    for n in range(blocks):
        before_attention, before_feed_forward = block_names(n)
        q, k, v = asked(norm(x, before_attention), n)
        shares = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(later, -math.inf).softmax(-1)
        mixed = shares @ v
        for head in range(heads):
            if f"{n + 1}h{head + 1}" in off:
                mixed[head] = 0
        whole = f"{n + 1}" in off
        if not whole and f"{n + 1}a" not in off:
            x = x + joined(mixed.transpose(0, 1).reshape(len(tokens), -1), n)
        if not whole and f"{n + 1}f" not in off:
            x = x + feed_forward(norm(x, before_feed_forward), n)
        streams.append(x)
        looked.append(shares)
    return streams, looked
`;

/** There is none yet for other families, and the program says so. */
const others = (family: string) => `
raise SystemExit("Tril has no decoder in plain PyTorch for the family ${family} yet.")
`;
const ofLlama = ['llama', 'qwen2', 'qwen3', 'mistral'];

export const decoderOf = (family: string, named = 'gpt'): string =>
  reader(named) +
  (family === 'gpt2' ? gpt2 : ofLlama.includes(family) ? llama : others(family)) +
  runs;
