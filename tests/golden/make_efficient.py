"""Makes golden data for the other forms of attention: python3 make_efficient.py, with PyTorch (python3-torch).

  efficient/additive, additive_weights      additive attention of a window (tests/core/additive_attention_test.cc)
  efficient/linear, linear_causal, plain    linear attention, feature map elu + 1; the plain product
  efficient/low_rank                        keys and values projected to rank 5
  efficient/singular_values                 of a causal attention matrix

All in torch.float64. The committed files are of PyTorch 1.13.
"""

import torch

from golden import Random, save
from make_attention import normal

torch.set_default_dtype(torch.float64)


def additive():
    random = Random(300)
    q, k, v = normal(random, 2, 7, 5), normal(random, 2, 9, 6), normal(random, 2, 9, 4)
    w_q, w_k, w = normal(random, 11, 5), normal(random, 11, 6), normal(random, 11)
    hidden = torch.tanh((q @ w_q.T)[:, :, None, :] + (k @ w_k.T)[:, None, :, :])
    key, position = torch.arange(9), torch.arange(7)[:, None]
    seen = (key >= position - 2) & (key <= position + 1)
    weights = torch.softmax((hidden @ w).masked_fill(~seen, -torch.inf), -1)
    save('efficient/additive_weights', weights)
    save('efficient/additive', weights @ v)


def linear():
    random = Random(301)
    q, k, v = normal(random, 2, 4, 13, 6), normal(random, 2, 2, 13, 6), normal(random, 2, 2, 13, 5)
    k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
    f = lambda x: torch.nn.functional.elu(x) + 1
    scores = f(q) @ f(k).transpose(2, 3)
    save('efficient/linear', scores @ v / scores.sum(-1, keepdim=True))
    save('efficient/linear_causal', scores.tril() @ v / scores.tril().sum(-1, keepdim=True))
    save('efficient/plain', q @ k.transpose(2, 3) @ v)


def low_rank():
    random = Random(302)
    q, k, v = normal(random, 2, 4, 13, 6), normal(random, 2, 2, 17, 6), normal(random, 2, 2, 17, 5)
    e, f = normal(random, 5, 17), normal(random, 5, 17)
    keys, values = (e @ k).repeat_interleave(2, 1), (f @ v).repeat_interleave(2, 1)
    save('efficient/low_rank', torch.softmax(q @ keys.transpose(2, 3) * 0.25, -1) @ values)


def singular_values():
    random = Random(303)
    x = normal(random, 40, 8)
    scores = x @ x.T / 8**0.5
    weights = torch.softmax(scores.masked_fill(torch.ones(40, 40).triu(1) > 0, -torch.inf), -1)
    rounded = weights.float().double()
    save('efficient/weights', rounded)
    save('efficient/singular_values', torch.linalg.svdvals(rounded))


if __name__ == '__main__':
    print('PyTorch', torch.__version__)
    additive()
    linear()
    low_rank()
    singular_values()
