#!/usr/bin/env python3
"""Runs ONNX's backend tests of single nodes with cresset, and counts those that pass.

    pip install onnx==1.22.0
    python3 scripts/onnx_nodes.py [--keep DIR] [--match REGEX]

The tests come with the package. The script writes each model of one node as JSON, with its attributes, inputs and expected outputs, and
runs internal/conformance/onnxnode on them, whose tables say in Go what an operator of ONNX is in cresset. A case that does not pass
must have its reason there.
"""

import argparse
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import onnx
import onnx.backend.test
from onnx import numpy_helper

# The element types that cresset has, as NumPy stores them.
KNOWN = {
    "FLOAT": "float32", "DOUBLE": "float64", "FLOAT16": "float16", "BFLOAT16": "bfloat16", "INT64": "int64", "INT32": "int32",
    "INT16": "int16", "INT8": "int8", "UINT8": "uint8", "BOOL": "bool",
}


def element_type(number):
    return onnx.TensorProto.DataType.Name(number)


def array(t):
    """Returns a tensor as JSON: elements little endian in base64, or none where cresset lacks the type."""
    name = element_type(t.data_type)
    entry = {"dtype": KNOWN.get(name, name.lower()), "shape": list(t.dims)}
    if name in KNOWN:
        values = numpy_helper.to_array(t)
        entry["data"] = base64.b64encode(values.astype(values.dtype.newbyteorder("<")).tobytes()).decode()
    return entry


def attribute(a):
    v = onnx.helper.get_attribute_value(a)
    if isinstance(v, onnx.TensorProto):
        return array(v)
    if isinstance(v, bytes):
        return v.decode("latin-1")
    if isinstance(v, (int, float)):
        return v
    try:
        return [x.decode("latin-1") if isinstance(x, bytes) else x + 0 for x in v]
    except TypeError:
        return "a graph"


def value(folder, kind, i, declared):
    """Returns an input or output; sequences and optionals by the name of their kind."""
    which = declared.type.WhichOneof("value")
    if which != "tensor_type":
        return {"dtype": which.removesuffix("_type"), "shape": []}
    t = onnx.TensorProto()
    t.ParseFromString((folder / f"{kind}_{i}.pb").read_bytes())
    return array(t)


def convert(folder):
    """Returns a test as JSON, or None where its model has several nodes."""
    model = onnx.load(str(folder / "model.onnx"))
    if len(model.graph.node) != 1:
        return None
    node, data = model.graph.node[0], folder / "test_data_set_0"
    inputs = {d.name: value(data, "input", i, d) for i, d in enumerate(model.graph.input)}
    inputs |= {t.name: array(t) for t in model.graph.initializer}
    return {
        "name": folder.name.removeprefix("test_"),
        "op": node.op_type,
        "version": next(o.version for o in model.opset_import if o.domain == node.domain),
        "attributes": {a.name: attribute(a) for a in node.attribute},
        "inputs": [inputs.get(name) for name in node.input],
        "outputs": [value(data, "output", i, d) for i, d in enumerate(model.graph.output)],
        "results": [bool(name) for name in node.output],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", help="a folder for the cases, to run the test again")
    parser.add_argument("--match", default=".", help="a regular expression for names of cases")
    options = parser.parse_args()

    tests = pathlib.Path(onnx.backend.test.__file__).parent / "data" / "node"
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(options.keep or temporary)
        target.mkdir(parents=True, exist_ok=True)
        cases = [c for folder in sorted(tests.iterdir()) if (c := convert(folder)) and re.search(options.match, c["name"])]
        (target / "nodes.json").write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
        root = pathlib.Path(__file__).resolve().parent.parent
        test = ["go", "test", "-count=1", "-run", "TestNodes", "-v", "./internal/conformance/onnxnode"]
        return subprocess.run(test, cwd=root, env=os.environ | {"CRESSET_ONNX": str(target.resolve())}).returncode


if __name__ == "__main__":
    sys.exit(main())
