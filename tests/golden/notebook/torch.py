# --- tensors
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([[1, 2], [3, 4]])
b = torch.tensor([1.5, 2])
c = torch.tensor([True, False])
print(a, b, c, a.shape, a.dtype, b.dtype, c.dtype, torch.tensor(3.5), torch.tensor(3))
# --- printing
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
print(torch.tensor([0.5, 100.25]), torch.tensor([1e-5, 1.5]), torch.tensor([1., 2]), torch.tensor([-1.5, 2]), torch.arange(12.).view(2, 2, 3) / 4)
# --- printing infinities
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
print(torch.tensor([float('-inf'), 0.5]), torch.tensor([[0., float('-inf')], [0., 0.]]), torch.tensor([float('nan'), 1.]), torch.zeros(2, 2))
# --- printing long ones
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
print(torch.arange(50))
print(torch.arange(30) / 4)
print(torch.zeros(2000))
print(torch.arange(2500.).view(50, 50))
# --- creation
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
print(torch.zeros(2, 3), torch.ones((2,)), torch.full((2,), 7.0), torch.arange(5), torch.arange(0, 1, 0.25), torch.eye(2), torch.linspace(0, 1, 3), torch.zeros(2, dtype=torch.long), torch.zeros_like(torch.arange(2)), torch.ones_like(torch.ones(1)))
# --- size
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.zeros(2, 3, 4)
B, T, C = a.shape
print(B, T, C, a.size(), a.size(1), a.size(-1), a.dim(), a.numel(), a.ndim, len(a), a.shape[0], a.shape[-2:])
# --- arithmetic
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([[1., 2], [3, 4]])
b = torch.tensor([10., 20])
c = a + b, a - b, a * b, a / b, a ** 2, 2 ** a, -a, 1 - a, 3 / a, a // 2, a % 2
# --- types
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
i, f, d = torch.arange(2), torch.ones(2), torch.ones(2, dtype=torch.float64)
print((i + f).dtype, (f + d).dtype, (i * 1.5).dtype, (i / 2).dtype, (f * 2).dtype, (i + True).dtype, i.sum().dtype, (i > 0).sum().dtype, i.float().dtype, f.long().dtype, (f > 0).dtype, i.float().mean().dtype)
# --- view and reshape
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.arange(12)
print(a.view(3, 4), a.view(2, -1).shape, a.reshape(2, 2, 3).shape, a.view(3, 4).t().reshape(2, 6), a.view(3, 4).flatten().shape, a.view(2, 2, 3).flatten(1).shape, a.view(-1, 2).shape)
# --- transposes
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.arange(24).view(2, 3, 4)
print(a.transpose(1, 2).shape, a.transpose(-2, -1)[0], a.permute(2, 0, 1).shape, a[0].T, a.transpose(0, 1).contiguous().view(3, 8)[0], a[0].t().shape, a.mT.shape)
# --- unsqueeze and squeeze
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.zeros(2, 3)
print(a.unsqueeze(0).shape, a.unsqueeze(-1).shape, a[None].shape, a[:, None].shape, torch.zeros(1, 2, 1).squeeze().shape, torch.zeros(1, 2, 1).squeeze(0).shape, a.squeeze(0).shape)
# --- reductions
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([[1., 5, 3], [4, 2, 9]])
b = a.sum(), a.sum(0), a.sum(dim=1), a.sum(-1, keepdim=True), a.mean(), a.mean(dim=1), a.argmax(), a.argmax(dim=1), a.std(), a.var(dim=1), a.var(1, unbiased=False), a.prod(), a.cumsum(1), a.max(), a.amax(1), torch.sum(a, 1), torch.mean(a, 0), torch.mean(a, dim=0, keepdim=True)
# --- max gives two
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([[1., 5, 3], [4, 2, 9]])
values, indices = a.max(dim=1)
v, i = torch.max(a, 0)
m = a.max(1, keepdim=True)[0]
print(values, indices, v, i, m)
# --- functions
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.tensor([0.5, -1, 2])
b = torch.exp(a), torch.log(a.abs()), torch.sqrt(a.abs()), torch.tanh(a), torch.sigmoid(a), a.relu(), F.relu(a), F.gelu(a), F.silu(a), a.clamp(min=0), torch.maximum(a, torch.zeros(3)), torch.where(a > 0, a, torch.zeros(3)), torch.abs(a), a.exp(), a.pow(2), torch.pow(a, 2), torch.sin(a)
# --- softmax
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.arange(6.).view(2, 3)
b = F.softmax(a, dim=-1), F.softmax(a, dim=0), a.softmax(-1), torch.softmax(a, dim=1), F.log_softmax(a, dim=-1), torch.log_softmax(a, 0)
# --- products
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.arange(6.).view(2, 3)
b = torch.arange(12.).view(3, 4)
c = a @ b, torch.matmul(a, b), torch.mm(a, b), a.matmul(b), torch.bmm(a.view(1, 2, 3), b.view(1, 3, 4)), a @ b[:, 0], torch.dot(a[0], a[1])
# --- batched products
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
q = torch.arange(24.).view(2, 3, 4) / 10
k = torch.arange(24.).view(2, 3, 4) / 20
w = q @ k.transpose(-2, -1)
x = torch.tril(torch.ones(3, 3)) @ q
# --- tril and masked_fill
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
T = 4
tril = torch.tril(torch.ones(T, T))
wei = torch.zeros((T, T))
wei = wei.masked_fill(tril == 0, float('-inf'))
print(wei)
wei = F.softmax(wei, dim=-1)
print(wei)
# --- triu
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
print(torch.triu(torch.ones(3, 3), diagonal=1).bool(), torch.triu(torch.full((3, 3), float('-inf')), diagonal=1), torch.ones(2, 3).tril(1))
# --- weighted average
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.manual_seed(42)
a = torch.tril(torch.ones(3, 3))
a = a / torch.sum(a, 1, keepdim=True)
b = torch.tensor([[2., 7], [6, 4], [6, 5]])
c = a @ b
print('a=', a)
print('b=', b)
print('c=', c, sep='\n')
# --- average by two loops
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
B, T, C = 4, 8, 2
x = torch.sin(torch.arange(64.)).view(B, T, C)
xbow = torch.zeros((B, T, C))
for b in range(B):
    for t in range(T):
        xprev = x[b, :t + 1]
        xbow[b, t] = torch.mean(xprev, 0)
