#!/usr/bin/env python3
"""Times reading and writing checkpoints in cresset and in Python, in turns, and prints a table.

    python3 scripts/bench_checkpoint.py --bytes 2000000000 --rounds 5

makes files of 16 large tensors and of 1,000 small ones with safetensors, PyTorch and NumPy, one format at a time so that the cache holds it.
Reading is of all elements into new tensors, listing of names, shapes and dtypes alone. Each figure is a process of its own, which tells its
peak memory, and the second time that it does the same: the first loads libraries and takes memory from the system, which on a virtual
machine can last longer than all the rest. That memory is used again, for which glibc is told to keep it. Before that the file is read once,
so that it is cached. Copying is the same tensors copied to as many new ones, on as many cores, all of which are kept until the last. Python's
safetensors maps a file and reads a page when it is touched: a row copies from there, as reading does, and another only touches every page.
Writing is to --write-folder, by default in memory: cresset waits until the disk has a file, Python does not. A time is the least of the
rounds and their median; a ratio is the median of those of the rounds: of reading over the copy beside it, of Python over cresset.
It needs go, torch, numpy and safetensors.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
FORMATS = ("safetensors", "pt", "npz")


def write(path, n, size):
    """Writes a file of n tensors in Python, and returns the seconds."""
    import numpy
    import torch
    from safetensors.torch import save_file

    weights = {f"layers.{i}.weight": torch.ones(size // n // 4) for i in range(n)}
    start = time.perf_counter()
    if path.suffix == ".safetensors":
        save_file(weights, path)
    elif path.suffix == ".pt":
        torch.save(weights, path)
    else:
        numpy.savez(path, **{k: v.numpy() for k, v in weights.items()})
    return time.perf_counter() - start


def read(path, what):
    """Reads a file in Python, and returns the seconds; what is read, map or list."""
    import numpy
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file

    start = time.perf_counter()
    elements = what != "list"
    if path.suffix == ".safetensors" and elements:
        found = load_file(path)
        for k, t in found.items():
            found[k] = t.clone() if what == "read" else t.view(-1)[:: 4096 // t.element_size()].sum()
    elif path.suffix == ".safetensors":
        with safe_open(path, "pt") as f:
            found = {k: f.get_slice(k).get_shape() for k in f.keys()}
    elif path.suffix == ".pt":
        found = torch.load(path, weights_only=True, mmap=not elements)
    else:
        with numpy.load(path) as f:
            found = {k: f[k] for k in f.files} if elements else {k: npy_header(f, k) for k in f.files}
    assert found
    return time.perf_counter() - start


def npy_header(npz, name):
    """Returns shape, order and dtype of an array."""
    import numpy

    with npz.zip.open(name + ".npy") as member:
        assert numpy.lib.format.read_magic(member) == (1, 0)
        return numpy.lib.format.read_array_header_1_0(member)


def run(command, **env):
    """Runs a command and returns its output and its peak memory in bytes."""
    p = subprocess.Popen(command, env=os.environ | env, stdout=subprocess.PIPE, text=True)
    out = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    if status:
        sys.exit(f"{command} failed: {out}")
    return out, usage.ru_maxrss << 10


def in_go(binary, folder, size, pattern, **env):
    """Seconds and peak memory of a benchmark of package checkpoint."""
    out, peak = run([binary, "-test.run", "^$", "-test.bench", f"^Benchmark{pattern}$", "-test.benchtime", "1x"],
                    CRESSET_CHECKPOINTS=str(folder), CRESSET_CHECKPOINT_BYTES=str(size), **env)
    return float(re.search(r"\s1\s+([\d.]+) ns/op", out)[1]) / 1e9, peak


def in_python(path, what, size):
    """Seconds and peak memory of a reading or a writing in Python."""
    out, peak = run([sys.executable, __file__, "--path", str(path), "--what", what, "--bytes", str(size)],
                    MALLOC_MMAP_MAX_="0", MALLOC_TRIM_THRESHOLD_=str(1 << 40), MALLOC_TOP_PAD_="0")
    return float(out), peak


def cached(path):
    """Reads a file, so that the system has it in its cache."""
    with open(path, "rb", buffering=0) as f:
        buffer = bytearray(8 << 20)
        while f.readinto(buffer):
            pass


def child(path, what, size):
    """What a process of in_python does; returns the seconds."""
    if what == "make":
        write(path, 1000 if path.stem == "many" else 16, size)
        return 0
    if what == "write":
        return write(path, 16, size)
    read(path, what)
    return read(path, what)


def measure(form, a, folder, binary):
    """Returns the figures of a format by row: of each round seconds and peak memory."""
    large, many, rows = folder / f"large.{form}", folder / f"many.{form}", {}
    in_python(large, "make", a.bytes)
    in_python(many, "make", 4_000_000)
    for _ in range(a.rounds):
        def add(name, figures):
            rows.setdefault(f"{name} {form}", []).append(figures)

        add("copy beside", in_go(binary, folder, a.bytes, "Copy"))
        cached(large)
        add("read", in_go(binary, folder, a.bytes, f"Read$/^{form}"))
        add("read, Python,", in_python(large, "read", a.bytes))
        add("list", in_go(binary, folder, a.bytes, f"Open$/^{form}"))
        add("list, Python,", in_python(many, "list", a.bytes))
        if form == "safetensors":
            add("map, Python,", in_python(large, "map", a.bytes))
    large.unlink()
    for _ in range(a.rounds if a.write else 0):
        with tempfile.TemporaryDirectory(dir=a.write_folder) as memory:
            add("write", in_go(binary, folder, a.bytes, f"Write$/^{form}", TMPDIR=memory))
            add("write, Python,", in_python(Path(memory) / large.name, "write", a.bytes))
            (Path(memory) / large.name).unlink()
    return rows


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--bytes", type=int, default=2_000_000_000)
    a.add_argument("--rounds", type=int, default=5)
    a.add_argument("--formats", default=",".join(FORMATS))
    a.add_argument("--folder", type=Path, help="where the files are made")
    a.add_argument("--write", action="store_true", help="time writing too")
    a.add_argument("--write-folder", default="/dev/shm", help="where writing is timed")
    a.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    a.add_argument("--what", help=argparse.SUPPRESS)
    a = a.parse_args()
    if a.path:
        print(child(a.path, a.what, a.bytes))
        return
    print("what | least, ms | median, ms | ratio | peak memory, MiB\n---|---|---|---|---")
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        folder = Path(folder)
        binary = folder / "bench.test"
        subprocess.run(["go", "test", "-c", "-o", binary, "./checkpoint"], cwd=HERE, check=True)
        for form in a.formats.split(","):
            rows = measure(form, a, folder, binary)
            for name, figures in rows.items():
                seconds, peaks = zip(*figures)
                print(f"{name} | {min(seconds) * 1e3:.2f} | {statistics.median(seconds) * 1e3:.2f} | {ratio(name, rows)} | "
                      f"{statistics.median(peaks) / 2**20:.0f}", flush=True)


def ratio(name, rows):
    """Returns the text of a row's ratio to that beside it: reading to copying, Python to ours."""
    what, form = name.rsplit(" ", 1)
    beside = {"read": "copy beside", "read, Python,": "read", "map, Python,": "read", "list, Python,": "list", "write, Python,": "write"}.get(what)
    if not beside:
        return ""
    return f"{statistics.median(x / y for (x, _), (y, _) in zip(rows[name], rows[f'{beside} {form}'])):.2f}"


if __name__ == "__main__":
    main()
