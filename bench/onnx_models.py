# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX models in Slipway and in ONNX Runtime: onnx_models.py --build DIRECTORY [FILE.onnx...]

Without files, encoders of transformers: 12 layers of width 384 with 6 heads, for sequences of 128, 512 and 2048 tokens. Both read
the same file and compute with the types that it has. In each of several rounds, first one runs a few times, then the other; the ratio is that of the
medians, and the spread the interquartile range, as a fraction of the median.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from networks import RATIO_HEADER, Ours, Theirs, add_options, onnxruntime, print_ratio, quiet

MUST = 1.0  # of ONNX Runtime's speed

MAKE_ENCODER = """
import sys
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
tokens, path = int(sys.argv[1]), sys.argv[2]
layers, heads, width = 12, 6, 384
random = np.random.default_rng(1)
nodes, constants = [], []

def constant(array):
    constants.append(numpy_helper.from_array(array, f"c{len(constants)}"))
    return constants[-1].name

def add(op, *inputs, **attributes):
    nodes.append(helper.make_node(op, list(inputs), [f"v{len(nodes)}"], **attributes))
    return nodes[-1].output[0]

def linear(x, inner, outer):
    weights = constant(random.normal(0, inner**-0.5, (inner, outer)).astype(np.float32))
    return add("Add", add("MatMul", x, weights), constant(np.zeros(outer, np.float32)))

def norm(x):
    return add("LayerNormalization", x, constant(np.ones(width, np.float32)), constant(np.zeros(width, np.float32)), axis=-1)

def parted(x, order):
    return add("Transpose", add("Reshape", x, constant(np.array([1, tokens, heads, width // heads]))), perm=order)

x = "x"
for _ in range(layers):
    y = norm(x)
    query, key, value = (parted(linear(y, width, width), order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = add("Mul", add("MatMul", query, key), constant(np.float32((width // heads) ** -0.5)))
    y = add("Transpose", add("MatMul", add("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
    x = add("Add", x, linear(add("Reshape", y, constant(np.array([1, tokens, width]))), width, width))
    y = linear(norm(x), width, 4 * width)
    y = add("Mul", add("Mul", y, constant(np.float32(0.5))), add("Add", add("Erf", add("Mul", y, constant(np.float32(0.5**0.5)))), constant(np.float32(1))))
    x = add("Add", x, linear(y, 4 * width, width))
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, tokens, width])
graph = helper.make_graph(nodes, "encoder", [value("x")], [value(x)], constants)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
"""


class OursOfFile(Ours):
    """Inputs by their names in the file."""

    def __init__(self, slipway, model, inputs, directory, environment, threads):
        super().__init__(slipway, model, directory, environment, "cpu", threads)
        named = [word for name, array in inputs.items() for word in ("--input", f"{name}={directory / array}")]
        self.command = [slipway, "run", model, *named, "--device", "cpu", "--threads", str(threads)]


def random_inputs(model, directory):
    """Random arrays for the inputs of a model, open dimensions as 1, and the files that they are written to."""
    types = {"tensor(float)": np.float32, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
    random = np.random.default_rng(1)
    arrays, files = {}, {}
    with quiet():
        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    for number, one in enumerate(session.get_inputs()):
        if one.type not in types:
            sys.exit(f"{model}: input {one.name} is {one.type}, for which no numbers are made")
        shape = [side if isinstance(side, int) else 1 for side in one.shape]
        array = random.uniform(-1, 1, shape) if one.type == "tensor(float)" else random.integers(0, 100, shape)
        arrays[one.name] = array.astype(types[one.type])
        files[one.name] = f"input{number}.npy"
        np.save(directory / files[one.name], arrays[one.name])
    return arrays, files


class TheirsOfFile(Theirs):
    def __init__(self, model, arrays, threads):
        super().__init__(model, {}, threads)
        self.inputs = arrays


def compare(model, options, whole, threads):
    directory = whole / f"{model.stem}.inputs"
    directory.mkdir(exist_ok=True)
    arrays, files = random_inputs(model, directory)
    environment = dict(os.environ, XDG_CACHE_HOME=str(whole / "cache"))
    both = [OursOfFile(options.build / "bin/slipway", model, files, directory, environment, threads), TheirsOfFile(model, arrays, threads)]
    return print_ratio(model.stem, threads, both, options, MUST)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 1000)
    parser.add_argument("--tokens", default="128,512,2048", help="lengths of the sequences of encoders")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options, _ = parser.parse_known_args()
    listed = subprocess.run([options.build / "bin/slipway", "devices", "--device", "cpu", "--json"], check=True, capture_output=True, text=True)
    print(f"{json.loads(listed.stdout)['cpu']['name']}; ONNX Runtime {onnxruntime.__version__}; medians in ms")
    print(RATIO_HEADER)
    missed = False
    with tempfile.TemporaryDirectory() as name:
        whole = pathlib.Path(name)
        files = options.files
        if not files:
            for tokens in options.tokens.split(","):
                files.append(whole / f"encoder, {tokens} tokens.onnx")
                # In a process of its own, because the module onnx and the runtime both register operators.
                subprocess.run([sys.executable, "-c", MAKE_ENCODER, tokens, files[-1]], check=True)
        for model in files:
            for threads in options.threads.split(","):
                missed |= not compare(model, options, whole, int(threads))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
