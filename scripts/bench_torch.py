#!/usr/bin/env python3
"""Times the workloads of `cresset bench` in PyTorch too, in turns with cresset, and prints ratios.

    go build -o cresset ./cmd/cresset
    python3 scripts/bench_torch.py --cresset ./cresset --rounds 9

Each round of a workload times PyTorch, then cresset, then the next peer that knows it (OpenBLAS through numpy for products,
PyTorch's channels-last layout for convolutions). A round is the fastest of five batches of some 10 ms; what is printed is
the median of the rounds' ratios. A ratio is the time of the fastest peer over cresset's: above 1 cresset is ahead.

PyTorch gets what is good for it, and the script prints what that is: as many OpenMP threads as are asked for, glibc told to
keep freed memory (without that results above 32 MiB are mapped afresh each time), and inference mode wherever no gradients
are wanted. The calls of small/... are Python calls, as a user of PyTorch makes them.

With --memory the script compares, for the workloads that train, how much the peak of the resident memory grows from just
before the first step over --steps steps: of PyTorch, of cresset with a scope for each step, and of cresset without. Every
figure is of a fresh process, with the allocator's own settings; what is printed is the median of the rounds.
"""

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import time

BATCHES = 5
BATCH_SECONDS = 0.010
SETTLE_SECONDS = 0.1  # the idle threads of one library spin for a while, on the cores of the next

MIB = 1 << 20

KEEP_MEMORY = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "100000000000",
    "MALLOC_TOP_PAD_": "268435456",
}


# Peers. A workload is a function without parameters; a maker returns one, with its operands.


