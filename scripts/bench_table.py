#!/usr/bin/env python3
"""Prints what bench_torch.py --json wrote as the table of docs/benchmarks.md: a row for each workload.

    python3 scripts/bench_table.py runs.json

A cell holds the fastest peer's time and cresset's in the middle run, and the ratios of all runs; bold is what misses the gate.
"""

import argparse
import json

from bench_torch import human, middle, missed
from torch_workloads import wanted

NAMES = {"torch": "PyTorch", "openblas": "OpenBLAS"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", type=argparse.FileType(), help="what bench_torch.py --json wrote")
    rows = json.load(parser.parse_args().figures)["rows"]
    threads = sorted({r["threads"] for r in rows})
    heads = ["workload", "wanted"]
    for n in threads:
        heads += [f"fastest peer, {n} thread{'s' * (n > 1)}", "cresset", "ratio of each run"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name in dict.fromkeys(r["case"] for r in rows):
        cells = [f"`{name}`", str(wanted(name)[0] or "")]
        for n in threads:
            cells += figures([r for r in rows if r["case"] == name and r["threads"] == n])
        print(f"| {' | '.join(cells)} |")


def figures(runs):
    """The fastest peer, cresset, and the ratios."""
    r = middle(runs)
    label, _, layout = r["anchor"].partition(" ")
    peer = f"{human(r['ns'][r['anchor']])} ({NAMES[label]}{' ' * bool(layout)}{layout})"
    ratios = ", ".join(f"{x['ratio']:.2f}" for x in runs)
    return [peer, human(r["ns"]["cresset"]), f"**{ratios}**" if missed(runs) else ratios]


if __name__ == "__main__":
    main()
