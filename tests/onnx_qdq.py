#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks models with QuantizeLinear and DequantizeLinear against their definition, if the package `onnxruntime` is installed.

  onnx_qdq.py SLIPWAY [--filter TEXT] [--count N] [--seed N] [--engine ENGINE] [--device DEVICE] [--write FILE]

The first part has models of one operator between DequantizeLinear and QuantizeLinear. ONNX Runtime computes the operator on the
dequantised operands in floats; its results are divided by the scale and rounded here. Other integers are accepted only where the
quotient is so near to a half that the rounding of a sum of floats decides. The second part has blocks of networks, in this form and
with the operators QLinearConv, QLinearAdd and so on: both have the same bits, which ONNX Runtime has, too, but for such roundings.
--write writes such a network and ends.
"""

import sys

from onnx_cases import Random as PlainRandom, options, run_slipway, session
import numpy as np
import onnx
from onnx import helper, numpy_helper

MICROSOFT = "com.microsoft"


class Random(PlainRandom):
    def scale(self, low=0.005, high=0.1, *shape):
        return np.exp(self.numbers.uniform(np.log(low), np.log(high), shape)).astype(np.float32)

    def zero(self, kind):
        return kind(self.integer(0, 255) if kind is np.uint8 else self.integer(-128, 127))


class Quantised:
    """Numbers with a scale and a zero point; `axis` belongs to lists of them."""

    def __init__(self, array, scale, zero, axis=None, known=False):
        self.array, self.scale, self.zero, self.axis, self.known = np.asarray(array), np.asarray(scale), np.asarray(zero), axis, known

    def real(self):
        scale, zero = self.scale, self.zero
        if self.axis is not None and scale.ndim:
            shape = [1] * self.array.ndim
            shape[self.axis] = -1
            scale, zero = scale.reshape(shape), zero.reshape(shape)
        return ((self.array.astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale).astype(np.float32)


class Case:
    def __init__(self, kind, operands, attributes=None, after=(), version=21, tie=1e-3):
        # `after`: kinds with limits between the operator and QuantizeLinear.
        self.kind, self.operands, self.attributes, self.after = kind, operands, attributes or {}, after
        self.version, self.tie = version, tie


def activation(r, *shape):
    kind = r.one(np.uint8, np.int8)
    return Quantised(r.bytes(kind, *shape), r.scale(), r.zero(kind))


def weights(r, axis, *shape):
    kind = r.one(np.int8, np.int8, np.uint8)
    if r.chance(0.5):
        scale = r.scale(0.002, 0.02, shape[axis])
        return Quantised(r.bytes(kind, *shape), scale, np.full(scale.shape, 128 if kind is np.uint8 else 0, kind), axis, True)
    return Quantised(r.bytes(kind, *shape), r.scale(0.002, 0.02), kind(128) if kind is np.uint8 else kind(0), None, True)


def bias(r, x, w, count):
    form = r.one("none", "whole", "whole", "float", "other")
    if form == "none":
        return []
    if form == "float":
        return [r.floats(count)]
    scale = (x.scale * np.broadcast_to(w.scale, (count,)) if w.scale.ndim else x.scale * w.scale).astype(np.float32)
    if form == "other":
        scale = (scale * np.float32(1.7)).astype(np.float32)
    return [Quantised(r.numbers.integers(-3000, 3000, count).astype(np.int32), scale, np.zeros(scale.shape, np.int32),
                      0 if scale.ndim else None, True)]


def limits(r):
    return r.one((), (), ("Relu",), ("Clip",))


def conv(r):
    rank, groups = r.one(1, 2, 2), r.one(1, 1, 2)
    inputs, outputs = groups * r.integer(1, 4), groups * r.integer(1, 4)
    if r.chance(0.3):
        groups, outputs = inputs, inputs
    kernel = [r.integer(1, 3) for _ in range(rank)]
    x = activation(r, r.integer(1, 2), inputs, *[r.integer(5, 8) for _ in range(rank)])
    w = weights(r, 0, outputs, inputs // groups, *kernel)
    attributes = {"group": groups, "strides": [r.integer(1, k) for k in kernel], "pads": [r.integer(0, kernel[i % rank] - 1) for i in range(2 * rank)]}
    return Case("Conv", [x, w, *bias(r, x, w, outputs)], attributes, limits(r))


def conv_transpose(r):
    inputs, outputs, kernel = r.integer(1, 4), r.integer(1, 4), [r.integer(1, 3) for _ in range(2)]
    x = activation(r, 1, inputs, r.integer(3, 5), r.integer(3, 5))
    w = weights(r, 1, inputs, outputs, *kernel)
    return Case("ConvTranspose", [x, w, *bias(r, x, w, outputs)], {"strides": [r.integer(1, k) for k in kernel]}, limits(r))


def gemm(r):
    (m, k, n), a, b = [r.integer(1, 9) for _ in range(3)], r.integer(0, 1), r.integer(0, 1)
    x = activation(r, *((k, m) if a else (m, k)))
    w = weights(r, 0 if b else 1, *((n, k) if b else (k, n)))
    return Case("Gemm", [x, w, *bias(r, x, w, n)], {"transA": a, "transB": b, "alpha": r.one(1.0, 1.0, 0.5)}, limits(r))


def matmul(r):
    m, k, n = [r.integer(1, 9) for _ in range(3)]
    x = activation(r, *r.one((m, k), (2, m, k), (2, 3, m, k)))
    w = activation(r, *x.array.shape[:-2], k, n) if r.chance(0.3) else weights(r, 1, k, n)
    return Case("MatMul", [x, w], after=limits(r))


def average(r):
    x = activation(r, r.integer(1, 2), r.integer(1, 4), r.integer(4, 9), r.integer(4, 9))
    if r.chance(0.4):
        return Case("GlobalAveragePool", [x])
    kernel = [r.integer(1, 4) for _ in range(2)]
    attributes = {"kernel_shape": kernel, "strides": [r.integer(1, k) for k in kernel], "pads": [r.integer(0, k - 1) for k in kernel * 2]}
    if r.chance(0.3):
        attributes.update(count_include_pad=1, pads=[*attributes["pads"][:2], 0, 0])
    return Case("AveragePool", [x], attributes)


def movement(r):
    kind = r.one("MaxPool", "Reshape", "Transpose", "Slice", "Pad", "Resize", "Flatten", "DepthToSpace", "Unsqueeze", "Gather", "Expand",
                 "GlobalMaxPool")
    x = activation(r, 1, 4, r.integer(3, 6), r.integer(3, 6))
    height, width = x.array.shape[2:]
    attributes, others = {}, []
    if kind == "MaxPool":
        attributes = {"kernel_shape": [2, 3], "strides": [1, 2], "pads": [1, 0, 0, 1]}
    elif kind == "Reshape":
        others = [np.array([2, -1], np.int64)]
    elif kind == "Transpose":
        attributes = {"perm": [int(i) for i in r.numbers.permutation(4)]}
    elif kind == "Slice":
        others = [np.array([1], np.int64), np.array([3], np.int64), np.array([r.integer(1, 3)], np.int64)]
    elif kind == "Pad":
        attributes, others = {"mode": r.one("constant", "reflect", "edge")}, [np.array([0, 0, 1, 2, 0, 0, 2, 1], np.int64)]
    elif kind == "Resize":
        attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        others = [None, np.array([1, 1, 2, 2], np.float32)]
    elif kind == "DepthToSpace":
        attributes = {"blocksize": 2}
    elif kind == "Unsqueeze":
        others = [np.array([0], np.int64)]
    elif kind == "Gather":
        attributes, others = {"axis": 2}, [np.array([2, 0, 1, 2], np.int64)]
    elif kind == "Expand":
        others = [np.array([2, 4, height, width], np.int64)]
    return Case(kind, [x, *others], attributes, version=13 if kind == "Resize" else 21, tie=0)


def joint(r):
    parts = [activation(r, 2, r.integer(1, 3), 4) for _ in range(r.integer(2, 3))]
    return Case("Concat", parts, {"axis": 1}, tie=0)


def pair(r):
    kind = r.one("Add", "Sub", "Mul")
    x, y = activation(r, 2, 3, 256), activation(r, *r.one((2, 3, 256), (256,), (3, 1), (1,)))
    x.array[..., :] = np.arange(256).astype(np.uint8).view(x.array.dtype)
    return Case(kind, [x, y], after=limits(r), tie=0)


def function(r):
    kind = r.one("Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "HardSwish", "Elu", "Exp", "Abs", "Neg", "Clip", "Gelu", "Softplus",
                 "Erf", "Add", "Mul", "Div", "Sub", "Max")
    x = activation(r, 256)
    x.array = np.arange(256).astype(np.uint8).view(x.array.dtype)
    others = [np.float32(0.7)] if kind in ("Add", "Mul", "Div", "Sub", "Max") else []
    if kind == "Clip":
        others = [np.float32(-0.5), np.float32(1)]
    return Case(kind, [x, *others], after=r.one((), (), ("Relu",), ("Tanh",)), tie=2e-5)


GROUPS = [conv, conv_transpose, gemm, matmul, average, movement, joint, pair, function]


def nodes_after(case, name):
    """Nodes after the operator, and the name of the last value."""
    nodes, constants = [], []
    for i, kind in enumerate(case.after):
        operands = [name]
        if kind == "Clip":
            constants += [numpy_helper.from_array(np.float32(x), f"limit{i}{x}") for x in (-0.4, 1.1)]
            operands += [tensor.name for tensor in constants[-2:]]
        nodes.append(helper.make_node(kind, operands, [f"after{i}"]))
        name = f"after{i}"
    return nodes, constants, name


def model_of(nodes, inputs, constants, output, version, domains=()):
    values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in inputs.items()]
    graph = helper.make_graph(nodes, "g", values, [helper.make_empty_tensor_value_info(output)], constants)
    sets = [helper.make_opsetid("", version), *[helper.make_opsetid(domain, 1) for domain in domains]]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


def real_result(case):
    """The operator on floats."""
    inputs, constants, names = {}, [], []
    for i, operand in enumerate(case.operands):
        names.append("" if operand is None else f"x{i}")
        if isinstance(operand, Quantised):
            inputs[names[-1]] = operand.real()
        elif operand is not None:
            constants.append(numpy_helper.from_array(np.asarray(operand), names[-1]))
    after, more, name = nodes_after(case, "y")
    nodes = [helper.make_node(case.kind, names, ["y"], **case.attributes), *after]
    return session(model_of(nodes, inputs, constants + more, name, case.version)).run(None, inputs)[0]


def quantised_model(case, scale, zero):
    inputs, constants, nodes, names = {}, [], [], []
    for i, operand in enumerate(case.operands):
        names.append("" if operand is None else f"x{i}")
        if not isinstance(operand, Quantised):
            if operand is not None:
                constants.append(numpy_helper.from_array(np.asarray(operand), names[-1]))
            continue
        if operand.known:
            constants.append(numpy_helper.from_array(operand.array, f"q{i}"))
        else:
            inputs[f"q{i}"] = operand.array
        constants += [numpy_helper.from_array(operand.scale, f"s{i}"), numpy_helper.from_array(operand.zero, f"z{i}")]
        axis = {"axis": operand.axis} if operand.axis is not None else {}
        nodes.append(helper.make_node("DequantizeLinear", [f"q{i}", f"s{i}", f"z{i}"], [names[-1]], **axis))
    nodes.append(helper.make_node(case.kind, names, ["y"], **case.attributes))
    after, more, name = nodes_after(case, "y")
    constants += [*more, numpy_helper.from_array(scale, "s"), numpy_helper.from_array(np.asarray(zero), "z")]
    nodes += [*after, helper.make_node("QuantizeLinear", [name, "s", "z"], ["result"])]
    return model_of(nodes, inputs, constants, "result", case.version), inputs


def result_of(arguments, model, inputs):
    return run_slipway(arguments, model, inputs)[model.graph.output[0].name]


def run_case(arguments, r, case):
    real = real_result(case)
    kind = r.one(np.uint8, np.int8)
    spread = max(float(real.max() - real.min()), 1e-2)
    scale, zero = np.float32(spread / r.one(255, 200, 400)), r.zero(kind)
    if case.kind in ("MaxPool", "Reshape", "Transpose", "Concat", "Pad") and r.chance(0.5):
        scale, zero, kind = case.operands[0].scale[()], case.operands[0].zero[()], case.operands[0].array.dtype.type
    quotient = (real / scale).astype(np.float32)
    expected = np.clip(np.rint(quotient).astype(np.int64) + int(zero), np.iinfo(kind).min, np.iinfo(kind).max)
    model, inputs = quantised_model(case, scale, zero)
    made = result_of(arguments, model, inputs)
    if made.dtype != kind or made.shape != expected.shape:
        return f"{made.dtype}{made.shape} instead of {np.dtype(kind)}{expected.shape}"
    near = np.abs(quotient - np.floor(quotient) - 0.5) < case.tie
    wrong = made.astype(np.int64) != expected
    wrong &= ~(near & (np.abs(made.astype(np.int64) - expected) == 1))
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} differ, {list(at)} is {made[at]} instead of {expected[at]} ({quotient[at]})"


class Network:
    """A network in both forms: operators of floats between DequantizeLinear and QuantizeLinear, and QLinear operators."""

    def __init__(self, r, is_qdq, kind=np.uint8):
        self.r, self.is_qdq, self.kind, self.count = r, is_qdq, kind, 0
        self.nodes, self.constants, self.parameters = [], [], {}

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def constant(self, array):
        name = self.name("c")
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def tensor(self, scale, zero):
        name = self.name("t")
        self.parameters[name] = [self.constant(np.float32(scale)), self.constant(self.kind(zero)), float(scale)]
        return name

    def real(self, name):
        made = self.name("d")
        self.nodes.append(helper.make_node("DequantizeLinear", [name, *self.parameters[name][:2]], [made]))
        return made

    def store(self, real, name):
        self.nodes.append(helper.make_node("QuantizeLinear", [real, *self.parameters[name][:2]], [name]))
        return name

    def both(self, x):
        return [x, *self.parameters[x][:2]]

    def convolution(self, x, inputs, outputs, kernel, stride=1, groups=1, clips=True):
        taps = self.r.numbers.integers(-127, 128, (outputs, inputs // groups, kernel, kernel)).astype(np.int8)
        fan = inputs // groups * kernel * kernel
        scales = (self.r.scale(0.5, 2.0, outputs) / np.float32(60 * np.sqrt(fan))).astype(np.float32)
        offsets = self.r.numbers.integers(-1000, 1000, outputs).astype(np.int32)
        low = np.iinfo(self.kind).min
        y = self.tensor(6 / 255, low) if clips else self.tensor(self.r.scale(0.02, 0.05), low + 128)
        weight, scale, zero = self.constant(taps), self.constant(scales), self.constant(np.zeros(outputs, np.int8))
        offset = self.constant(offsets)
        attributes = {"kernel_shape": [kernel, kernel], "strides": [stride, stride], "pads": [kernel // 2] * 4, "group": groups}
        if not self.is_qdq:
            self.nodes.append(helper.make_node("QLinearConv", [*self.both(x), weight, scale, zero, *self.parameters[y][:2], offset], [y], **attributes))
            return y
        of_sums = self.constant((np.float32(self.parameters[x][2]) * scales).astype(np.float32))
        zeros, w, b, made = self.constant(np.zeros(outputs, np.int32)), self.name("w"), self.name("b"), self.name("f")
        left = self.real(x)
        self.nodes += [helper.make_node("DequantizeLinear", [weight, scale, zero], [w], axis=0),
                       helper.make_node("DequantizeLinear", [offset, of_sums, zeros], [b], axis=0),
                       helper.make_node("Conv", [left, w, b], [made], **attributes)]
        if clips:
            clipped = self.name("f")
            self.nodes.append(helper.make_node("Clip", [made, self.constant(np.float32(0)), self.constant(np.float32(6))], [clipped]))
            made = clipped
        return self.store(made, y)

    def sum(self, x, y):
        z = self.tensor(self.r.scale(0.03, 0.08), np.iinfo(self.kind).min + 120)
        if not self.is_qdq:
            self.nodes.append(helper.make_node("QLinearAdd", [*self.both(x), *self.both(y), *self.parameters[z][:2]], [z], domain=MICROSOFT))
            return z
        made, left, right = self.name("f"), self.real(x), self.real(y)
        self.nodes.append(helper.make_node("Add", [left, right], [made]))
        return self.store(made, z)

    def plain(self, kind, x, scale=None, zero=None, **attributes):
        """Movement keeps the quantisation."""
        y = self.tensor(self.parameters[x][2] if scale is None else scale, 0 if zero is None else zero)
        if scale is None:
            self.parameters[y] = self.parameters[x]
        if not self.is_qdq:
            if scale is None:
                self.nodes.append(helper.make_node(kind, [x], [y], **attributes))
            else:
                self.nodes.append(helper.make_node("QLinear" + kind, [*self.both(x), *self.parameters[y][:2]], [y], domain=MICROSOFT, **attributes))
            return y
        made, left = self.name("f"), self.real(x)
        self.nodes.append(helper.make_node(kind, [left], [made], **attributes))
        return self.store(made, y)

    def classes(self, x, inputs, outputs):
        taps = self.constant(self.r.numbers.integers(-127, 128, (outputs, inputs)).astype(np.int8))
        scales = (self.r.scale(0.5, 2.0, outputs) / np.float32(60 * np.sqrt(inputs))).astype(np.float32)
        scale, zero = self.constant(scales), self.constant(np.zeros(outputs, np.int8))
        offset, y = self.constant(self.r.numbers.integers(-1000, 1000, outputs).astype(np.int32)), self.tensor(0.05, np.iinfo(self.kind).min + 128)
        if not self.is_qdq:
            operands = [*self.both(x), taps, scale, zero, offset, *self.parameters[y][:2]]
            self.nodes.append(helper.make_node("QGemm", operands, [y], domain=MICROSOFT, transB=1))
            return y
        of_sums = self.constant((np.float32(self.parameters[x][2]) * scales).astype(np.float32))
        zeros, w, b, made, left = self.constant(np.zeros(outputs, np.int32)), self.name("w"), self.name("b"), self.name("f"), self.real(x)
        self.nodes += [helper.make_node("DequantizeLinear", [taps, scale, zero], [w], axis=0),
                       helper.make_node("DequantizeLinear", [offset, of_sums, zeros], [b], axis=0),
                       helper.make_node("Gemm", [left, w, b], [made], transB=1)]
        return self.store(made, y)


def network(seed, is_qdq, kind, side=24, width=1, blocks=4, outputs=10):
    """Blocks of MobileNet: expansion, depthwise convolution, projection, sum; a pool and classes."""
    n = Network(Random(seed), is_qdq, kind)
    image = n.r.bytes(kind, 1, 3, side, side)
    low = np.iinfo(kind).min
    n.parameters["image"] = [n.constant(np.float32(0.02)), n.constant(kind(low + 128)), 0.02]
    channels = 16 * width
    x = n.convolution("image", 3, channels, 3, stride=2)
    for i in range(blocks):
        stride = 2 if i % 3 == 2 else 1
        wide = n.convolution(x, channels, 6 * channels, 1)
        deep = n.convolution(wide, 6 * channels, 6 * channels, 3, stride=stride, groups=6 * channels)
        more = channels * (2 if stride == 2 else 1)
        y = n.convolution(deep, 6 * channels, more, 1, clips=False)
        x = n.sum(x, y) if stride == 1 else y
        channels = more
    x = n.plain("MaxPool", x, kernel_shape=[2, 2], strides=[1, 1])
    x = n.plain("LeakyRelu", x, scale=n.parameters[x][2], zero=low + 100, alpha=0.1)
    x = n.plain("GlobalAveragePool", x, scale=0.03, zero=low + 100)
    y = n.classes(n.plain("Flatten", x), channels, outputs)
    return model_of(n.nodes, {"image": image}, n.constants, y, 21, [MICROSOFT]), {"image": image}


def run_network(arguments, seed):
    kind = np.uint8 if seed % 2 else np.int8
    results = []
    for is_qdq in (False, True):
        model, inputs = network([arguments.seed, seed], is_qdq, kind)
        results.append(result_of(arguments, model, inputs))
    if not np.array_equal(*results):
        return f"{int((results[0] != results[1]).sum())} of {results[0].size} classes differ: {results[0]} and {results[1]}"
    # A sum of floats that is rounded to the other side of a half changes few classes by a little.
    expected = session(model).run(None, inputs)[0].astype(np.int64)
    difference = np.abs(results[1].astype(np.int64) - expected)
    if difference.max() > 2 or (difference > 0).mean() > 0.2:
        return f"ONNX Runtime has the classes {expected} instead of {results[1]}"
    return "" if len(np.unique(expected)) > 2 else f"all classes are alike: {expected}"


def main():
    parser = options(count=6)
    parser.add_argument("--write", help="write a network of 224x224 to FILE, and the QLinear form to FILE.qlinear")
    arguments = parser.parse_args()
    if arguments.write:
        for name, is_qdq in ((arguments.write, True), (arguments.write + ".qlinear", False)):
            onnx.save(network(1, is_qdq, np.uint8, side=224, width=1, blocks=10, outputs=1000)[0], name)
        return 0
    passed, failed = 0, 0
    cases = [(group, i) for group in GROUPS for i in range(arguments.count)]
    cases += [(network, i) for i in range(max(1, arguments.count // 3))]
    for group, i in cases:
        if arguments.filter not in group.__name__:
            continue
        r = Random([arguments.seed, i, sum(group.__name__.encode())])
        case = None if group is network else group(r)
        try:
            why = run_network(arguments, i) if group is network else run_case(arguments, r, case)
        except RuntimeError as error:
            why = str(error)
        if why:
            failed += 1
            print(f"{group.__name__} {i}: {case.kind if case else ''} {case.attributes if case else ''}: {why}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
