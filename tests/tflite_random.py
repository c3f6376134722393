#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random TensorFlow Lite graphs with TensorFlow Lite.

  tflite_random.py SLIPWAY PROGRAM [--count N] [--seed S] [--engine ENGINE] [--keep DIRECTORY]

PROGRAM runs a model with TensorFlow Lite; tests/data/tflite/README.md describes it. Each graph is a chain of operators with random
types, shapes and options, whose results are those of the reference kernels. Integers must be equal; floats must agree within 1e-5 of the
largest magnitude. What TensorFlow Lite refuses is drawn again. Ends with `N passed, N failed`.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

try:
    import flatbuffers
    import numpy as np
except ImportError:
    print("the packages numpy and flatbuffers are missing")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

TYPES = {np.float32: 0, np.int32: 2, np.uint8: 3, np.int64: 4, np.bool_: 6, np.int16: 7, np.int8: 9}
CODES = dict(ADD=0, AVERAGE_POOL_2D=1, CONCATENATION=2, CONV_2D=3, DEPTHWISE_CONV_2D=4, DEPTH_TO_SPACE=5, DEQUANTIZE=6, FULLY_CONNECTED=9,
             LOGISTIC=14, MAX_POOL_2D=17, MUL=18, RELU=19, RELU6=21, RESHAPE=22, RESIZE_BILINEAR=23, SOFTMAX=25, SPACE_TO_DEPTH=26, TANH=28,
             PAD=34, GATHER=36, TRANSPOSE=39, MEAN=40, SUB=41, STRIDED_SLICE=45, MAXIMUM=55, ARG_MAX=56, MINIMUM=57, NEG=59, SLICE=65,
             TRANSPOSE_CONV=67, TILE=69, SUM=74, SQRT=75, RESIZE_NEAREST_NEIGHBOR=97, LEAKY_RELU=98, SQUARED_DIFFERENCE=99, MIRROR_PAD=100,
             ABS=101, QUANTIZE=114, HARD_SWISH=117, REDUCE_MAX=82, PACK=83, ELU=111, BATCH_MATMUL=126)


class Tensor:
    def __init__(self, name, shape, kind, scales=None, zeros=None, axis=0, data=None):
        self.name, self.shape, self.kind, self.data = name, list(shape), kind, data
        self.scales, self.zeros, self.axis = scales, zeros, axis

    @property
    def is_real(self):
        return self.kind is np.float32


class Options:
    """The fields of an options table: (number, "bool", "byte", "int" or "float", value)."""

    def __init__(self, union, *fields):
        self.union, self.fields = union, fields


class Writer:
    """FlatBuffers, as far as these files need them."""

    def __init__(self):
        self.b = flatbuffers.Builder(1024)
        self.b.ForceDefaults(True)

    def table(self, count, fields):
        slots = {"bool": self.b.PrependBoolSlot, "byte": self.b.PrependInt8Slot, "ubyte": self.b.PrependUint8Slot, "int": self.b.PrependInt32Slot,
                 "uint": self.b.PrependUint32Slot, "float": self.b.PrependFloat32Slot, "offset": self.b.PrependUOffsetTRelativeSlot}
        self.b.StartObject(count)
        for number, kind, value in fields:
            # ForceDefaults: every field is written.
            slots[kind](number, value, 0)
        return self.b.EndObject()

    def array(self, values, dtype):
        return self.b.CreateNumpyVector(np.asarray(values, dtype).reshape(-1))

    def offsets(self, list_of):
        self.b.StartVector(4, len(list_of), 4)
        for offset in reversed(list_of):
            self.b.PrependUOffsetTRelative(offset)
        return self.b.EndVector()


