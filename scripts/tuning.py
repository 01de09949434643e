"""What is good for PyTorch and OpenBLAS, as environment variables of a process that runs them."""

import os
import pathlib
import subprocess

# Without these glibc maps results above 32 MiB afresh each time.
KEEP_MEMORY = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "100000000000",
    "MALLOC_TOP_PAD_": "268435456",
}

# MKL takes its AVX2 kernels, of half the speed, on processors of other makers than Intel; this is the function it asks.
# Found by D. de Kok, "Intel MKL on AMD Zen", 2020. Nobody has PyTorch like that who does not go and make it so.
SAY_INTEL = "int mkl_serv_intel_cpu_true(void) { return 1; }\n"


def tuning(mkl_folder=None):
    """Returns the variables that make the peers fast on this machine.

    With a folder MKL takes kernels for AVX-512 too, by a library that is made there and must outlive the peers.
    """
    variables = dict(KEEP_MEMORY)
    if has_avx512():
        # A release of OpenBLAS may not know processors made after it, and takes its kernels for AVX2 there.
        variables["OPENBLAS_CORETYPE"] = "SkylakeX"
        if mkl_folder:
            variables["LD_PRELOAD"] = build_library(mkl_folder)
    return variables


def environment(variables):
    """Returns this process's environment with the variables in it, and without what slows OpenBLAS down."""
    return {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")} | variables


def has_avx512():
    info = pathlib.Path("/proc/cpuinfo")
    return info.exists() and "avx512dq" in info.read_text()


def build_library(folder):
    """Returns the path of a library that lets MKL use AVX-512."""
    source, library = (pathlib.Path(folder) / name for name in ("mkl.c", "mkl.so"))
    source.write_text(SAY_INTEL)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return str(library)


def describe(variables):
    """Returns a line for each variable, as the script prints them."""
    preload = "LD_PRELOAD: a library that lets MKL use AVX-512 on every processor"
    return [preload if k == "LD_PRELOAD" else f"{k}={v}" for k, v in variables.items()]
