"""Trains an MLP on CPUs by DistributedDataParallel and gloo, one thread for each rank, and prints the samples of all ranks in a second. torchrun starts it."""

import time

import torch
import torch.distributed as dist
from torch import nn

BATCH, STEPS, WARM = 256, 300, 20

torch.set_num_threads(1)
dist.init_process_group("gloo")
model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.rand(BATCH, 784), torch.arange(BATCH) % 10
for step in range(STEPS + WARM):
    if step == WARM:
        dist.barrier()
        begun = time.perf_counter()
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
dist.barrier()
if dist.get_rank() == 0:
    print(dist.get_world_size() * BATCH * STEPS / (time.perf_counter() - begun))
dist.destroy_process_group()
