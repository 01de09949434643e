#!/usr/bin/env python3
"""Times the workloads of `cresset bench` in PyTorch too, in turns with cresset, and prints ratios.

    go build -o cresset ./cmd/cresset
    python3 scripts/bench_torch.py --cresset ./cresset --rounds 9 --runs 3

Each round of a workload times PyTorch, then the other peers that know it (OpenBLAS through numpy for products, PyTorch's
channels-last layout for convolutions), then cresset. A round is the fastest of five batches of some 10 ms; what a run tells is
the median of its rounds' ratios. A ratio is the time of the fastest peer over cresset's: above 1 cresset is ahead. What is
wanted of a workload stands in torch_workloads.py; it is met where two runs of three, or that share of them, meet it.

PyTorch and OpenBLAS get what is good for them (tuning.py), and the script prints what that is: as many OpenMP threads as are
asked for, glibc told to keep freed memory, kernels for AVX-512 where the machine has it; and PyTorch gets inference mode
wherever no gradients are wanted. The calls of small/... are Python calls, as a user of PyTorch makes them.

MKL, which comes with PyTorch, uses AVX-512 on Intel's processors alone; OpenBLAS, timed beside it, on all. --mkl-avx512 takes
MKL's check away by a preloaded library, and tells how far ahead PyTorch could be.

With --device cuda both compute on the first GPU: PyTorch eagerly, in float32 without TF32. A batch ends when the GPU has done it.

With --memory the script compares, for the workloads that train, how much the peak of the resident memory grows from just
before the first step over --steps steps: of PyTorch, of cresset with a scope for each step, and of cresset without. Every
figure is of a fresh process, with the allocator's own settings; what is printed is the median of the rounds.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import tuning
from torch_workloads import beyond_cache, openblas_makers, torch_makers, wanted

BATCHES = 5
BATCH_SECONDS = 0.010
SETTLE_SECONDS = 0.1  # the idle threads of one library spin for a while, on the cores of the next

MIB = 1 << 20


class Timer:
    """A workload of this process, ready to be timed."""

    def __init__(self, call, wait=lambda: None):
        self.context, self.wait = getattr(call, "context", contextlib.nullcontext), wait
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
            self.wait()
            return time.perf_counter() - start

    def round(self):
        return min(self.batch() for _ in range(BATCHES)) / self.calls * 1e9


class Cresset:
    """A `cresset bench --follow` that waits for requests.

    Each workload has its own: after one of large tensors Go collects so seldom that small ones lie in memory that no cache holds.
    """

    def __init__(self, program, device):
        self.process = subprocess.Popen([program, "bench", "--follow", "--device", device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def round(self, name, threads):
        self.process.stdin.write(f"{name} {threads}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"cresset bench ended at {name}")
        return json.loads(line)["ns"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(args, threads):
    """Times all workloads in this process, whose environment fits the number of threads."""
    import torch

    torch.set_num_threads(threads)
    wait, openblas = prepare(args.device)
    makers, others = torch_makers()
    settle = SETTLE_SECONDS if args.device == "cpu" else 0
    rows = []
    for name in workloads(args):
        if name not in makers:
            continue
        peers = {"torch": Timer(makers[name](), wait)}
        if name in others:
            label, make = others[name]
            peers[f"torch {label}"] = Timer(make(), wait)
        if name in openblas:
            peers["openblas"] = Timer(openblas[name]())
        cresset = Cresset(args.cresset, args.device)
        times = {peer: [] for peer in [*peers, "cresset"]}
        for _ in range(args.rounds):
            for peer, timer in peers.items():
                time.sleep(settle)
                times[peer].append(timer.round())
            time.sleep(settle)
            times["cresset"].append(cresset.round(name, threads))
        cresset.end()
        rows.append({"device": args.device, **row(name, threads, times)})
        print(format_row(rows[-1]), file=sys.stderr, flush=True)
    return rows


def prepare(device):
    """Makes tensors on the device by default; returns what waits for it, and the products of OpenBLAS where it is the CPU."""
    import torch

    if device == "cpu":
        return lambda: None, openblas_makers()
    torch.set_default_device(device)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    return torch.cuda.synchronize, {}


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
    for name in (n for n in workloads(args) if n.startswith("train/")):
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


def summarize(runs):
    """A row for each workload and number of threads: the middle run, and how many runs met what is wanted."""
    print(f"\nRuns: {len(runs)}. `told` is what nothing is asked of.\n")
    print("| workload | threads | wanted | goal | fastest peer | cresset | ratio | of the runs | verdict |\n|---|---|---|---|---|---|---|---|---|")
    for same in zip(*runs):
        r = middle(same)
        gate, goal = wanted(r["case"], r["device"])
        ratios = ", ".join(f"{x['ratio']:.2f}" for x in same)
        print(f"| `{r['case']}` | {r['threads']} | {gate or ''} | {goal or ''} | {human(r['ns'][r['anchor']])} ({r['anchor']}) "
              f"| {human(r['ns']['cresset'])} | {r['ratio']:.2f} | {ratios} | {verdict(same)} |")


def middle(runs):
    """The run of the median ratio; of an even number the worse one of two."""
    return sorted(runs, key=lambda r: r["ratio"])[(len(runs) - 1) // 2]


def met(runs):
    """How many runs reach the gate; None where there is none, or where the memory of two threads decides."""
    gate, _ = wanted(runs[0]["case"], runs[0]["device"])
    if gate is None or runs[0]["threads"] > 1 and beyond_cache(runs[0]["case"]):
        return None
    return sum(r["ratio"] >= gate for r in runs)


def missed(runs):
    """Says whether fewer than two runs of three, or that share of them, reach the gate."""
    return (count := met(runs)) is not None and 3 * count < 2 * len(runs)


def verdict(runs):
    if (count := met(runs)) is None:
        return "told"
    return f"{'missed' if missed(runs) else 'met'} ({count} of {len(runs)})"


def versions(device):
    import numpy
    import torch

    wanted = re.compile("Built with|MKL|DNN|OpenMP|CPU capability")
    lines = [] if device == "cpu" else [f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}"]
    lines += [f"torch {torch.__version__}, numpy {numpy.__version__}, Python {sys.version.split()[0]}"]
    lines += [line.strip(" -") for line in torch.__config__.show().splitlines() if wanted.search(line) and "Build settings" not in line]
    return lines


def positive(text):
    """A number that counts something, as an argument."""
    if (n := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{n} is not at least 1")
    return n


def numbers(text):
    return [positive(t) for t in text.split(",")]


def device(text):
    """A device as cresset writes it."""
    if not re.fullmatch(r"cpu|cuda(:\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither cpu nor a GPU such as cuda:0")
    return "cuda:0" if text == "cuda" else text


def pattern(text):
    try:
        re.compile(text)
    except re.error as e:
        raise argparse.ArgumentTypeError(f"{text!r}: {e}") from None
    return text


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cresset", default="cresset", help="the program")
    parser.add_argument("--match", default="", type=pattern, help="a regular expression for names of workloads")
    parser.add_argument("--device", default="cpu", type=device, help="cpu, or a GPU such as cuda:0")
    parser.add_argument("--threads", default="1,2", type=numbers, help="numbers of threads")
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--runs", type=positive, default=1, help="of all rounds, each in processes of its own")
    parser.add_argument("--mkl-avx512", action="store_true", help="let MKL use AVX-512 on every processor; needs cc")
    parser.add_argument("--json", help="a file for the figures")
    parser.add_argument("--memory", action="store_true", help="compare what training adds to the resident peak, not times")
    parser.add_argument("--steps", type=positive, default=200, help="of training, with --memory")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.device != "cpu":
        args.threads = [1]  # of the CPU, which only launches
    if not args.child:
        check(parser, args)
    return args


def check(parser, args):
    """Ends the program where a long run would come to nothing."""
    if args.memory and args.device != "cpu":
        parser.error("--memory is of the CPU")
    if missing := [name for name in ("torch", "numpy") if importlib.util.find_spec(name) is None]:
        parser.error(f"{sys.executable} has no {' and no '.join(missing)}: pip install torch numpy")
    try:
        names = workloads(args)
    except OSError as e:
        parser.error(f"--cresset: {e}; go build -o cresset ./cmd/cresset makes it")
    if not any(n.startswith("train/") for n in names) if args.memory else not names:
        parser.error(f"--match: no workload {'that trains ' * args.memory}matches {args.match!r}")
    if args.json:
        try:
            open(args.json, "a").close()
        except OSError as e:
            parser.error(f"--json: {e}")


def workloads(args):
    """The names of those that match; cresset says on stderr why there are none."""
    return subprocess.run([args.cresset, "bench", "--list", "--device", args.device, args.match], stdout=subprocess.PIPE, text=True).stdout.split()


def main():
    args = arguments()
    if args.child:
        json.dump(child(args), sys.stdout)
        return
    print("\n".join(versions(args.device)))
    report = report_memory if args.memory else report_times
    rows = report(args, args.threads)
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"versions": versions(args.device), "rows": rows}, f, indent=1)


def report_memory(args, threads):
    print(f"\nMiB that the resident peak grows by in {args.steps} steps\n")
    print("| workload | threads | PyTorch | with scopes | ratio | < 1.1 | without | limit | < 1.5 + 64 MiB |\n|---|---|---|---|---|---|---|---|---|")
    return [r for n in threads for r in compare_memory(args, n)]


def report_times(args, threads):
    with tempfile.TemporaryDirectory() as folder:
        tuned = tuning.tuning(folder if args.mkl_avx512 else None)
        print("\n".join(tuning.describe(tuned)))
        print("\n| workload | threads | PyTorch | fastest peer | cresset | ratio | spread |\n|---|---|---|---|---|---|---|")
        runs = [[r for n in threads for r in compare_times(args, n, tuned)] for _ in range(args.runs)]
    summarize(runs)
    return [r for run in runs for r in run]


def child(args):
    """What a process of its own finds."""
    if not args.memory:
        return measure(args, args.child)
    import torch

    torch.set_num_threads(args.child)
    return {"bytes": torch_growth(args.match, args.steps)}


def threads_environment(threads):
    return dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))


def compare_times(args, threads, tuned):
    environment = tuning.environment({**tuned, **threads_environment(threads)})
    command = [sys.executable, __file__, "--child", str(threads), "--cresset", args.cresset, "--device", args.device, "--match", args.match, "--rounds", str(args.rounds)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    rows = json.loads(done.stdout)
    for r in rows:
        print(format_row(r))
    return rows


if __name__ == "__main__":
    main()
