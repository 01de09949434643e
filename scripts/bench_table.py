#!/usr/bin/env python3
"""Prints what bench_torch.py --json wrote as a table of docs/benchmarks.md: a row for each workload.

    python3 scripts/bench_table.py runs.json

For each number of threads a row holds cresset's time in the middle run and the median of the runs' ratios; bold is what misses the goal.
"""

import argparse
import json
import statistics

from bench_torch import middle, missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", type=argparse.FileType(), help="what bench_torch.py --json wrote")
    rows = json.load(parser.parse_args().figures)["rows"]
    threads = sorted({r["threads"] for r in rows})
    heads = ["workload"]
    for n in threads:
        heads += [f"{n} thread{'s' * (n > 1)}, µs", "ratio"]
    print(" | ".join(heads), "|".join(["---"] * len(heads)), sep="\n")
    for name in dict.fromkeys(r["case"] for r in rows):
        cells = [f"`{name}`"]
        for n in threads:
            cells += figures([r for r in rows if r["case"] == name and r["threads"] == n])
        print(" | ".join(cells))


def figures(runs):
    """Cresset's time in µs and the ratio."""
    ratio = f"{statistics.median(r['ratio'] for r in runs):.2f}"
    time = middle(runs)["ns"]["cresset"] / 1e3
    return [f"{time:.4g}" if time < 1e4 else f"{time:.0f}", f"**{ratio}**" if missed(runs) else ratio]


if __name__ == "__main__":
    main()
