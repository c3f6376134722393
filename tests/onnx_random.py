#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random ONNX graphs with ONNX Runtime.

  onnx_random.py SLIPWAY [--count N] [--seed S] [--engine ENGINE] [--keep DIRECTORY]

Each graph is a chain of operators with random types, shapes and attributes. Floats must agree within 2^-12 of the largest
magnitude of an output, or as far as the output moves when inputs change in their last bits; integers must be equal. What the program refuses is counted with its reason; what ONNX Runtime refuses is
drawn again. Ends with `N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("the packages numpy, onnx and onnxruntime are missing")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

onnxruntime.set_default_logger_severity(4)
TYPES = {np.float32: TensorProto.FLOAT, np.int64: TensorProto.INT64, np.int32: TensorProto.INT32, np.bool_: TensorProto.BOOL,
         np.int8: TensorProto.INT8, np.uint8: TensorProto.UINT8, np.float64: TensorProto.DOUBLE, np.float16: TensorProto.FLOAT16}


class Graph:
    """A chain of operators on values whose arrays are known from running it."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.inputs, self.constants, self.count = [], {}, {}, 0
        self.value, self.array = None, None

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def choice(self, values):
        return values[self.integer(0, len(values) - 1)]

    def elements(self, shape, dtype):
        if dtype in (np.float32, np.float64, np.float16):
            return (self.random.standard_normal(shape) * self.choice([0.5, 2.0, 10.0])).astype(dtype)
        if dtype == np.bool_:
            return self.random.integers(0, 2, shape).astype(bool)
        low = 0 if dtype == np.uint8 else -20
        return self.random.integers(low, 21, shape).astype(dtype)

    def given(self, shape, dtype, constant=None):
        constant = self.random.random() < 0.5 if constant is None else constant
        name, array = self.name("c" if constant else "x"), np.asarray(self.elements(tuple(shape), dtype))
        (self.constants if constant else self.inputs)[name] = array
        return name

    def fixed(self, values, dtype=np.int64):
        name = self.name("p")
        self.constants[name] = np.asarray(values, dtype)
        return name

    def add(self, kind, inputs, **attributes):
        name = self.name("y")
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        self.value = name

    def model(self):
        values = [helper.make_tensor_value_info(name, TYPES[array.dtype.type], array.shape) for name, array in self.inputs.items()]
        initial = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        output = onnx.ValueInfoProto()
        output.name = self.value
        graph = helper.make_graph(self.nodes, "random", values, [output], initial)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        made = onnx.shape_inference.infer_shapes(made)
        return made

    def run(self):
        model = self.model()
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        self.array = session.run(None, self.inputs)[0]
        return model


def broadcast_shape(g, shape):
    """A shape that broadcasts with another."""
    other = [extent if g.random.random() < 0.6 else 1 for extent in shape]
    return other[g.integer(0, len(other)):] if g.random.random() < 0.4 else other


def elementwise(g, shape, dtype):
    floats = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "PRelu"]
    kind = g.choice(floats if dtype in (np.float32, np.float64, np.float16) else ["Add", "Sub", "Mul", "Max", "Min"])
    if dtype in (np.int8, np.uint8) and kind in ("Add", "Sub", "Mul"):
        kind = "Max"
    other = g.given(broadcast_shape(g, shape) or [1], dtype)
    if kind == "Pow":
        g.add("Abs", [g.value])
        return g.add("Pow", [g.value, g.fixed(g.choice([0.5, 2.0, 3.0, -1.0]), dtype)])
    if kind == "PRelu" and dtype == np.float64:
        kind = "Add"
    g.add(kind, [g.value, other])


def unary(g, shape, dtype):
    if dtype not in (np.float32, np.float16):
        return g.add("Abs" if dtype != np.bool_ else "Not", [g.value])
    g.add(g.choice(["Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Exp", "Floor", "Ceil", "Round", "Erf", "Sign", "Softplus",
                    "Softsign", "HardSigmoid", "HardSwish", "LeakyRelu", "Elu", "Selu", "Sin", "Cos", "Atan",
                    "Reciprocal"]), [g.value])


def convolution(g, shape, dtype):
    if dtype != np.float32 or len(shape) not in (3, 4) or min(shape[2:]) < 4:
        return unary(g, shape, dtype)
    rank, channels = len(shape) - 2, shape[1]
    group = g.choice([1, 1, channels])
    outputs = group * g.integer(1, 3)
    kernel = [g.integer(1, 3) for _ in range(rank)]
    weights = g.given([outputs, channels // group, *kernel], dtype, True)
    inputs = [g.value, weights] + ([g.given([outputs], dtype, True)] if g.random.random() < 0.5 else [])
    attributes = {"group": group, "strides": [g.integer(1, 2) for _ in range(rank)], "kernel_shape": kernel}
    if g.random.random() < 0.3:
        attributes["auto_pad"] = g.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    else:
        attributes["pads"] = [g.integer(0, extent - 1) for extent in kernel * 2]
        attributes["dilations"] = [1 if extent == 1 else g.integer(1, 2) for extent in kernel]
    g.add("Conv", inputs, **attributes)


def transposed(g, shape, dtype):
    if dtype != np.float32 or len(shape) != 4:
        return unary(g, shape, dtype)
    group = g.choice([1, shape[1]])
    kernel = [g.integer(1, 3), g.integer(1, 3)]
    strides = [g.integer(1, 2), g.integer(1, 2)]
    weights = g.given([shape[1], g.integer(1, 2), *kernel], dtype, True)
    g.add("ConvTranspose", [g.value, weights], group=group, strides=strides, kernel_shape=kernel,
          pads=[g.integer(0, extent - 1) for extent in kernel * 2], output_padding=[g.integer(0, s - 1) for s in strides])


def pool(g, shape, dtype):
    if dtype != np.float32 or len(shape) != 4 or min(shape[2:]) < 4:
        return unary(g, shape, dtype)
    kernel = [g.integer(1, 3), g.integer(1, 3)]
    attributes = {"kernel_shape": kernel, "strides": [g.integer(1, 3), g.integer(1, 3)],
                  "pads": [g.integer(0, extent - 1) for extent in kernel * 2]}
    kind = g.choice(["MaxPool", "AveragePool", "GlobalAveragePool", "LpPool"])
    if kind == "GlobalAveragePool":
        return g.add(kind, [g.value])
    if kind != "LpPool":
        attributes["ceil_mode"] = g.integer(0, 1)
    if kind == "AveragePool":
        attributes["count_include_pad"] = g.integer(0, 1)
    g.add(kind, [g.value], **attributes)


def matrix(g, shape, dtype):
    if dtype != np.float32 or len(shape) < 2:
        return unary(g, shape, dtype)
    if len(shape) == 2 and g.random.random() < 0.5:
        transposes = g.integer(0, 1)
        n = g.integer(1, 5)
        b = g.given([n, shape[1]] if transposes else [shape[1], n], dtype)
        return g.add("Gemm", [g.value, b, g.given(g.choice([[n], [1, n], [shape[0], n], [1]]), dtype)], transB=transposes,
                     alpha=g.choice([1.0, 0.5]), beta=g.choice([1.0, 2.0]))
    g.add("MatMul", [g.value, g.given(g.choice([[shape[-1], g.integer(1, 5)], [shape[-1]]]), dtype)])


def shapes(g, shape, dtype):
    rank = len(shape)
    kind = g.choice(["Transpose", "Reshape", "Flatten", "Unsqueeze", "Slice", "Concat", "Tile", "Expand", "Pad", "Gather",
                     "Split", "Squeeze", "GatherElements", "ScatterElements", "DepthToSpace", "Trilu"])
    if rank == 0 or dtype == np.bool_ and kind in ("Pad", "ScatterElements"):
        return unary(g, shape, dtype)
    axis = g.integer(-rank, rank - 1)
    if kind == "Transpose":
        return g.add(kind, [g.value], perm=[int(i) for i in g.random.permutation(rank)])
    if kind == "Reshape":
        return g.add(kind, [g.value, g.fixed([-1] if rank == 1 else [0, -1])])
    if kind == "Flatten":
        return g.add(kind, [g.value], axis=axis)
    if kind == "Unsqueeze" and rank < 5:
        return g.add(kind, [g.value, g.fixed([axis])])
    if kind == "Squeeze" and shape[axis] == 1:
        return g.add(kind, [g.value, g.fixed([axis])])
    if kind == "Slice":
        step = g.choice([1, 1, 2, -1, -2])
        start, end = (g.integer(0, 1), g.choice([2 ** 31, shape[axis], -1])) if step > 0 else (-1, -2 ** 31)
        return g.add(kind, [g.value, g.fixed([start]), g.fixed([end]), g.fixed([axis]), g.fixed([step])])
    if kind == "Concat":
        other = list(shape)
        other[axis] = g.integer(1, 3)
        return g.add(kind, [g.value, g.given(other, dtype)], axis=axis)
    if kind == "Tile":
        return g.add(kind, [g.value, g.fixed([g.integer(1, 2) for _ in shape])])
    if kind == "Expand":
        return g.add(kind, [g.value, g.fixed([2, *shape] if rank < 5 else list(shape))])
    if kind == "Pad":
        mode = g.choice(["constant", "edge", "reflect"])
        limit = [min(2, extent - 1) for extent in shape]
        return g.add(kind, [g.value, g.fixed([g.integer(0, extent) for extent in limit * 2])], mode=mode)
    if kind == "Gather":
        indices = g.random.integers(-shape[axis], shape[axis], g.choice([(), (2,), (2, 2)]))
        if rank + indices.ndim > 6:
            indices = np.int64(0)
        return g.add(kind, [g.value, g.fixed(indices)], axis=axis)
    if kind in ("GatherElements", "ScatterElements"):
        indices = g.random.integers(0, shape[axis], shape)
        if kind == "GatherElements":
            return g.add(kind, [g.value, g.fixed(indices)], axis=axis)
        indices = np.argsort(g.random.random(shape), axis=axis)
        return g.add(kind, [g.value, g.fixed(indices), g.given(shape, dtype)], axis=axis)
    if kind == "DepthToSpace" and rank == 4 and shape[1] % 4 == 0 and dtype == np.float32:
        return g.add(kind, [g.value], blocksize=2, mode=g.choice(["DCR", "CRD"]))
    if kind == "Trilu" and rank >= 2 and dtype in (np.float32, np.int64):
        return g.add(kind, [g.value, g.fixed(g.integer(-1, 1))], upper=g.integer(0, 1))
    unary(g, shape, dtype)


def reductions(g, shape, dtype):
    if not shape or dtype in (np.bool_, np.int8, np.uint8, np.float16):
        return unary(g, shape, dtype)
    kind = g.choice(["ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2",
                     "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin", "CumSum", "TopK"])
    axis = g.integer(-len(shape), len(shape) - 1)
    if kind.startswith("Arg"):
        return g.add(kind, [g.value], axis=axis, keepdims=g.integer(0, 1), select_last_index=g.integer(0, 1))
    if kind == "CumSum":
        return g.add(kind, [g.value, g.fixed(axis)], exclusive=g.integer(0, 1), reverse=g.integer(0, 1))
    if kind == "TopK":
        name, value = g.name("y"), g.value
        g.nodes.append(helper.make_node(kind, [value, g.fixed([g.integer(1, shape[axis])])], [name, g.name("i")], axis=axis,
                                        largest=g.integer(0, 1)))
        g.value = name
        return None
    if dtype in (np.int32, np.int64) and kind in ("ReduceLogSumExp", "ReduceL2", "ReduceProd", "ReduceMean"):
        kind = "ReduceSum"
    g.add(kind, [g.value, g.fixed([axis])], keepdims=g.integer(0, 1))


def normal(g, shape, dtype):
    if dtype != np.float32 or len(shape) < 2:
        return unary(g, shape, dtype)
    kind = g.choice(["Softmax", "LogSoftmax", "LayerNormalization", "BatchNormalization", "InstanceNormalization", "LRN",
                     "Hardmax", "LpNormalization", "Resize", "Clip"])
    channels = [shape[1]]
    if kind in ("Softmax", "LogSoftmax", "Hardmax"):
        return g.add(kind, [g.value], axis=g.integer(-len(shape), len(shape) - 1))
    if kind == "LayerNormalization":
        return g.add(kind, [g.value, g.given([shape[-1]], dtype, True), g.given([shape[-1]], dtype, True)], axis=-1)
    if kind == "BatchNormalization":
        variance = g.fixed(g.random.random(channels) + 0.5, np.float32)
        return g.add(kind, [g.value, *(g.given(channels, dtype, True) for _ in range(3)), variance])
    if kind == "InstanceNormalization" and len(shape) > 2:
        return g.add(kind, [g.value, g.given(channels, dtype, True), g.given(channels, dtype, True)])
    if kind == "LRN" and len(shape) == 4:
        return g.add(kind, [g.value], size=g.choice([1, 3, 5]))
    if kind == "LpNormalization":
        return g.add(kind, [g.value], axis=g.integer(0, len(shape) - 1), p=g.integer(1, 2))
    if kind == "Resize" and len(shape) == 4:
        return g.add(kind, [g.value, "", g.fixed([1, 1, g.choice([0.5, 1.5, 2]), g.choice([1, 2, 3])], np.float32)],
                     mode=g.choice(["nearest", "linear"]),
                     coordinate_transformation_mode=g.choice(["half_pixel", "asymmetric", "pytorch_half_pixel"]),
                     nearest_mode=g.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]))
    g.add("Clip", [g.value, g.fixed(-0.5, np.float32), g.fixed(0.75, np.float32)])


def compare(g, shape, dtype):
    if dtype == np.bool_:
        return g.add("Cast", [g.value], to=g.choice([TensorProto.FLOAT, TensorProto.INT32]))
    if dtype in (np.float32, np.int32, np.int64):
        kind = g.choice(["Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal", "Where", "Cast"])
        if kind == "Cast":
            return g.add(kind, [g.value], to=g.choice([TensorProto.INT32, TensorProto.INT64, TensorProto.FLOAT, TensorProto.DOUBLE]))
        other = g.given(broadcast_shape(g, shape) or [1], dtype)
        if kind != "Where":
            return g.add(kind, [g.value, other])
        return g.add("Where", [g.given(broadcast_shape(g, shape) or [1], np.bool_), g.value, other])
    unary(g, shape, dtype)


STEPS = [elementwise, unary, convolution, convolution, transposed, pool, matrix, shapes, shapes, shapes, reductions, normal, compare]


def draw(seed):
    """A graph that ONNX Runtime runs, with its inputs and output."""
    g = Graph(seed)
    dtype = g.choice([np.float32] * 6 + [np.int64, np.int32, np.float64, np.bool_, np.int8, np.uint8, np.float16])
    shape = g.choice([[], [5], [3, 4], [2, 3, 5], [1, 4, 6, 7], [2, 3, 8, 5], [1, 2, 3, 2, 3]])
    g.value = g.given(shape, dtype, False)
    g.array = g.inputs[g.value]
    model = None
    for _ in range(g.integer(1, 5)):
        before = (len(g.nodes), dict(g.inputs), dict(g.constants), g.value, g.array)
        try:
            g.choice(STEPS)(g, list(g.array.shape), g.array.dtype.type)
            model = g.run()
            if g.array.size == 0 or g.array.dtype.type not in TYPES or g.array.ndim > 6:
                raise ValueError("not comparable")
        except Exception:  # pylint: disable=broad-except
            nodes, g.inputs, g.constants, g.value, g.array = before
            del g.nodes[nodes:]
    if not g.nodes:
        return None
    return g.run(), g.inputs, g.array


def movement(model, inputs, expected):
    """How far each element moves when the inputs change by some units of their last bits."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    moved = np.zeros(expected.shape)
    for sign in (1, -1):
        step = {2: 2.0 ** -9, 4: 2.0 ** -20, 8: 2.0 ** -20}  # in 32 bits by size
        changed = {name: np.asarray(array * (1 + sign * step[array.itemsize]) + sign * step[array.itemsize], array.dtype)
                   if array.dtype.kind == "f" else array for name, array in inputs.items()}
        other = session.run(None, changed)[0]
        difference = np.abs(other.astype(np.float64) - expected.astype(np.float64))
        moved = np.maximum(moved, np.where(np.isfinite(difference), difference, np.inf))
    return moved


def check(arguments, seed):
    drawn = draw(seed)
    if drawn is None:
        return "drawn", ""
    model, inputs, expected = drawn
    with tempfile.TemporaryDirectory() as directory:
        directory = arguments.keep or directory
        file, archive, result = (os.path.join(directory, f"{seed}{suffix}") for suffix in (".onnx", ".in.npz", ".out.npz"))
        onnx.save(model, file)
        np.savez(archive, **inputs)
        done = subprocess.run([arguments.slipway, "run", file, "--inputs", archive, "--output", result, "--engine",
                               arguments.engine, "--device", arguments.device, "--no-cache", "--json"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            if done.returncode < 0 or done.returncode > 5:
                return "failed", f"status {done.returncode}"
            try:
                problem = json.loads(done.stdout)["files"][0]["diagnostics"][0]
                return "refused", "; ".join([problem["message"]] + [note["message"] for note in problem.get("notes", [])[:1]])
            except (ValueError, KeyError, IndexError):
                return "failed", done.stderr[-200:]
        archive = np.load(result)
        actual = archive[archive.files[0]]
    kinds = " ".join(node.op_type for node in model.graph.node)
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return "failed", f"{kinds}: {actual.dtype}{actual.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "biu":
        wrong = actual != expected
    else:
        a, b = actual.astype(np.float64), expected.astype(np.float64)
        finite = b[np.isfinite(b)]
        bound = max(np.abs(finite).max() if finite.size else 1, 2 ** -8) * (2 ** -12 if expected.dtype != np.float16 else 2 ** -7)
        wrong = ~(np.isclose(a, b, rtol=1e-4, atol=bound, equal_nan=True))
    if wrong.any() and expected.dtype.kind != "b":
        with np.errstate(invalid="ignore"):
            moved = movement(model, inputs, expected)
            near = np.abs(actual.astype(np.float64) - expected.astype(np.float64)) <= 16 * moved
        wrong &= ~(near | np.isinf(moved))
    if not wrong.any():
        return "passed", ""
    at = tuple(int(i[0]) for i in np.nonzero(wrong)) if wrong.ndim else ()
    return "failed", f"{kinds}: {int(wrong.sum())} of {wrong.size} differ, {at} is {actual[at]} instead of {expected[at]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("slipway")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--keep", help="a directory for the graphs")
    arguments = parser.parse_args()
    counts, reasons = collections.Counter(), collections.Counter()
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, (state, why) in zip(seeds, pool.map(lambda seed: check(arguments, seed), seeds)):
            counts[state] += 1
            if state == "failed":
                print(f"graph {seed}: {why}")
            if state == "refused":
                reasons[why] += 1
    for reason, count in reasons.most_common():
        print(f"{count} refused: {reason}")
    print(f"{counts['refused']} refused, {counts['drawn']} were not drawn")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