wei = torch.tril(torch.ones(T, T))
wei = wei / wei.sum(1, keepdim=True)
xbow2 = wei @ x
wei = torch.zeros((T, T)).masked_fill(torch.tril(torch.ones(T, T)) == 0, float('-inf'))
xbow3 = F.softmax(wei, dim=-1) @ x
print(torch.allclose(xbow, xbow2, atol=1e-6), torch.allclose(xbow, xbow3, atol=1e-6))
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
# --- view of what does not lie in a row
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.arange(6).view(2, 3).t().view(6)
# --- view of heads without contiguous
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
x = torch.zeros(2, 4, 3, 2)
y = x.transpose(1, 2)
y.view(2, 3, 8)
z = y.reshape(2, 12, 2)
y.view(2, 12, 2)
# --- shapes do not broadcast
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.ones(2, 3) + torch.ones(4)
# --- product does not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.ones(5, 6)
a @ a
# --- view does not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.arange(6).view(4, 2)
# --- cat of other shapes
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.cat([torch.zeros(2, 3), torch.zeros(2, 4)])
# --- no such dim
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.zeros(2).sum(dim=1)
# --- softmax of whole numbers
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
F.softmax(torch.arange(3), dim=0)
# --- mean of whole numbers
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.arange(3).mean()
# --- product of two types
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.ones(2, 2) @ torch.arange(4).view(2, 2)
# --- index out of bounds
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.zeros(3)[3]
# --- too many indices
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.zeros(3)[0, 0]
# --- truth of a tensor
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
if torch.ones(2) > 0:
    pass
# --- linear does not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
nn.Linear(4, 2)(torch.zeros(3, 5))
# --- layer norm does not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
nn.LayerNorm(4)(torch.zeros(3, 5))
# --- attribute
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.zeros(2).foo
# --- function of a list
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.exp([1, 2])
# --- negative step
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.arange(3)[::-1]
# --- item of many
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.zeros(2).item()
# --- module attribute
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
class A(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        return self.weight * x
A()(torch.ones(2))
# --- module without forward
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
class A(nn.Module):
    pass
A()(1)
# --- split of wrong sizes
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.arange(6).split([1, 2])
# --- expand does not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
torch.zeros(2, 3).expand(4, 3)
# --- assignment does not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.zeros(2, 3)
a[0] = torch.ones(4)
# --- in place does not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
a = torch.zeros(3)
a += torch.ones(2, 3)
# --- embedding out of range
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
F.embedding(torch.tensor([5]), torch.zeros(3, 2))
# --- targets do not fit
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
F.cross_entropy(torch.zeros(3, 4), torch.tensor([1, 0]))
# --- unpack a shape
import math
import torch
import torch.nn as nn
from torch.nn import functional as F
B, T, C = torch.zeros(2, 3).shape
