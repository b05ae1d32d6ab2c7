# --- average of the past by loops
import torch
torch.manual_seed(1337)
B, T, C = 4, 8, 2
x = torch.randn(B, T, C)
x.shape
xbow = torch.zeros((B, T, C))
for b in range(B):
    for t in range(T):
        xprev = x[b, :t+1] # (t, C)
        xbow[b, t] = torch.mean(xprev, 0)
wei = torch.tril(torch.ones(T, T))
wei = wei / wei.sum(1, keepdim=True)
xbow2 = wei @ x # (B, T, T) @ (B, T, C) ----> (B, T, C)
print(torch.allclose(xbow, xbow2, atol=1e-6))
from torch.nn import functional as F
tril = torch.tril(torch.ones(T, T))
wei = torch.zeros((T, T))
wei = wei.masked_fill(tril == 0, float('-inf'))
wei = F.softmax(wei, dim=-1)
xbow3 = wei @ x
print(torch.allclose(xbow, xbow3, atol=1e-6))
x = xbow = xbow2 = xbow3 = xprev = None
# --- triangular trick
import torch
a = torch.tril(torch.ones(3, 3))
a = a / torch.sum(a, 1, keepdim=True)
b = torch.tensor([[2, 7], [6, 4], [6, 5]]).float()
c = a @ b
print('a=')
print(a)
print('--')
print('b=')
print(b)
print('--')
print('c=')
print(c)
# --- self-attention beside PyTorch's
import numpy as np
import torch
import torch.nn as nn

def softmax(Z):
    Z = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return Z / Z.sum(axis=-1, keepdims=True)

def self_attention(X, mask, W_KQV, W_out):
    K,Q,V = np.split(X@W_KQV, 3, axis=-1)
    attn = softmax(K@Q.swapaxes(-1,-2) / np.sqrt(X.shape[-1]) + mask)
    return attn@V@W_out, attn

T, d = 100, 64
attn = nn.MultiheadAttention(d, 1, bias=False, batch_first=True)
M = torch.triu(-float("inf")*torch.ones(T,T),1)
X = torch.randn(1,T,d)
Y_, A_ = attn(X,X,X, attn_mask=M)

Y, A = self_attention(X[0].numpy(), M.numpy(),
                      attn.in_proj_weight.detach().numpy().T,
                      attn.out_proj.weight.detach().numpy().T)
print(Y.shape, A.shape, Y_.shape, A_.shape)
print(np.linalg.norm(A_[0].detach().numpy() - A) < 1e-5)
print(np.linalg.norm(Y_[0].detach().numpy() - Y) < 1e-4)
print([(n, tuple(p.shape)) for n, p in attn.named_parameters()])
M = X = Y_ = A_ = Y = A = None
# --- several heads beside PyTorch's
import numpy as np
import torch
import torch.nn as nn

def softmax(Z):
    Z = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return Z / Z.sum(axis=-1, keepdims=True)

def multihead_attention(X, mask, heads, W_KQV, W_out):
    N,T,d = X.shape
    K,Q,V = np.split(X@W_KQV, 3, axis=-1)
    K,Q,V = [a.reshape(N,T,heads,d//heads).swapaxes(1,2) for a in (K,Q,V)]

    attn = softmax(K@Q.swapaxes(-1,-2) / np.sqrt(d//heads) + mask)
    return (attn@V).swapaxes(1,2).reshape(N,T,d)@W_out, attn

T, d, heads, N = 20, 16, 4, 3
attn = nn.MultiheadAttention(d, heads, bias=False, batch_first=True)
M = torch.triu(-float("inf")*torch.ones(T,T),1)
X = torch.randn(N,T,d)
Y_, A_ = attn(X,X,X,attn_mask=M)
Y, A = multihead_attention(X.numpy(), M.numpy(), heads, attn.in_proj_weight.detach().numpy().T,
                           attn.out_proj.weight.detach().numpy().T)
print(A_.shape, A.shape)
print(np.linalg.norm(Y_.detach().numpy() - Y) < 1e-5)
print(np.linalg.norm(A_.detach().numpy() - A.mean(1)) < 1e-5)
M = X = Y_ = A_ = Y = A = None
# --- a block beside PyTorch's
import numpy as np
import torch
import torch.nn as nn

def softmax(Z):
    Z = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return Z / Z.sum(axis=-1, keepdims=True)

def multihead_attention(X, mask, heads, W_KQV, W_out):
    N,T,d = X.shape
    K,Q,V = np.split(X@W_KQV, 3, axis=-1)
    K,Q,V = [a.reshape(N,T,heads,d//heads).swapaxes(1,2) for a in (K,Q,V)]
    attn = softmax(K@Q.swapaxes(-1,-2) / np.sqrt(d//heads) + mask)
    return (attn@V).swapaxes(1,2).reshape(N,T,d)@W_out, attn

def layer_norm(Z, eps):
    return (Z - Z.mean(axis=-1, keepdims=True)) / np.sqrt(Z.var(axis=-1, keepdims=True) + eps)

def relu(Z):
    return np.maximum(Z,0)

def transformer(X, mask, heads, W_KQV, W_out, W_ff1, W_ff2, eps):
    Z = layer_norm(multihead_attention(X, mask, heads, W_KQV, W_out)[0] + X, eps)
    return layer_norm(Z + relu(Z@W_ff1)@W_ff2, eps)

N, T, d, heads = 2, 10, 16, 4
trans = nn.TransformerEncoderLayer(d, heads, dim_feedforward=32, dropout=0.0, batch_first=True)
trans.linear1.bias.data.zero_()
trans.linear2.bias.data.zero_();
M = torch.triu(-float("inf")*torch.ones(T,T),1)
X = torch.randn(N,T,d)
Y_ = trans(X, M)
Y = transformer(X.numpy(), M.numpy(), heads,
                trans.self_attn.in_proj_weight.detach().numpy().T,
                trans.self_attn.out_proj.weight.detach().numpy().T,
                trans.linear1.weight.detach().numpy().T,
                trans.linear2.weight.detach().numpy().T,
                trans.norm1.eps)
print(np.linalg.norm(Y - Y_.detach().numpy()) < 1e-4)
M = X = Y_ = Y = None
# --- attention of PyTorch with its options
import torch
import torch.nn as nn
T, S, C, B = 3, 4, 6, 2
attn = nn.MultiheadAttention(C, 2)
attn.in_proj_weight.data.copy_(torch.arange(3. * C * C).view(3 * C, C).sin())
attn.in_proj_bias.data.copy_(torch.arange(3. * C).cos())
attn.out_proj.weight.data.copy_(torch.arange(1. * C * C).view(C, C).cos())
q = torch.arange(1. * T * B * C).view(T, B, C).sin()
kv = torch.arange(1. * S * B * C).view(S, B, C).cos()
y, w = attn(q, kv, kv)
padding = torch.tensor([[False, False, True, True], [False, False, False, True]])
y2, w2 = attn(q, kv, kv, key_padding_mask=padding, average_attn_weights=False)
y3, w3 = attn(q[:, 0], kv[:, 0], kv[:, 0], need_weights=False)
hidden = torch.triu(torch.ones(T, T), 1).bool()
y4, w4 = attn(q, q, q, attn_mask=hidden)
layer = nn.TransformerEncoderLayer(C, 2, 8, norm_first=True, activation='gelu', batch_first=True).eval()
print(layer(q).shape, w3, [n for n, _ in layer.named_parameters()][:4])
nn.MultiheadAttention(5, 2)
