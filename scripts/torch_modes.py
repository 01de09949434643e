"""The ways in which `cresset bench --device cuda:0` runs training steps, in PyTorch: compiled, in bfloat16 by autocast, as a CUDA graph."""

import torch

MODES = ("compiled", "graph", "bf16", "bf16_compiled", "bf16_compiled_graph")


def in_mode(lesson, mode=""):
    """Returns a maker of a step. A lesson is called with whether the step is to be captured, and returns a model, its input, the loss of its output and an optimizer."""
    parts = mode.split("_")

    def make():
        net, inputs, loss, optimizer = lesson("graph" in parts)
        if "compiled" in parts:
            net = torch.compile(net)

        def step():
            optimizer.zero_grad()
            with torch.autocast(inputs.device.type, torch.bfloat16, enabled="bf16" in parts):
                value = loss(net(inputs))
            value.backward()
            optimizer.step()
        return captured(step) if "graph" in parts else step
    return make


def captured(step):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay
