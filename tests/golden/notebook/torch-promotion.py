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