class Graph:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.tensors, self.operators, self.inputs = [], [], []

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def chance(self, share):
        return self.random.random() < share

    def one(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def scale(self):
        return np.float32(np.exp(self.random.uniform(np.log(0.004), np.log(0.08))))

    def zero(self, kind):
        return 0 if kind is np.int16 else self.integer(0, 255) if kind is np.uint8 else self.integer(-128, 127)

    def tensor(self, shape, kind, like=None, **options):
        made = Tensor(f"t{len(self.tensors)}", shape, kind, **options)
        if like is not None:
            made.scales, made.zeros = like.scales, like.zeros
        elif kind in (np.int8, np.uint8, np.int16) and made.scales is None:
            made.scales, made.zeros = [self.scale()], [self.zero(kind)]
        self.tensors.append(made)
        return made

    def elements(self, shape, kind):
        if kind is np.float32:
            return self.random.standard_normal(shape).astype(np.float32)
        limits = np.iinfo(kind)
        return self.random.integers(limits.min, limits.max + 1, shape).astype(kind)

    def given(self, shape, kind, **options):
        made = self.tensor(shape, kind, **options)
        self.inputs.append(made)
        return made

    def constant(self, array, **options):
        array = np.asarray(array)
        return self.tensor(array.shape, array.dtype.type, data=array, **options)

    def fixed(self, values):
        return self.constant(np.asarray(values, np.int32))

    def add(self, code, inputs, output, options=None):
        self.operators.append((code, inputs, output, options))
        return output

    def other(self, x):
        """A second operand: a constant, an input, the tensor itself or one from before."""
        before = [t for t in self.tensors if t.shape == x.shape and t.kind is x.kind and t.data is None]
        if before and self.chance(0.4):
            return self.one(*before)
        shape = x.shape if self.chance(0.6) else self.one([1] * (len(x.shape) - 1) + x.shape[-1:], [1])
        if self.chance(0.5):
            return self.constant(self.elements(shape, x.kind))
        return self.given(shape, x.kind)

    def write(self, output):
        w, codes = Writer(), []
        tables, index = [], {id(t): i for i, t in enumerate(self.tensors)}
        blobs = [w.table(1, [])]
        for t in self.tensors:
            buffer = 0
            if t.data is not None:
                data = w.array(np.frombuffer(np.ascontiguousarray(t.data).tobytes(), np.uint8), np.uint8)
                blobs.append(w.table(3, [(0, "offset", data)]))
                buffer = len(blobs) - 1
            name, shape, fields = w.b.CreateString(t.name), w.array(t.shape, np.int32), []
            if t.scales is not None:
                scales, zeros = w.array(t.scales, np.float32), w.array(t.zeros, np.int64)
                fields.append((4, "offset", w.table(7, [(2, "offset", scales), (3, "offset", zeros), (6, "int", t.axis)])))
            tables.append(w.table(11, [(0, "offset", shape), (1, "byte", TYPES[t.kind]), (2, "uint", buffer), (3, "offset", name), *fields]))
        operators = []
        for code, inputs, made, options in self.operators:
            if code not in codes:
                codes.append(code)
            operands = w.array([-1 if t is None else index[id(t)] for t in inputs], np.int32)
            results = w.array([index[id(made)]], np.int32)
            fields = [(0, "uint", codes.index(code)), (1, "offset", operands), (2, "offset", results)]
            if options:
                table = w.table(10, options.fields)
                fields += [(3, "ubyte", options.union), (4, "offset", table)]
            operators.append(w.table(14, fields))
        code_tables = [w.table(4, [(0, "byte", min(CODES[code], 127)), (2, "int", 1), (3, "int", CODES[code])]) for code in codes]
        all_tensors, all_operators = w.offsets(tables), w.offsets(operators)
        ends = [w.array([index[id(t)] for t in list_of], np.int32) for list_of in (self.inputs, [output])]
        graph = w.table(6, [(0, "offset", all_tensors), (1, "offset", ends[0]), (2, "offset", ends[1]), (3, "offset", all_operators)])
        parts = [w.offsets(code_tables), w.offsets([graph]), w.offsets(blobs)]
        w.b.Finish(w.table(9, [(0, "uint", 3), (1, "offset", parts[0]), (2, "offset", parts[1]), (4, "offset", parts[2])]), file_identifier=b"TFL3")
        return bytes(w.b.Output())


def window_extent(extent, reach, stride, same):
    return (extent + stride - 1) // stride if same else (extent - reach) // stride + 1


def weights(g, shape, axis, kind, fan):
    """Of floats, or of numbers with scales that keep the sums within range."""
    if kind is np.float32:
        return g.constant((g.random.standard_normal(shape) / np.sqrt(fan)).astype(np.float32))
    if kind is np.uint8:
        return g.constant(g.elements(shape, np.uint8), scales=[np.float32(0.01)], zeros=[g.integer(100, 150)])
    count = shape[axis] if g.chance(0.6) else 1
    scales = (np.exp(g.random.uniform(-0.7, 0.7, count)) / (70 * np.sqrt(fan))).astype(np.float32)
    return g.constant(g.random.integers(-127, 128, shape).astype(np.int8), scales=scales, zeros=np.zeros(count, np.int64), axis=axis if count > 1 else 0)


def bias(g, x, w, count):
    if x.is_real:
        return g.constant(g.elements((count,), np.float32))
    scales = [np.float32(np.float32(x.scales[0]) * np.float32(s)) for s in w.scales]
    kind = np.int64 if x.kind is np.int16 else np.int32
    return g.constant(g.random.integers(-2000, 2000, count).astype(kind), scales=scales, zeros=[0] * len(scales))


def activation(g):
    return g.one(0, 0, 1, 3)


def convolution(g, x):
    if len(x.shape) != 4:
        return None
    n, h, width, c = x.shape
    kernel, stride, same, dilation = [min(g.integer(1, 3), h, width) for _ in range(2)], [g.integer(1, 2), g.integer(1, 2)], g.integer(0, 1), [1, 1]
    if g.chance(0.2) and stride == [1, 1] and same:
        dilation = [2, 1]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    size = [window_extent(e, r, s, same) for e, r, s in zip((h, width), reach, stride)]
    if min(size) < 1:
        return None
    fields = [(0, "byte", 0 if same else 1), (1, "int", stride[1]), (2, "int", stride[0])]
    if g.chance(0.4):
        if stride[0] != stride[1]:
            return None
        multiplier = g.integer(1, 2) if c < 8 else 1
        w = weights(g, (1, *kernel, c * multiplier), 3, x.kind, kernel[0] * kernel[1])
        made = g.tensor([n, *size, c * multiplier], x.kind)
        options = Options(2, *fields, (3, "int", multiplier), (4, "byte", activation(g)), (5, "int", dilation[1]), (6, "int", dilation[0]))
        return g.add("DEPTHWISE_CONV_2D", [x, w, bias(g, x, w, c * multiplier)], made, options)
    outputs = g.integer(1, 8)
    w = weights(g, (outputs, *kernel, c), 0, x.kind, kernel[0] * kernel[1] * c)
    made = g.tensor([n, *size, outputs], x.kind)
    options = Options(1, *fields, (3, "byte", activation(g)), (4, "int", dilation[1]), (5, "int", dilation[0]))
    return g.add("CONV_2D", [x, w, bias(g, x, w, outputs)], made, options)


def transposed(g, x):
    if len(x.shape) != 4 or x.kind is np.int16:
        return None
    n, h, width, c = x.shape
    kernel, stride, outputs, same = [g.integer(1, 3), g.integer(1, 3)], g.integer(1, 2), g.integer(1, 4), g.integer(0, 1)
    size = [e * stride if same else (e - 1) * stride + k for e, k in zip((h, width), kernel)]
    if same and min(kernel) < stride:
        return None
    w = weights(g, (outputs, *kernel, c), 0, x.kind, kernel[0] * kernel[1] * c)
    made = g.tensor([n, *size, outputs], x.kind)
    return g.add("TRANSPOSE_CONV", [g.fixed([n, *size, outputs]), w, x], made, Options(49, (0, "byte", 0 if same else 1), (1, "int", stride), (2, "int", stride)))


def product(g, x):
    inputs = x.shape[-1]
    rows, outputs = int(np.prod(x.shape[:-1])), g.integer(1, 8)
    w = weights(g, (outputs, inputs), 0, x.kind, inputs)
    if w.scales is not None and len(w.scales) > 1:
        w.scales, w.zeros = w.scales[:1], w.zeros[:1]  # the version of the operator that has one scale
        w.axis = 0
    keeps = g.integer(0, 1)
    made = g.tensor(x.shape[:-1] + [outputs] if keeps else [rows, outputs], x.kind)
    return g.add("FULLY_CONNECTED", [x, w, bias(g, x, w, outputs)], made, Options(8, (0, "byte", activation(g)), (2, "bool", bool(keeps))))


def pool(g, x):
    if len(x.shape) != 4:
        return None
    n, h, width, c = x.shape
    kernel, stride, same = [min(g.integer(1, 3), h, width) for _ in range(2)], [g.integer(1, 2), g.integer(1, 2)], g.integer(0, 1)
    size = [window_extent(e, k, s, same) for e, k, s in zip((h, width), kernel, stride)]
    made = g.tensor([n, *size, c], x.kind, like=x)
    return g.add(g.one("AVERAGE_POOL_2D", "MAX_POOL_2D"), [x], made, Options(
        5, (0, "byte", 0 if same else 1), (1, "int", stride[1]), (2, "int", stride[0]), (3, "int", kernel[1]), (4, "int", kernel[0]), (5, "byte", activation(g))))


def pair(g, x):
    code = g.one("ADD", "ADD", "MUL", "SUB", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE")
    if code == "SQUARED_DIFFERENCE" and x.kind not in (np.float32, np.int8):
        return None
    y = g.other(x)
    if np.broadcast_shapes(tuple(x.shape), tuple(y.shape)) != tuple(x.shape):
        return None
    if code in ("MAXIMUM", "MINIMUM") and not x.is_real:
        if y.data is None and y not in g.inputs or y is x:
            return None
        y.scales, y.zeros = x.scales, x.zeros
    made = g.tensor(x.shape, x.kind, like=x if code in ("MAXIMUM", "MINIMUM") else None)
    options = {"ADD": 11, "SUB": 28, "MUL": 21}.get(code)
    fields = [(0, "byte", activation(g))] + ([(1, "bool", False)] if code in ("ADD", "SUB") else [])
    return g.add(code, [x, y], made, Options(options, *fields) if options else None)


def function(g, x):
    code = g.one("LOGISTIC", "TANH", "RELU", "RELU6", "LEAKY_RELU", "HARD_SWISH", "ABS", "NEG", "ELU")
    if x.kind is np.int16 and code not in ("LOGISTIC", "TANH", "RELU", "LEAKY_RELU"):
        return None
    if x.kind is np.uint8 and code in ("ABS", "NEG", "ELU"):
        return None
    if code in ("NEG", "ELU") and not x.is_real:
        return None
    made = g.tensor(x.shape, x.kind)
    if not x.is_real and code in ("LOGISTIC", "TANH"):
        if x.kind is np.int16:
            made.scales, made.zeros = [np.float32(1 / 32768)], [0]
            x_scale = np.log2(float(x.scales[0]))
            if x_scale != round(x_scale):
                return g.one(None)
        else:
            made.scales = [np.float32(1 / 256 if code == "LOGISTIC" else 1 / 128)]
            made.zeros = [{np.int8: -128 if code == "LOGISTIC" else 0, np.uint8: 0 if code == "LOGISTIC" else 128}[x.kind]]
    if code == "ABS" and x.kind is np.int8:
        made.zeros = [g.integer(-128, 0)]
    return g.add(code, [x], made, Options(75, (0, "float", float(g.one(0.1, 0.3)))) if code == "LEAKY_RELU" else None)


def movement(g, x):
    code, rank = g.one("RESHAPE", "TRANSPOSE", "PAD", "SLICE", "STRIDED_SLICE", "GATHER", "TILE", "MIRROR_PAD"), len(x.shape)
    if code == "RESHAPE":
        total = int(np.prod(x.shape))
        shape = g.one([total], [1, total], [x.shape[0], total // x.shape[0]], [1, 1, total // x.shape[-1], x.shape[-1]])
        return g.add(code, [x, g.fixed(shape)], g.tensor(shape, x.kind, like=x), Options(17))
    if code == "TRANSPOSE":
        order = [int(i) for i in g.random.permutation(rank)]
        return g.add(code, [x, g.fixed(order)], g.tensor([x.shape[i] for i in order], x.kind, like=x), None)
    if code in ("PAD", "MIRROR_PAD"):
        if x.kind is np.uint8 and code == "MIRROR_PAD":
            return None
        amounts = [[g.integer(0, min(2, e - 1)), g.integer(0, min(2, e - 1))] for e in x.shape]
        made = g.tensor([e + sum(a) for e, a in zip(x.shape, amounts)], x.kind, like=x)
        return g.add(code, [x, g.fixed(amounts)], made, Options(77, (0, "byte", g.integer(0, 1))) if code == "MIRROR_PAD" else Options(22))
    if code == "SLICE":
        begin = [g.integer(0, e - 1) for e in x.shape]
        size = [g.integer(1, e - b) for e, b in zip(x.shape, begin)]
        return g.add(code, [x, g.fixed(begin), g.fixed(size)], g.tensor(size, x.kind, like=x), None)
    if code == "STRIDED_SLICE":
        begin, step = [g.integer(0, e - 1) for e in x.shape], [g.integer(1, 2) for _ in x.shape]
        size = [-(-(e - b) // s) for e, b, s in zip(x.shape, begin, step)]
        return g.add(code, [x, g.fixed(begin), g.fixed(x.shape), g.fixed(step)], g.tensor(size, x.kind, like=x), Options(32))
    if code == "GATHER":
        axis, count = g.integer(0, rank - 1), g.integer(1, 4)
        shape = [*x.shape[:axis], count, *x.shape[axis + 1:]]
        return g.add(code, [x, g.fixed(g.random.integers(0, x.shape[axis], count))], g.tensor(shape, x.kind, like=x), Options(23, (0, "int", axis)))
    times = [g.integer(1, 2) for _ in x.shape]
    if x.kind in (np.int16,) or int(np.prod(x.shape) * np.prod(times)) > 4000:
        return None
    return g.add(code, [x, g.fixed(times)], g.tensor([e * t for e, t in zip(x.shape, times)], x.kind, like=x), None)


def joined(g, x):
    axis, parts = g.integer(0, len(x.shape) - 1), [x]
    for _ in range(g.integer(1, 2)):
        shape = list(x.shape)
        shape[axis] = g.integer(1, 3)
        part = g.given(shape, x.kind) if g.chance(0.5) else g.constant(g.elements(shape, x.kind))
        part.scales, part.zeros = x.scales, x.zeros
        parts.append(part)
    shape = list(x.shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    return g.add("CONCATENATION", parts, g.tensor(shape, x.kind, like=x), Options(10, (0, "int", axis)))


def reduction(g, x):
    code = g.one("MEAN", "MEAN", "SUM", "REDUCE_MAX")
    if code == "SUM" and not x.is_real:
        return None
    axes = sorted(int(i) for i in g.random.permutation(len(x.shape))[:g.integer(1, max(1, len(x.shape) - 1))])
    keeps = g.integer(0, 1)
    shape = [1 if i in axes else e for i, e in enumerate(x.shape) if keeps or i not in axes]
    if not shape:
        return None
    made = g.tensor(shape, x.kind, like=x if code == "REDUCE_MAX" or g.chance(0.3) else None)
    return g.add(code, [x, g.fixed(axes)], made, Options(27, (0, "bool", bool(keeps))))


def resized(g, x):
    if len(x.shape) != 4 or x.kind is np.int16:
        return None
    size, form = [g.integer(1, 9), g.integer(1, 9)], g.integer(0, 2)
    code = g.one("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
    if code == "RESIZE_BILINEAR" and x.kind is np.uint8:
        return None
    first = 2 if code == "RESIZE_BILINEAR" else 0
    made = g.tensor([x.shape[0], *size, x.shape[3]], x.kind, like=x)
    return g.add(code, [x, g.fixed(size)], made, Options(15 if first else 74, (first, "bool", form == 1), (first + 1, "bool", form == 2)))


def blocks(g, x):
    if len(x.shape) != 4 or x.kind is np.int16:
        return None
    n, h, width, c = x.shape
    if g.chance(0.5) and h % 2 == 0 and width % 2 == 0:
        return g.add("SPACE_TO_DEPTH", [x], g.tensor([n, h // 2, width // 2, c * 4], x.kind, like=x), Options(19, (0, "int", 2)))
    if c % 4 == 0:
        return g.add("DEPTH_TO_SPACE", [x], g.tensor([n, h * 2, width * 2, c // 4], x.kind, like=x), Options(94, (0, "int", 2)))
    return None


def requantised(g, x):
    if x.is_real or x.kind is np.int16:
        return None
    kind = g.one(np.int8, np.uint8)
    return g.add("QUANTIZE", [x], g.tensor(x.shape, kind), None)


KINDS = [convolution, convolution, transposed, product, pool, pair, pair, function, movement, movement, joined, reduction, resized, blocks, requantised]


def draw(seed):
    g = Graph(seed)
    kind = g.one(np.int8, np.int8, np.int8, np.uint8, np.uint8, np.float32, np.int16)
    x = g.given([1, g.integer(3, 8), g.integer(3, 8), g.integer(1, 6)], kind)
    wanted = g.integer(1, 6)
    for _ in range(40):
        if len(g.operators) >= wanted:
            break
        made = g.one(*KINDS)(g, x)
        if made is not None and int(np.prod(made.shape)) <= 8000 and len(made.shape) <= 5:
            x = made
        elif made is not None:
            g.operators.pop()
    if not g.operators:
        return None
    if not x.is_real and x.kind is not np.int16 and g.chance(0.2):
        x = g.add("DEQUANTIZE", [x], g.tensor(x.shape, np.float32), None)
    used = {id(t) for _, inputs, _, _ in g.operators for t in inputs}
    g.inputs = [t for t in g.inputs if id(t) in used]
    return g, x


class Runner:
    """The program with TensorFlow Lite; it reads lines of file names while it runs."""

    def __init__(self, program):
        self.program, self.process = program, None

    def run(self, model, inputs):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([self.program, "reference", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        print(model, *inputs, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        return re.match(r"output 0 type \d+ bytes \d+ shape((?: \d+)*)", line)


def check(arguments, runner, directory, g, output):
    """Why the graph fails; None if TensorFlow Lite refuses it."""
    model = os.path.join(directory, "model.tflite")
    with open(model, "wb") as file:
        file.write(g.write(output))
    arrays, names = {}, []
    for i, t in enumerate(g.inputs):
        arrays[t.name] = g.elements(t.shape, t.kind)
        names.append(os.path.join(directory, f"in{i}"))
        arrays[t.name].tofile(names[-1])
    found = runner.run(model, names)
    if not found:
        return None
    shape = [int(e) for e in found[1].split()]
    expected = np.fromfile(model + ".out0", output.kind).reshape(shape)
    archive, results = os.path.join(directory, "in.npz"), os.path.join(directory, "out.npz")
    np.savez(archive, **arrays)
    done = subprocess.run([arguments.slipway, "run", model, "--inputs", archive, "--output", results, "--engine", arguments.engine, "--device",
                           "cpu", "--no-cache"], capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr[-500:]}"
    made = np.load(results)[output.name]
    if made.dtype != expected.dtype or made.shape != expected.shape:
        return f"{made.dtype}{made.shape} instead of {expected.dtype}{expected.shape}"
    if output.is_real:
        wrong = ~np.isclose(made, expected, rtol=0, atol=1e-5 * max(1e-3, float(np.abs(expected[np.isfinite(expected)]).max(initial=0))), equal_nan=True)
    else:
        wrong = made != expected
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements differ, {list(at)} is {made[at]} instead of {expected[at]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("slipway")
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--keep", help="a directory for the models that fail")
    arguments = parser.parse_args()
    runner, counts, kinds, seed = Runner(arguments.program), collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as directory:
        while counts["passed"] + counts["failed"] < arguments.count:
            seed += 1
            drawn = draw([arguments.seed, seed])
            why = check(arguments, runner, directory, *drawn) if drawn else None
            if why is None:
                counts["refused"] += 1
                continue
            kinds.update(operator[0] for operator in drawn[0].operators)
            counts["failed" if why else "passed"] += 1
            if why:
                print(f"{seed}: {[operator[0] for operator in drawn[0].operators]} of {np.dtype(drawn[0].inputs[0].kind)}: {why}", flush=True)
                if arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    os.replace(os.path.join(directory, "model.tflite"), os.path.join(arguments.keep, f"{seed}.tflite"))
    print(f"operators: {', '.join(f'{kind} {count}' for kind, count in sorted(kinds.items()))}")
    print(f"TensorFlow Lite refused {counts['refused']} graphs")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
