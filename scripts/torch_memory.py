"""The most memory that tensors of a GPT's training step hold in PyTorch, by its MemTracker on tensors without elements: no GPU, and no allocator's rounding to segments.

python3 scripts/torch_memory.py gpt2_small bf16"""

import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

from torch_gpt import gpt_lesson

SIZES = {"gpt_4x128": (65, 4, 4, 128, 12, 64), "gpt_6x384": (65, 6, 6, 384, 4, 256), "gpt2_small": (50257, 12, 12, 768, 4, 1024, "tanh")}


def main(name, dtype="float32"):
    with FakeTensorMode():
        net, ids, loss, optimizer = gpt_lesson(*SIZES[name])()
        tracker = MemTracker()
        tracker.track_external(net, optimizer, ids)

        def step():
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=dtype == "bf16"):
                value = loss(net(ids))
            value.backward()
            optimizer.step()
        with tracker:
            step()  # makes the optimizer's state
            tracker.reset_mod_stats()
            step()
        tracker.display_snapshot("peak", units="MiB", tabulate=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