def torch_makers():
    import torch
    from torch import nn
    import torch.nn.functional as F

    torch.manual_seed(0)
    makers = {}

    class infer_batches:
        """A call of which a batch is timed inside of inference mode."""

        context = torch.inference_mode

        def __init__(self, call):
            self.call = call

    def add(name, make, *, grad=False):
        makers[name] = make if grad else (lambda: infer_batches(make()))

    def product(a, b, dtype=torch.float32):
        def make():
            x, y = torch.randn(a).to(dtype), torch.randn(b).to(dtype)
            return lambda: torch.mm(x, y)
        return make

    def linear(batch, inputs, outputs):
        def make():
            x, w, b = torch.randn(batch, inputs), torch.randn(outputs, inputs), torch.randn(outputs)
            return lambda: F.linear(x, w, b)
        return make

    for n in (128, 256, 512, 1024, 2048):
        add(f"mm/{n}", product((n, n), (n, n)))
    for b in (1, 8, 32, 64):
        add(f"mm/{b}x784x256", product((b, 784), (784, 256)))
        add(f"linear/{b}x784x256", linear(b, 784, 256))
        add(f"linear/{b}x1024x1024", linear(b, 1024, 1024))
    add("linear/64x128x10", linear(64, 128, 10))
    for n in (256, 1024):
        add(f"mm_bf16/{n}", product((n, n), (n, n), torch.bfloat16))

    def elementwise(f, n):
        def make():
            x = torch.rand(n)
            return lambda: f(x)
        return make

    def both(f, *shapes):
        def make():
            operands = [torch.randn(s) for s in shapes]
            return lambda: f(*operands)
        return make

    sizes = {"1e3": 1000, "1e5": 100_000, "1e7": 10_000_000}
    for name, n in sizes.items():
        add(f"add/{name}", both(torch.add, (n,), (n,)))
    functions = {
        "relu": torch.relu, "exp": torch.exp, "log": torch.log, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
        "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
    }
    for name, f in functions.items():
        for size in ("1e5", "1e7"):
            add(f"{name}/{size}", elementwise(f, sizes[size]))
    for m, n in ((300, 300), (4000, 2500)):
        add(f"add_row/{m}x{n}", both(torch.add, (m, n), (n,)))
    add("transpose/4000x2500", both(lambda x: x.t().contiguous(), (4000, 2500)))

    def layer_norm(m, n):
        def make():
            x, w, b = torch.randn(m, n), torch.ones(n), torch.zeros(n)
            return lambda: F.layer_norm(x, (n,), w, b)
        return make

    def cross_entropy(m, n):
        def make():
            x, labels = torch.randn(m, n), torch.randint(0, n, (m,))
            return lambda: F.cross_entropy(x, labels)
        return make

    for m, n in ((128, 128), (4096, 1024)):
        shape = f"{m}x{n}"
        add(f"softmax/{shape}", both(lambda x: torch.softmax(x, 1), (m, n)))
        add(f"log_softmax/{shape}", both(lambda x: torch.log_softmax(x, 1), (m, n)))
        add(f"sum_rows/{shape}", both(lambda x: x.sum(1), (m, n)))
        add(f"sum_columns/{shape}", both(lambda x: x.sum(0), (m, n)))
        add(f"max_rows/{shape}", both(lambda x: x.max(1), (m, n)))
        add(f"max_columns/{shape}", both(lambda x: x.max(0), (m, n)))
        add(f"layer_norm/{shape}", layer_norm(m, n))
        add(f"cross_entropy/{shape}", cross_entropy(m, n))

    pictures = (32, 64, 56, 56)
    suffix = "x".join(map(str, pictures))

    def conv():
        x, net = torch.randn(pictures), nn.Conv2d(64, 64, 3, padding=1)
        return lambda: net(x)

    def conv_gradients():
        x, net, dy = torch.randn(pictures, requires_grad=True), nn.Conv2d(64, 64, 3, padding=1), torch.randn(pictures)
        return lambda: net(x).backward(dy)

    def batch_norm():
        x, w, b, mean, var = torch.randn(pictures), torch.ones(64), torch.zeros(64), torch.zeros(64), torch.ones(64)
        return lambda: F.batch_norm(x, mean, var, w, b, training=True)

    add(f"conv3x3/{suffix}", conv)
    add(f"conv3x3_grad/{suffix}", conv_gradients, grad=True)
    add(f"max_pool2x2/{suffix}", both(lambda x: F.max_pool2d(x, 2), pictures))
    add(f"max_pool3x3/{suffix}", both(lambda x: F.max_pool2d(x, 3, 2, 1), pictures))
    add(f"batch_norm/{suffix}", batch_norm)

    def small(f):
        def make():
            x, y, leaf = torch.ones(4), torch.ones(4), torch.ones(4, requires_grad=True)
            return lambda: f(x, y, leaf)
        return make

    def backward(x, _, leaf):
        (x * leaf).sum().backward()
        leaf.grad = None

    add("small/add", small(lambda x, y, _: x + y))
    add("small/add_in_place", small(lambda x, y, _: x.add_(y)))
    add("small/view", small(lambda x, *_: x.view(2, 2)))
    add("small/add_recorded", small(lambda x, _, leaf: x + leaf), grad=True)
    add("small/mul_sum_backward", small(backward), grad=True)

    def mlp():
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))

    def cnn():
        return nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(64 * 7 * 7, 10))

    def trainer(model, optimizer, layout=torch.contiguous_format):
        def make():
            net = model().to(memory_format=layout)
            opt = optimizer(net.parameters())
            images = torch.rand(64, 1, 28, 28).to(memory_format=layout)
            labels = torch.randint(0, 10, (64,))

            def step():
                opt.zero_grad()
                F.cross_entropy(net(images), labels).backward()
                opt.step()
            return step
        return make

    def sgd(parameters):
        return torch.optim.SGD(parameters, lr=1e-3)

    def adam(parameters):
        return torch.optim.Adam(parameters)

    def fused_adam(parameters):
        return torch.optim.Adam(parameters, fused=True)

    for name, model in (("mlp", mlp), ("cnn", cnn)):
        add(f"train/{name}_sgd", trainer(model, sgd), grad=True)
        add(f"train/{name}_adam", trainer(model, adam), grad=True)

    others = {}  # other ways of PyTorch to do the same work: the fastest counts

    def channels_last():
        x = torch.randn(pictures).to(memory_format=torch.channels_last)
        net = nn.Conv2d(64, 64, 3, padding=1).to(memory_format=torch.channels_last)
        return infer_batches(lambda: net(x))

    def channels_last_gradients():
        x = torch.randn(pictures).to(memory_format=torch.channels_last).requires_grad_()
        net = nn.Conv2d(64, 64, 3, padding=1).to(memory_format=torch.channels_last)
        dy = torch.randn(pictures).to(memory_format=torch.channels_last)
        return lambda: net(x).backward(dy)

    def pool_last(*options):
        def make():
            x = torch.randn(pictures).to(memory_format=torch.channels_last)
            return infer_batches(lambda: F.max_pool2d(x, *options))
        return make

    others[f"conv3x3/{suffix}"] = ("channels_last", channels_last)
    others[f"conv3x3_grad/{suffix}"] = ("channels_last", channels_last_gradients)
    others[f"max_pool2x2/{suffix}"] = ("channels_last", pool_last(2))
    others[f"max_pool3x3/{suffix}"] = ("channels_last", pool_last(3, 2, 1))
    others["train/mlp_adam"] = ("fused", trainer(mlp, fused_adam))
    others["train/cnn_adam"] = ("fused", trainer(cnn, fused_adam))
    others["train/cnn_sgd"] = ("channels_last", trainer(cnn, sgd, torch.channels_last))
    return makers, others


