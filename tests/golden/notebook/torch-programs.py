# --- joins and splits
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.arange(6.).view(2, 3)
print(torch.cat([a, a], dim=1).shape, torch.cat((a, a)).shape, torch.stack([a, a]).shape, torch.stack([a, a], dim=-1).shape, [x.shape for x in a.split(2, dim=1)], [x.shape for x in a.chunk(2, dim=-1)], [x.shape for x in torch.split(a, [1, 2], dim=1)], a.unbind(0)[1])
# --- repeats
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([[1, 2]])
print(a.repeat(2, 2), a.expand(3, 2), a.expand(3, -1), a.repeat_interleave(2, dim=1), torch.arange(3).expand(2, 3))
# --- indexing
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.arange(24).view(2, 3, 4)
print(a[0, 1, 2], a[1, -1], a[:, 1].shape, a[..., 0], a[:, [0, 2]].shape, a[torch.tensor([1, 0])].shape, a[a > 20], a[0, :, ::2], a[0, 1, 2].item())
# --- assignment
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.zeros(2, 3)
a[0, 1] = 5
a[1] = torch.tensor([1., 2, 3])
a[:, 0] += 2
b = a[0]
b[2] = 7
a[a == 7] = -1
a.fill_(0) if False else None
print(a, b)
# --- views share
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.zeros(2, 3)
a.view(-1)[1] = 4
a.t()[2, 1] = 5
a.unsqueeze(0)[0, 1, 0] = 6
print(a)
# --- gather and one hot
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([[1., 2], [3, 4]])
print(torch.gather(a, 1, torch.tensor([[0, 0], [1, 0]])), F.one_hot(torch.tensor([0, 2]), 3), torch.einsum('ij,jk->ik', a, a), torch.outer(a[0], a[1]))
# --- layer norm
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
x = torch.sin(torch.arange(12.)).view(3, 4)
a = F.layer_norm(x, (4,)), nn.LayerNorm(4)(x), F.layer_norm(x, (4,), torch.tensor([1., 2, 3, 4]), torch.tensor([0., 1, 0, 1])), F.layer_norm(x, [3, 4])
# --- cross entropy
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
logits = torch.sin(torch.arange(12.)).view(3, 4)
loss = F.cross_entropy(logits, torch.tensor([1, 0, 3]))
loss2 = nn.CrossEntropyLoss()(logits, torch.tensor([1, 0, 3]))
mse = F.mse_loss(logits, logits * 2)
print(f'{loss.item():.4f}', loss)
# --- embedding
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
table = torch.arange(12.).view(4, 3)
x = F.embedding(torch.tensor([[0, 3], [1, 1]]), table)
# --- linear
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
x = torch.sin(torch.arange(6.)).view(2, 3)
w = torch.cos(torch.arange(12.)).view(4, 3)
y = F.linear(x, w), F.linear(x, w, torch.arange(4.)), F.linear(x[0], w)
# --- scaled dot product
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
q = torch.sin(torch.arange(24.)).view(2, 3, 4)
k = torch.cos(torch.arange(24.)).view(2, 3, 4)
w = F.softmax(q @ k.transpose(-2, -1) * 4 ** -0.5, dim=-1)
o = w @ q
# --- module
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
class Head(nn.Module):
    """ one head """
    def __init__(self, n_embd, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer('tril', torch.tril(torch.ones(8, 8)))
        self.dropout = nn.Dropout(0.0)
    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * C ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float('-inf'))
        wei = F.softmax(wei, dim=-1)
        wei = self.dropout(wei)
        return wei @ self.value(x)
h = Head(4, 2)
h.key.weight = nn.Parameter(torch.sin(torch.arange(8.)).view(2, 4))
h.query.weight = nn.Parameter(torch.cos(torch.arange(8.)).view(2, 4))
h.value.weight = nn.Parameter(torch.ones(2, 4))
y = h(torch.sin(torch.arange(24.)).view(2, 3, 4)).detach()
print(y.shape, sum(p.numel() for p in h.parameters()))
# --- module of modules
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
class Block(nn.Module):
    def __init__(self, n, scale=2.0):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n, 2 * n), nn.ReLU(), nn.Linear(2 * n, n))
        self.heads = nn.ModuleList([nn.Linear(n, 1) for _ in range(3)])
        self.ln = nn.LayerNorm(n)
        self.scale = scale
        self.w = nn.Parameter(torch.ones(n))
    def forward(self, x, twice=False):
        x = self.ln(x * self.w) + self.net(x)
        out = torch.cat([h(x) for h in self.heads], dim=-1)
        return out * self.scale if twice else out
b = Block(4)
print(b(torch.zeros(2, 4), twice=True).shape, len(b.heads), sum(p.numel() for p in b.parameters()), [name for name, p in b.named_parameters()])
# --- module without torch names
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
class Adder(nn.Module):
    def __init__(self):
        super(Adder, self).__init__() if False else super().__init__()
        self.n = 2
    def forward(self, x):
        return x + self.n
print(Adder()(torch.ones(2)), Adder().forward(torch.ones(1)))
# --- multi-head
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
B, T, C, H = 2, 3, 4, 2
x = torch.sin(torch.arange(24.)).view(B, T, C)
qkv = x @ torch.cos(torch.arange(48.)).view(C, 3 * C)
q, k, v = qkv.split(C, dim=2)
q = q.view(B, T, H, C // H).transpose(1, 2)
k = k.view(B, T, H, C // H).transpose(1, 2)
v = v.view(B, T, H, C // H).transpose(1, 2)
att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
att = att.masked_fill(torch.tril(torch.ones(T, T)).view(1, 1, T, T) == 0, float('-inf'))
att = F.softmax(att, dim=-1)
y = att @ v
y = y.transpose(1, 2).contiguous().view(B, T, C)
# --- no grad
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
with torch.no_grad():
    a = torch.ones(2) * 3
@torch.no_grad()
def f(x):
    return x + 1
print(a, f(a))
# --- numbers of tensors
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([1.5, 2.0])
print(a[0].item(), float(a[1]), int(a[1]), a.tolist(), f'{a[0]:.2f}', a[0] > 1, bool(a[0] > 1), a.sum().item(), round(a[0].item()))
# --- numpy and torch
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
import numpy as np
a = np.arange(4.).reshape(2, 2)
t = torch.from_numpy(a)
n = torch.ones(2).numpy()
print(t.dtype, n.dtype, type(n) == np.ndarray, torch.tensor([1, 2]).numpy())
# --- loops over tensors
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
for row in torch.arange(4).view(2, 2):
    print(row, row.sum().item())
