"""What NVIDIA's compiler makes of the tuned kernels: registers, spills and shared memory, for a look where its wheel is installed.

python3 scripts/ptxas.py          prints what differs from internal/backend/cuda/kernels/testdata/ptxas.txt, and fails if anything does
python3 scripts/ptxas.py --write  writes that file; a line that has spills, local memory or a warning about wgmma is refused
"""

import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).parent.parent / "internal/backend/cuda/kernels"
FIGURES = KERNELS / "testdata/ptxas.txt"
TUNED = ("product_", "conv_",)
TARGETS = {"sm_60": ["sm_75", "sm_80", "sm_90"], "sm_75": ["sm_75"], "sm_80": ["sm_80", "sm_90", "sm_120"], "sm_90": ["sm_90", "sm_120"], "sm_90a": ["sm_90a"]}


def compiler():
    """The path of ptxas: on PATH, or from a wheel."""
    found = shutil.which("ptxas")
    if found:
        return found
    for site in sys.path:
        for path in pathlib.Path(site).glob("nvidia/*/bin/ptxas"):
            return str(path)
    sys.exit("no ptxas: pip install nvidia-cuda-nvcc")


def figures(ptxas):
    """Lines of kernel, GPU and figures, and complaints."""
    lines, complaints = [], []
    for packed in sorted(KERNELS.glob("ptx/*.ptx.gz")):
        if not packed.name.startswith(TUNED):
            continue
        text = gzip.decompress(packed.read_bytes()).decode()
        target = re.search(r"^\.target (\w+)", text, re.M).group(1)
        if ".local" in text:
            complaints.append(f"{packed.name}: local memory")
        for gpu in TARGETS[target]:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as source:
                source.write(text)
                source.flush()
                run = subprocess.run([ptxas, "-v", f"-arch={gpu}", source.name, "-o", "/dev/null"], capture_output=True, text=True)
            if run.returncode != 0 or "C75" in run.stderr:
                complaints.append(f"{packed.name} for {gpu}: {run.stderr}")
            for part in run.stderr.split("Compiling entry function '")[1:]:
                kernel = part[: part.index("'")]
                spills = int(re.search(r"(\d+) bytes spill stores", part).group(1))
                registers = re.search(r"Used (\d+) registers", part).group(1)
                shared = re.search(r"(\d+) bytes smem", part)
                lines.append(f"{kernel} {gpu} registers {registers} shared {shared.group(1) if shared else 0} spills {spills}")
    return sorted(lines), complaints


def main():
    lines, complaints = figures(compiler())
    old = FIGURES.read_text().splitlines() if FIGURES.exists() else []
    for complaint in complaints:
        print(complaint)
    if "--write" in sys.argv[1:]:
        FIGURES.write_text("\n".join(lines) + "\n")
    else:
        for line in sorted(set(lines) ^ set(old)):
            print("+" if line in lines else "-", line)
    sys.exit(bool(complaints) or ("--write" not in sys.argv[1:] and lines != old))


if __name__ == "__main__":
    main()