def openblas_makers():
    """Products by the OpenBLAS that numpy brings."""
    import numpy

    makers = {}

    def product(m, k, n):
        def make():
            a, b = (numpy.random.rand(*s).astype("float32") for s in ((m, k), (k, n)))
            out = numpy.empty((m, n), "float32")
            return lambda: numpy.matmul(a, b, out=out)
        return make

    for n in (128, 256, 512, 1024, 2048):
        makers[f"mm/{n}"] = product(n, n, n)
    for b in (1, 8, 32, 64):
        makers[f"mm/{b}x784x256"] = product(b, 784, 256)
    return makers


class Timer:
    """A workload of this process, ready to be timed."""

    def __init__(self, call):
        self.context = getattr(call, "context", contextlib.nullcontext)
        self.call = call = getattr(call, "call", call)
        self.calls = 1
        call()
        while (took := self.batch()) < BATCH_SECONDS / 2:
            self.calls *= 2
        self.calls = max(1, int(self.calls * BATCH_SECONDS / took))

    def batch(self):
        call = self.call
        with self.context():
            start = time.perf_counter()
            for _ in range(self.calls):
                call()
            return time.perf_counter() - start

    def round(self):
        return min(self.batch() for _ in range(BATCHES)) / self.calls * 1e9


class Cresset:
    """A `cresset bench --follow` that waits for requests."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "bench", "--follow"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def round(self, name, threads):
        self.process.stdin.write(f"{name} {threads}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"cresset bench ended at {name}")
        return json.loads(line)["ns"]


def measure(args, threads):
    """Times all workloads in this process, whose environment fits the number of threads."""
    import torch

    torch.set_num_threads(threads)
    makers, others = torch_makers()
    openblas = openblas_makers()
    cresset = Cresset(args.cresset)
    rows = []
    for name in subprocess.run([args.cresset, "bench", "--list", args.match], text=True, capture_output=True, check=True).stdout.split():
        if name not in makers:
            continue
        peers = {"torch": Timer(makers[name]())}
        if name in others:
            label, make = others[name]
            peers[f"torch {label}"] = Timer(make())
        if name in openblas:
            peers["openblas"] = Timer(openblas[name]())
        times = {peer: [] for peer in [*peers, "cresset"]}
        for _ in range(args.rounds):
            for peer, timer in peers.items():
                time.sleep(SETTLE_SECONDS)
                times[peer].append(timer.round())
            time.sleep(SETTLE_SECONDS)
            times["cresset"].append(cresset.round(name, threads))
        rows.append(row(name, threads, times))
        print(format_row(rows[-1]), file=sys.stderr, flush=True)
    return rows


def resident_peak():
    """The most bytes that were resident at a time, as Linux tells it."""
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("VmHWM"))


def torch_growth(name, steps):
    """Trains in this process."""
    step = torch_makers()[0][name]()
    before = resident_peak()
    for _ in range(steps):
        step()
    return resident_peak() - before


def median_growth(command, rounds, environment=None):
    runs = (subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True) for _ in range(rounds))
    return statistics.median(json.loads(run.stdout)["bytes"] for run in runs)


def compare_memory(args, threads):
    """Trains in processes of their own."""
    rows = []
    names = [f"train/{model}_{optimizer}" for model in ("mlp", "cnn") for optimizer in ("sgd", "adam")]
    for name in filter(re.compile(args.match).search, names):
        torch = [sys.executable, __file__, "--child", str(threads), "--match", name, "--steps", str(args.steps), "--memory"]
        cresset = [args.cresset, "bench", f"^{name}$", "--threads", str(threads), "--memory", str(args.steps)]
        growth = {
            "torch": median_growth(torch, args.rounds, {**os.environ, **threads_environment(threads)}),
            "scopes": median_growth(cresset, args.rounds),
            "none": median_growth([*cresset, "--no-scopes"], args.rounds),
        }
        rows.append({"case": name, "threads": threads, "steps": args.steps, "bytes": growth})
        print(format_growth(rows[-1]), flush=True)
    return rows


def format_growth(r):
    torch, scopes, none = (r["bytes"][k] for k in ("torch", "scopes", "none"))
    met = {True: "met", False: "missed"}
    return (f"| {r['case']} | {r['threads']} | {torch / MIB:.1f} | {scopes / MIB:.1f} | {scopes / torch:.2f} | {met[scopes < 1.1 * torch]} "
            f"| {none / MIB:.1f} | {1.5 * torch / MIB + 64:.1f} | {met[none < 1.5 * torch + 64 * MIB]} |")


def row(name, threads, times):
    median = {peer: statistics.median(t) for peer, t in times.items()}
    anchor = min((p for p in median if p != "cresset"), key=median.get)
    ratios = [a / c for a, c in zip(times[anchor], times["cresset"])]
    return {
        "case": name, "threads": threads, "anchor": anchor, "ratio": statistics.median(ratios),
        "low": min(ratios), "high": max(ratios), "ns": median,
    }


def human(ns):
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.4g} {unit}"
    return f"{ns:.4g} ns"


def format_row(r):
    return (f"| {r['case']} | {r['threads']} | {human(r['ns']['torch'])} | {human(r['ns'][r['anchor']])} ({r['anchor']}) "
            f"| {human(r['ns']['cresset'])} | {r['ratio']:.2f} | {r['low']:.2f} to {r['high']:.2f} |")


def versions():
    import numpy
    import torch

    wanted = re.compile("Built with|MKL|DNN|OpenMP|CPU capability")
    lines = [f"torch {torch.__version__}, numpy {numpy.__version__}, Python {sys.version.split()[0]}"]
    lines += [line.strip(" -") for line in torch.__config__.show().splitlines() if wanted.search(line) and "Build settings" not in line]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cresset", default="cresset", help="the program")
    parser.add_argument("--match", default="", help="a regular expression for names of workloads")
    parser.add_argument("--threads", default="1,2", help="numbers of threads")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", help="a file for the figures")
    parser.add_argument("--memory", action="store_true", help="compare what training adds to the resident peak, not times")
    parser.add_argument("--steps", type=int, default=200, help="of training, with --memory")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        json.dump(child(args), sys.stdout)
        return
    print("\n".join(versions() if args.memory else [*versions(), *(f"{k}={v}" for k, v in KEEP_MEMORY.items())]))
    if args.memory:
        print(f"\nMiB that the resident peak grows by in {args.steps} steps\n")
        print("| workload | threads | PyTorch | with scopes | ratio | < 1.1 | without | limit | < 1.5 + 64 MiB |\n|---|---|---|---|---|---|---|---|---|")
    else:
        print("\n| workload | threads | PyTorch | fastest peer | cresset | ratio | spread |\n|---|---|---|---|---|---|---|")
    compare = compare_memory if args.memory else compare_times
    rows = [r for threads in map(int, args.threads.split(",")) for r in compare(args, threads)]
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"versions": versions(), "rows": rows}, f, indent=1)


def child(args):
    """What a process of its own finds."""
    if not args.memory:
        return measure(args, args.child)
    import torch

    torch.set_num_threads(args.child)
    return {"bytes": torch_growth(args.match, args.steps)}


def threads_environment(threads):
    return dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))


def compare_times(args, threads):
    environment = {**os.environ, **KEEP_MEMORY, **threads_environment(threads)}
    command = [sys.executable, __file__, "--child", str(threads), "--cresset", args.cresset, "--match", args.match, "--rounds", str(args.rounds)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    rows = json.loads(done.stdout)
    for r in rows:
        print(format_row(r))
    return rows


if __name__ == "__main__":
    main()
