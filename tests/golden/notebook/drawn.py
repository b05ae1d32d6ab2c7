# --- tokens that alone have a chance
import torch
a = torch.multinomial(torch.tensor([0., 0., 1.]), 1)
b = torch.multinomial(torch.tensor([[0., 2.], [3., 0.]]), num_samples=1)
c = torch.multinomial(torch.tensor([0., 5.]), 4, replacement=True)
d = torch.multinomial(torch.tensor([1., 2., 3.]), 3).sort().values
print(a, b, b.shape, c, d, a.dtype)
# --- a text of a model that is sure
import torch
import torch.nn.functional as F
torch.manual_seed(1337)
idx = torch.zeros((1, 1), dtype=torch.long)
for _ in range(5):
    logits = torch.full((1, 4), float('-inf'))
    logits[0, (idx[0, -1].item() + 1) % 4] = 0.
    probs = F.softmax(logits, dim=-1)
    idx_next = torch.multinomial(probs, num_samples=1)
    idx = torch.cat((idx, idx_next), dim=1)
print(idx[0].tolist())
# --- multinomial of no chance at all
import torch
x = 1
y = torch.multinomial(torch.tensor([0., 0.]), 1)
# --- multinomial of a negative weight
import torch
x = 1
y = torch.multinomial(torch.tensor([1., -1.]), 1)
# --- multinomial of a weight that is no number
import torch
x = 1
y = torch.multinomial(torch.tensor([1., float('nan')]), 1)
# --- multinomial of whole weights
import torch
x = 1
y = torch.multinomial(torch.tensor([1, 2]), 1)
# --- multinomial of no sample
import torch
x = 1
y = torch.multinomial(torch.tensor([1., 2.]), 0)
# --- multinomial of more samples than places
import torch
x = 1
y = torch.multinomial(torch.tensor([1., 2.]), 3)
# --- multinomial of weights of rank 0
import torch
x = 1
y = torch.multinomial(torch.tensor(1.), 1)
# --- multinomial of weights of rank 3
import torch
x = 1
y = torch.multinomial(torch.ones(1, 1, 2), 1)
# --- multinomial of a list of weights
import torch
x = 1
y = torch.multinomial([0.5, 0.5], 1)
# --- choices that chance leaves
import numpy as np
a = np.random.choice(3, p=[0, 0, 1])
b = np.random.choice([5, 6, 7], size=2, p=[0, 0, 1])
c = str(np.random.choice(['a', 'b'], p=[1, 0]))
d = np.random.choice(range(5), p=[1, 0, 0, 0, 0])
e = np.random.choice(np.array([2.5]), size=(2, 2))
f = np.sort(np.random.choice(4, 4, replace=False))
g = np.random.choice(3, size=0)
p = np.array([[0.], [1.]])
h = np.random.choice(range(2), p=p.ravel())
print(a, b, c, d, e, f, h, b.dtype, e.dtype)
# --- choice of chances of another size
import numpy as np
x = 1
y = np.random.choice([5, 6, 7], p=[0.5, 0.5])
# --- choice of chances above 1
import numpy as np
x = 1
y = np.random.choice([5, 6], p=[0.5, 0.75])
# --- choice of a negative chance
import numpy as np
x = 1
y = np.random.choice(3, p=[0.5, -0.5, 1])
# --- choice of a chance that is no number
import numpy as np
x = 1
y = np.random.choice(2, p=[0.5, np.nan])
# --- choice of chances of rank 2
import numpy as np
x = 1
y = np.random.choice(3, p=[[0, 0, 1]])
# --- choice of rank 2
import numpy as np
x = 1
y = np.random.choice([[5, 6, 7]], size=2)
# --- choice of nothing
import numpy as np
x = 1
y = np.random.choice(0)
# --- choice of more than there are
import numpy as np
x = 1
y = np.random.choice([5, 6, 7], size=4, replace=False)
# --- choice of more than have a chance
import numpy as np
x = 1
y = np.random.choice([5, 6, 7], size=2, replace=False, p=[0, 0, 1])
# --- choice of a number with a point
import numpy as np
x = 1
y = np.random.choice(2.5)
