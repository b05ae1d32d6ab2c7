# --- where promotes
import torch
x = torch.arange(3).double()
c = x > 1
a = torch.where(c, x, x * 2)
d = torch.where(c, torch.tensor(1.0), torch.tensor(2.0))
e = torch.where(c, x.float(), x.float())
# --- sin of doubles
import torch
x = torch.arange(3).double()
a = torch.sin(x)
b = torch.cos(x.float())
c = torch.sin(torch.arange(3))
d = torch.floor(x)
e = torch.sign(torch.tensor([-2, 0, 3]))
f = torch.ceil(torch.tensor([1.5]))
g = torch.sign(torch.tensor([-2.5, 0, 3]).double())
# --- softmax dtype
import torch
import torch.nn.functional as F
a = F.softmax(torch.ones(3), dim=0, dtype=torch.float64)
b = F.softmax(torch.arange(3), dim=0, dtype=torch.float32)
# --- to dtype
import torch
x = torch.ones(2)
y = x.to(dtype=torch.float64)
z = x.to(torch.int64)
w = x.to('cpu', dtype=torch.double)
v = x.to(y)
# --- normalize
import torch
import torch.nn.functional as F
x = torch.tensor([[3., 4.], [0., 0.]])
y = F.normalize(x)
z = F.normalize(x, dim=0)
w = F.normalize(x, eps=10.)
v = F.normalize(x, p=2., dim=-1)
# --- one hot
import torch
import torch.nn.functional as F
a = F.one_hot(torch.tensor([0, 2, 1]))
b = F.one_hot(torch.tensor([0, 2, 1]), num_classes=5)
c = F.one_hot(torch.tensor([[0, 1], [2, 0]]))
# --- gather
import torch
x = torch.arange(12).reshape(3, 4).float()
i = torch.tensor([[0, 1], [3, 2], [1, 1]])
a = x.gather(1, i)
b = torch.gather(x, 0, torch.tensor([[0, 1, 2, 0]]))
c = torch.arange(24).reshape(2, 3, 4).gather(2, torch.tensor([[[1], [0], [3]], [[2], [2], [0]]]))
# --- torch columns
import torch
print(torch.tensor([-0.0, 1.5]), torch.tensor([float('-inf'), 1.]), torch.tensor([0., 10., float('nan')]), torch.tensor([True, False, True]))
print(torch.tensor([-5, 10]), torch.tensor([-0.0]), torch.tensor([1e-7, 0.]))
print(torch.arange(1500.))
# --- tensors of sizes
import torch
a = torch.Tensor(2, 3).shape
b = torch.Tensor([1, 2])
# --- torch reductions
import torch
x = torch.arange(12.).reshape(3, 4)
a = x.sum(), x.sum(0), x.mean(dim=(0, 1)), x.max(dim=1, keepdim=True).values, x.argmax(), x.argmin(dim=1), x.prod(), x.cumsum(0), x.amax(1), x.amin(dim=0, keepdim=True)
b = x.var(), x.std(dim=0), x.var(dim=1, unbiased=False), x.std(0, correction=0) if False else 0, torch.any(x > 3, dim=0), torch.all(x > 3)
c = x.max(), x.min(1).indices, x.min(1).values, torch.maximum(x, x * 2), torch.minimum(x, x - 1), x.flatten(), x.flatten(0, 1), x[None].flatten(1)
d = torch.equal(x, x), torch.allclose(x, x + 1e-9), torch.isclose(x, x), torch.zeros_like(x), torch.full_like(x, 2), torch.ones_like(x, dtype=torch.int64)
e = x.swapaxes(0, 1), x.t(), x.abs(), x.neg(), x.sigmoid(), x.norm(), x.tril(), x.triu(1), x @ x.T, x.mm(x.t()), x.softmax(dim=1), x.log_softmax(-1), x.round()
f = torch.relu(x - 3), torch.exp(x * 0), torch.cat([x, x], dim=1).shape, torch.stack([x, x]).shape, x.unsqueeze(0).shape, x.repeat(2, 1).shape, x.chunk(2, dim=1)[0].shape
# --- mask errors torch
import torch
torch.ones(2, 3)[torch.tensor([True, False, True])]
# --- item errors
import torch
torch.ones(2).item()
# --- concatenate errors torch
import torch
torch.cat([torch.ones(2, 3), torch.ones(2, 2)])
# --- expand
import torch
x = torch.ones(2, 1)
a = x.expand(2, 3)
b = x.expand(-1, 4)
c = x.expand(3, 2, 1)
d = x.expand(3, -1, 2).shape
# --- expand too little
import torch
torch.ones(2, 1).expand(3)
# --- expand a new axis by -1
import torch
torch.ones(2, 1).expand(-1, 2, 1)
# --- expand wrong
import torch
torch.ones(2, 2).expand(2, 3)
