"""Reads what cresset writes with PyTorch, safetensors and NumPy, and compares it with the files that it was made from.

    python3 scripts/check_written.py

runs the tests of package checkpoint, which write every file of checkpoint/testdata anew in each format, and holds names, types, shapes,
strides, shared memory and elements to those of the original. It needs go, torch, numpy and safetensors.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import torch
from safetensors import safe_open

HERE = Path(__file__).resolve().parent.parent
DATA = HERE / "checkpoint" / "testdata"


def show(value, storages):
    """A value as text: tensors with strides, memory as its number in storages, and bytes; plain dicts by their keys, as maps in Go have no order."""
    if isinstance(value, torch.Tensor):
        t = value.detach()
        memory = storages.setdefault(t.untyped_storage().data_ptr(), len(storages)) if t.untyped_storage().nbytes() else None
        return f"tensor({t.dtype}, {tuple(t.shape)}, {t.stride()}, {t.storage_offset()}, memory {memory}, {raw(t).hex()})"
    if isinstance(value, dict):
        keys = sorted(value, key=repr) if type(value) is dict else value
        return f"{type(value).__name__}({[(repr(k), show(value[k], storages)) for k in keys]})"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({[show(v, storages) for v in value]})"
    return repr(value)


def raw(t):
    """The bytes of a tensor's elements."""
    return t.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""


def read(path):
    """What is in a file: a value for PyTorch's, else arrays by name."""
    if path.suffix == ".safetensors":
        with safe_open(path, "pt") as f:
            return {k: f.get_tensor(k) for k in f.keys()}
    if path.suffix == ".npz":
        with numpy.load(path) as f:
            return {k: torch.from_numpy(numpy.array(f[k]).astype(f[k].dtype.newbyteorder("="))) for k in f.files}
    if path.suffix == ".npy":
        array = numpy.load(path)
        return {"array": torch.from_numpy(array.astype(array.dtype.newbyteorder("=")))}
    return torch.load(path, weights_only=True)


def alike(written, original):
    """Whether two of PyTorch's files hold the same; of other files, the same tensors by name."""
    a, b = read(written), read(original)
    if written.suffix == original.suffix == ".pt":
        return show(a, {}) == show(b, {})
    return all(a[k].dtype == b[k].dtype and a[k].shape == b[k].shape and raw(a[k]) == raw(b[k]) for k in a.keys() | b.keys())


def main():
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"CRESSET_WRITTEN": folder}
        subprocess.run(["go", "test", "-count=1", "-run", "WrittenAgain", "./checkpoint"], cwd=HERE, env=env, check=True)
        files, failed = sorted(Path(folder).iterdir()), 0
        for path in files:
            original = DATA / (path.name.split(" as ")[0] if " as " in path.name else path.name.split(" ")[-1])
            try:
                same = alike(path, original)
            except Exception as e:
                same = False
                print(f"{path.name}: {type(e).__name__}: {e}")
            failed += not same
            print("ok  " if same else "FAIL", path.name)
        print(f"{len(files) - failed} of {len(files)} files are read as they were written")
    sys.exit(failed > 0 or not files)


if __name__ == "__main__":
    main()
