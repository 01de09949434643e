"""Writes tokens in PyTorch as `cresset bench --device cuda:0` does: GPT-2, and a model of the sizes of Llama 3.2 1B, op by op, and compiled or as a CUDA graph over
keys and values of a fixed size, as transformers' StaticCache has them."""

import itertools

import torch
import torch.nn.functional as F
from torch import nn

from torch_gpt import GPT2_SMALL, gpt
from torch_modes import captured

LLAMA_1B = (128256, 2048, 8192, 16, 32, 8)  # tokens, width, width between, layers, heads of queries, of keys
FEWEST, MOST = 512, 1024  # tokens before the one that is written


def llama(tokens, width, between, layers, heads, groups):
    size = width // heads

    def rotate(x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.mlp_norm = nn.RMSNorm(width), nn.RMSNorm(width)
            self.query, self.output = (nn.Linear(width, width, bias=False) for _ in range(2))
            self.key, self.value = (nn.Linear(width, groups * size, bias=False) for _ in range(2))
            self.gate, self.up = (nn.Linear(width, between, bias=False) for _ in range(2))
            self.down = nn.Linear(between, width, bias=False)

        def forward(self, x, cos, sin, cache, at, mask):
            y = self.norm(x)
            q, k, v = (f(y).view(1, 1, -1, size).transpose(1, 2) for f in (self.query, self.key, self.value))
            k, v = remember(cache, rotate(k, cos, sin), v, at)
            y = F.scaled_dot_product_attention(rotate(q, cos, sin), k, v, attn_mask=mask, enable_gqa=True)
            x = x + self.output(y.transpose(1, 2).reshape(1, 1, width))
            y = self.mlp_norm(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.norm = nn.Embedding(tokens, width), nn.RMSNorm(width)
            self.layers = nn.ModuleList(Layer() for _ in range(layers))
            self.head = nn.Linear(width, tokens, bias=False)
            self.head.weight = self.tokens.weight
            angles = torch.arange(MOST)[:, None] * 500000 ** -(torch.arange(0, size, 2) / size)
            self.register_buffer("cos", angles.cos())
            self.register_buffer("sin", angles.sin())

        def forward(self, ids, caches, at):
            x = self.tokens(ids)
            cos, sin = self.cos[at].view(1, 1, 1, -1), self.sin[at].view(1, 1, 1, -1)
            mask = seen(at)
            for layer, cache in zip(self.layers, caches):
                x = layer(x, cos, sin, cache, at, mask)
            return self.head(self.norm(x))

    return Model()


def remember(cache, k, v, at):
    """Keeps keys and values at a place, a number or a tensor, and returns those that there are: all that there is room for where it is a tensor."""
    if torch.is_tensor(at):
        return cache[0].index_copy_(2, at, k), cache[1].index_copy_(2, at, v)
    cache[0][:, :, at:at + 1], cache[1][:, :, at:at + 1] = k, v
    return cache[0][:, :, :at + 1], cache[1][:, :, :at + 1]


def seen(at):
    return (torch.arange(MOST, device=at.device) <= at).view(1, MOST) if torch.is_tensor(at) else None


def llama_decoder(dtype, mode="", sizes=LLAMA_1B):
    return decoder(llama(*sizes), sizes[3], sizes[5], sizes[1] // sizes[4], dtype, mode)


def gpt_static(dtype, mode):
    return decoder(gpt(*GPT2_SMALL), 12, 12, 64, dtype, mode)


def decoder(net, layers, heads, size, dtype, mode):
    parts = mode.split("_")
    net, token = net.to(dtype).requires_grad_(False), torch.ones(1, 1, dtype=torch.int64)
    caches = [torch.randn(2, 1, heads, MOST, size).to(dtype) for _ in range(layers)]
    run = torch.compile(net) if "compiled" in parts else net
    if not mode:
        places = itertools.cycle(range(FEWEST, MOST))
        return lambda: run(token, caches, next(places))
    at = torch.tensor([FEWEST])

    def step():
        run(token, caches, at)
        at.add_(1 - FEWEST).remainder_(MOST - FEWEST).add_(FEWEST)
    return captured(step) if "graph" in parts else step
