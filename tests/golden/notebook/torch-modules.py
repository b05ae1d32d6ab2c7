# --- sequential
import torch
import torch.nn as nn
s = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
a = len(s)
b = [type(m).__name__ for m in s]
c = [n for n, p in s.named_parameters()]
d = type(s[0]).__name__
e = type(s[-1]).__name__
f = len(s[:2])
g = s(torch.ones(4, 2)).shape
h = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
h.append(nn.Linear(2, 1))
i = len(h)
j = [n for n, p in h.named_parameters()]
k = bool(nn.ModuleList())
# --- module list of a generator
import torch.nn as nn
h = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
i = len(h)
# --- sequential out of range
import torch.nn as nn
nn.Sequential(nn.ReLU())[3]
