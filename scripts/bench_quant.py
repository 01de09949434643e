"""Times one row of x times quantized weights of 4096x4096, in turns with PyTorch's products on the CPU, and prints a table of medians.

    python3 scripts/bench_quant.py [rounds]

Weights lie behind each other in more memory than the caches hold. Bandwidth counts weights, scales and zero points, beside that of a loop which only reads.
"""

import re
import statistics
import subprocess
import sys
import time

import torch

K = N = 4096
COUNT = 12
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def ours(binary):
    """Microseconds and GB/s of each row, by name and threads."""
    out = subprocess.run([binary, "-test.run=^$", "-test.bench=QuantDecode", "-test.benchtime=36x"], capture_output=True, text=True, check=True).stdout
    rows = {}
    for name, threads, ns, mbs in re.findall(r"QuantDecode/(.*?)/(\d)\S*\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) MB/s", out):
        rows[name.replace("_", " "), int(threads)] = (float(ns) / 1e3, float(mbs) / 1e3)
    return rows


def products():
    """PyTorch's products, by the name of ours."""
    x = torch.randn(1, K)
    int8 = [torch.randint(-128, 128, (N, K), dtype=torch.int8) for _ in range(COUNT)]
    scales = torch.rand(N)
    half = x.to(torch.bfloat16)
    yield "int8 by 3 digits", "torch._weight_int8pack_mm, bfloat16", lambda i: torch._weight_int8pack_mm(half, int8[i], scales.to(torch.bfloat16))
    many = torch.randint(-128, 128, (1, K), dtype=torch.int8)
    yield "int8 by 1 digits", "torch._int_mm", lambda i: torch._int_mm(many, int8[i].t())
    for group in (32, 128):
        packed = [torch.ops.aten._convert_weight_to_int4pack_for_cpu(torch.randint(0, 16, (N, K), dtype=torch.int32), 2) for _ in range(COUNT)]
        of = torch.rand(K // group, N, 2).to(torch.bfloat16)
        yield (f"int4 in groups of {group}, zeros true", "torch._weight_int4pack_mm_for_cpu, bfloat16",
               lambda i, packed=packed, of=of, group=group: torch.ops.aten._weight_int4pack_mm_for_cpu(half, packed[i], group, of))


def timed(f):
    for i in range(COUNT):
        f(i)
    start = time.perf_counter()
    for i in range(3 * COUNT):
        f(i % COUNT)
    return (time.perf_counter() - start) / (3 * COUNT) * 1e6


def main():
    binary = "/tmp/cresset_kern.test"
    subprocess.run(["go", "test", "-c", "-o", binary, "./internal/kern"], check=True)
    peers = list(products())
    mine, theirs = {}, {}
    for _ in range(ROUNDS):
        round_ = ours(binary)
        for (name, threads), (us, gbs) in round_.items():
            mine.setdefault((name, threads), []).append((us, gbs, gbs / round_["read", threads][1]))
        for threads in (1, 2):
            torch.set_num_threads(threads)
            for name, _, f in peers:
                theirs.setdefault((name, threads), []).append(timed(f))
    print("product | threads | µs | GB/s | of reading alone | PyTorch, µs | ratio\n---|---|---|---|---|---|---")
    for (name, threads), all_ in mine.items():
        us, gbs, part = (statistics.median(column) for column in zip(*all_))
        peer = theirs.get((name, threads))
        other = f"{statistics.median(peer):.0f} | {statistics.median(p / m[0] for p, m in zip(peer, all_)):.2f}" if peer else " | "
        print(f"{name} | {threads} | {us:.0f} | {gbs:.1f} | {part:.2f} | {other}")
    print(f"\ntorch {torch.__version__}, {ROUNDS} rounds")


if __name__ == "__main__":
    main()
