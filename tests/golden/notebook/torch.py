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
