"""GPTs in PyTorch, as `cresset bench` trains them, reads prompts and writes tokens with them."""

import itertools

import torch
import torch.nn.functional as F
from torch import nn

GPT2_SMALL = (50257, 1024, 768, 12, 12, "tanh")


def gpt(tokens, positions, width, layers, heads, gelu="none"):
    """A decoder like GPT-2, with PyTorch's fused attention and a cache of what it has read."""
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
            self.three, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x, cache, at):
            batch, n, _ = x.shape
            q, k, v = (t.view(batch, n, heads, -1).transpose(1, 2) for t in self.three(self.norm(x)).chunk(3, -1))
            mask = None
            if torch.is_tensor(at):  # in a cache of a fixed size
                k, v = cache[0].index_copy_(2, at, k), cache[1].index_copy_(2, at, v)
                mask = (torch.arange(k.shape[2], device=at.device) <= at).view(1, -1)
            elif cache is not None:
                cache[0][:, :, at:at + n], cache[1][:, :, at:at + n] = k, v
                k, v = cache[0][:, :, :at + n], cache[1][:, :, :at + n]
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=n > 1)
            x = x + self.output(y.transpose(1, 2).reshape(batch, n, width))
            return x + self.down(F.gelu(self.up(self.mlp_norm(x)), approximate=gelu))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(tokens, width), nn.Embedding(positions, width)
            self.layers, self.norm = nn.ModuleList(Layer() for _ in range(layers)), nn.LayerNorm(width)
            self.head = nn.Linear(width, tokens, bias=False)
            self.head.weight = self.tokens.weight
            for p in self.parameters():
                if p.dim() > 1:
                    nn.init.normal_(p, 0, 0.02)

        def forward(self, ids, caches=None, at=0):
            places = at if torch.is_tensor(at) else torch.arange(at, at + ids.shape[1], device=ids.device)
            x = self.tokens(ids) + self.positions(places)
            for i, layer in enumerate(self.layers):
                x = layer(x, caches and caches[i], at)
            return self.head(self.norm(x))

    return Model()


def gpt_lesson(tokens, layers, heads, width, batch, block, gelu="none"):
    def lesson(capturable=False):
        net = gpt(tokens, block, width, layers, heads, gelu)
        matrices = [p for p in net.parameters() if p.dim() >= 2]
        others = [p for p in net.parameters() if p.dim() < 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}]
        ids, labels = torch.randint(0, tokens, (batch, block)), torch.randint(0, tokens, (batch * block,))
        return net, ids, lambda y: F.cross_entropy(y.flatten(0, 1), labels), torch.optim.AdamW(groups, fused=True, capturable=capturable)
    return lesson


def gpt_prompt():
    net, ids = gpt(*GPT2_SMALL), torch.randint(0, 50257, (1, 512))
    return lambda: net(ids)


def gpt_decoder(dtype):
    """Writes tokens with 512 to 1023 before them."""
    net, token = gpt(*GPT2_SMALL).to(dtype), torch.randint(0, 50257, (1, 1))
    caches = [torch.randn(2, 1, 12, 1024, 64).to(dtype) for _ in range(12)]
    at = itertools.cycle(range(512, 1024))
    return lambda: net(token, caches, next(at))
