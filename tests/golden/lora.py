"""Plain LoRA: W + alpha / rank B A for some matrices of a model of make_gradients.py."""

import torch

from golden import Random

RANK, ALPHA = 4, 8
LORA_TARGETS = {
    'gpt2': ('.c_attn',),
    'llama': ('.q_proj', '.k_proj', '.v_proj', '.o_proj', '.gate_proj', '.up_proj', '.down_proj'),
}


def lora_of(family, frozen):
    """A, numbers u / 8, and B, zeros, of each adapted matrix."""
    random, trained = Random(572), {}
    for name, each in frozen.items():
        if not name.removesuffix('.weight').endswith(LORA_TARGETS[family]):
            continue
        rows, columns = each.shape if family == 'llama' else reversed(each.shape)  # GPT-2's are [in, out]
        a = torch.from_numpy((random.uniform(RANK, columns) / 8).astype('float32')).double()
        trained[name, 'A'], trained[name, 'B'] = a.requires_grad_(), torch.zeros(rows, RANK, requires_grad=True)
    return trained


def merged(family, frozen, trained):
    all_of_them = {name: each.detach() for name, each in frozen.items()}
    for name in {name for name, _ in trained}:
        added = ALPHA / RANK * trained[name, 'B'] @ trained[name, 'A']
        all_of_them[name] = all_of_them[name] + (added if family == 'llama' else added.mT)
    return all_of_them
