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
