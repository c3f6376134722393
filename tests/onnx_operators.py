#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares models of one random node with ONNX Runtime, if the package `onnxruntime` is installed.

  onnx_operators.py SLIPWAY [--filter TEXT] [--count N] [--seed N] [--engine ENGINE] [--device DEVICE]

No cases are made where ONNX Runtime differs from the text of ONNX or from its reference: SAME padding with a stride above the
kernel, count_include_pad with padding at the end, tf_crop_and_resize of dimensions that keep their size, sequences of length 0,
is_causal with fewer queries than keys, align_corners
with a size that is not whole. Floats are equal within a tolerance of the largest number; integers are equal.
"""

import sys

from onnx_cases import Random as PlainRandom, options, run_slipway, session
import numpy as np
from onnx import helper, numpy_helper


class Given:
    """An operand that is an input of the graph."""

    def __init__(self, array):
        self.array = np.asarray(array)


class Known(Given):
    """An operand that is an initializer."""


class Case:
    def __init__(self, kind, operands, attributes=None, results=1, version=20, domain="", tolerance=1e-4, off_by=0):
        self.kind, self.operands, self.attributes = kind, operands, attributes or {}
        self.results, self.version, self.domain = results, version, domain
        self.tolerance, self.off_by = tolerance, off_by
        self.unused = []  # results that the node does not name


class Random(PlainRandom):
    def extents(self, rank, low, high):
        return [self.integer(low, high) for _ in range(rank)]

    def operand(self, array):
        return self.one(Given, Known)(array)


def window_attributes(r, kernel, extra=True):
    rank, made = len(kernel), {}
    if r.chance(0.6):
        made["strides"] = [r.integer(1, k) for k in kernel]
    form = r.one("none", "pads", "auto", "dilated")
    if form == "pads":
        made["pads"] = [r.integer(0, kernel[i % rank] - 1) for i in range(2 * rank)]
    if form == "auto":
        made["auto_pad"] = r.one("SAME_UPPER", "SAME_LOWER", "VALID")
    if form == "dilated" and extra:
        made["dilations"] = r.extents(rank, 1, 2)
    return made


def convolution_operands(r, rank):
    groups = r.one(1, 1, 2, 3)
    inputs, outputs = groups * r.integer(1, 3), groups * r.integer(1, 3)
    if r.chance(0.3):
        groups, outputs = inputs, inputs * r.integer(1, 2)
    kernel = r.extents(rank, 1, 3)
    return groups, inputs, outputs, kernel


def conv(r):
    rank = r.one(1, 2, 2, 2, 3)
    groups, inputs, outputs, kernel = convolution_operands(r, rank)
    operands = [Given(r.floats(r.integer(1, 2), inputs, *r.extents(rank, 6, 11))),
                r.operand(r.floats(outputs, inputs // groups, *kernel))]
    if r.chance(0.6):
        operands.append(r.operand(r.floats(outputs)))
    return Case("Conv", operands, {"group": groups, **window_attributes(r, kernel)})


def conv_transpose(r):
    rank = r.one(1, 2, 2, 3)
    groups = r.one(1, 1, 2)
    inputs, outputs, kernel = groups * r.integer(1, 3), r.integer(1, 2), r.extents(rank, 1, 4)
    x = r.floats(r.integer(1, 2), inputs, *r.extents(rank, 3, 6))
    strides, dilations = [r.integer(1, k) for k in kernel], r.extents(rank, 1, 2) if r.chance(0.3) else [1] * rank
    attributes = {"group": groups, "strides": strides, "dilations": dilations}
    form = r.one("none", "pads", "pads", "auto", "output")
    if form == "pads":
        attributes["pads"] = r.extents(2 * rank, 0, 1)
        attributes["output_padding"] = [r.integer(0, s - 1) for s in strides]
    if form == "auto" and dilations == [1] * rank:
        attributes["auto_pad"] = r.one("SAME_UPPER", "SAME_LOWER", "VALID")
    if form == "output":
        attributes["output_shape"] = [(x.shape[2 + i] - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1 - r.integer(0, 1)
                                      for i in range(rank)]
        if any(extent < 1 for extent in attributes["output_shape"]):
            return None
    operands = [Given(x), r.operand(r.floats(inputs, outputs, *kernel))]
    if r.chance(0.6):
        operands.append(Known(r.floats(outputs * groups)))
    return Case("ConvTranspose", operands, attributes)


def pool(r):
    kind, rank = r.one("MaxPool", "AveragePool", "LpPool"), r.one(1, 2, 2, 2, 3)
    kernel = r.extents(rank, 1, 4)
    attributes = {"kernel_shape": kernel, **window_attributes(r, kernel, kind != "LpPool")}
    if r.chance(0.5) and "auto_pad" not in attributes:
        attributes["ceil_mode"] = 1
    x = r.floats(r.integer(1, 2), r.integer(1, 4), *r.extents(rank, 8, 12))
    if kind == "AveragePool" and r.chance(0.4) and "pads" not in attributes and "auto_pad" not in attributes:
        attributes["count_include_pad"] = 1
    if kind == "LpPool":
        attributes["p"] = r.one(1, 2, 3)
    if kind == "MaxPool" and r.chance(0.3):
        return Case(kind, [Given(x)], attributes, results=2, version=12)
    if kind == "MaxPool" and r.chance(0.3):
        return Case(kind, [Given(r.bytes(r.one(np.uint8, np.int8), *x.shape))], attributes, version=12)
    return Case(kind, [Given(x)], attributes, version=18 if kind == "LpPool" else 22)


def global_pool(r):
    kind = r.one("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
    return Case(kind, [Given(r.floats(2, r.integer(1, 4), *r.extents(r.one(1, 2, 3), 2, 6)))])


def gemm(r):
    m, k, n, a, b = *r.extents(3, 1, 6), r.integer(0, 1), r.integer(0, 1)
    operands = [Given(r.floats(*((k, m) if a else (m, k)))), r.operand(r.floats(*((n, k) if b else (k, n))))]
    if r.chance(0.8):
        operands.append(r.operand(r.floats(*r.one((n,), (1, n), (m, 1), (m, n), (1,), ()))))
    return Case("Gemm", operands, {"transA": a, "transB": b, "alpha": r.one(1.0, 0.5), "beta": r.one(1.0, 0.25)})


def matmul(r):
    batch = r.extents(r.integer(0, 2), 1, 3)
    other = [extent if r.chance(0.6) else 1 for extent in batch][r.integer(0, len(batch)):]
    m, k, n = r.extents(3, 1, 5)
    a = r.floats(k) if r.chance(0.15) else r.floats(*batch, m, k)
    b = r.floats(k) if r.chance(0.15) else r.floats(*other, k, n)
    return Case("MatMul", [Given(a), r.operand(b)])


def einsum(r):
    equation = r.one("ij,jk->ik", "bij,bjk->bik", "ij,ij->", "ii->i", "ii", "i,j->ij", "bhqd,bhkd->bhqk", "abc,cd,de->abe",
                     "ij->ji", "...ij,...jk->...ik", "ab,bc,ca", "bijc,bijd->bcd", "abcd,abde->abce", "i,i->i", "ij,j",
                     "bn,anm,bm->ba", "b i j , b j k -> b i k", "iij->ij", "...ii->...i", "ij,kl->ijkl", "aab,b->a")
    extents = {letter: r.integer(1, 4) for letter in "abcdehijklmnpq"}
    ellipsis, operands = r.extents(r.integer(1, 2), 1, 3), []
    for term in equation.split("->")[0].replace(" ", "").split(","):
        shape = ellipsis if term.startswith("...") else []
        operands.append(Given(r.floats(*shape, *[extents[letter] for letter in term.replace("...", "")])))
    return Case("Einsum", operands, {"equation": equation})


def normalisation(r):
    kind, channels = r.one("batch", "instance", "layer", "group", "lrn", "lp", "rms"), r.integer(2, 6)
    x = r.floats(r.integer(1, 3), channels, *r.extents(r.one(1, 2, 2, 3), 2, 6))
    of_channels = [r.operand(r.floats(channels)) for _ in range(3)]
    if kind == "batch":
        return Case("BatchNormalization", [Given(x), *of_channels, r.operand(np.abs(r.floats(channels)) + 0.1)], {"epsilon": 1e-3})
    if kind == "instance":
        return Case("InstanceNormalization", [Given(x), *of_channels[:2]])
    if kind == "group":
        return Case("GroupNormalization", [Given(x), *of_channels[:2]], {"num_groups": r.one(1, channels)}, version=21)
    if kind == "lrn":
        return Case("LRN", [Given(r.floats(2, channels, 3, 4))], {"size": r.one(1, 3, 5), "alpha": 0.01, "beta": r.one(0.75, 0.5, 0.6)})
    if kind == "lp":
        return Case("LpNormalization", [Given(x)], {"axis": r.integer(-1, x.ndim - 1), "p": r.one(1, 2)})
    axis = r.integer(1, x.ndim - 1) if kind == "layer" else x.ndim - 1
    operands = [Given(x), r.operand(r.floats(*x.shape[axis:]))]
    if kind == "rms":
        return Case("RMSNormalization", operands, version=23)
    if r.chance(0.7):
        operands.append(r.operand(r.floats(*x.shape[axis:])))
    return Case("LayerNormalization", operands, {"axis": r.one(axis, axis - x.ndim)}, results=r.one(1, 3), version=17)


def activation(r):
    kind = r.one("Relu", "LeakyRelu", "PRelu", "Elu", "Selu", "Celu", "ThresholdedRelu", "Shrink", "HardSigmoid", "HardSwish",
                 "Hardmax", "Softsign", "Mish", "Gelu", "Clip", "Softmax", "LogSoftmax", "Softplus")
    x, attributes, version = r.floats(r.integer(1, 3), r.integer(2, 5), r.integer(2, 5)) * 3, {}, 20
    operands = [Given(x)]
    if kind in ("LeakyRelu", "Elu", "Celu", "ThresholdedRelu") and r.chance(0.7):
        attributes["alpha"] = r.one(0.3, 1.5, 0.01)
    if kind == "PRelu":
        operands.append(r.operand(r.floats(*r.one(x.shape[1:], x.shape[2:], (x.shape[1], 1), (1,)))))
    if kind == "Gelu":
        attributes["approximate"] = r.one("none", "tanh")
    if kind == "Shrink":
        attributes = {"lambd": 1.0, "bias": r.one(0.0, 0.5)}
    if kind == "Clip":
        operands += [r.operand(np.float32(-1)), r.operand(np.float32(r.one(1, -2)))]
    if kind in ("Softmax", "LogSoftmax", "Hardmax"):
        version = r.one(11, 13)
        attributes["axis"] = r.integer(0 if version == 11 else -3, 2)
    return Case(kind, operands, attributes, version=version)


def resize(r):
    mode = r.one("nearest", "nearest", "linear", "linear", "cubic")
    rank = 2 if mode == "cubic" else r.one(1, 2, 2, 2, 3)
    x, attributes = r.floats(1, r.integer(1, 3), *r.extents(rank, 2, 9)), {"mode": mode}
    attributes["coordinate_transformation_mode"] = r.one("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                                                         "half_pixel_symmetric")
    if mode == "nearest":
        attributes["nearest_mode"] = r.one("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic":
        attributes.update(exclude_outside=r.integer(0, 1), cubic_coeff_a=r.one(-0.75, -0.5))
    if mode != "nearest" and rank == 2 and r.chance(0.3):
        attributes["antialias"] = 1
    none = Known(np.array([], np.float32))
    if r.chance(0.5):
        aligned = attributes["coordinate_transformation_mode"] == "align_corners"
        scales = [1, 1] + [r.one(2.0, 3.0, 1.0) if aligned else r.one(0.5, 2.0, 3.0, 1.5, 0.6, 1.0, 2.5) for _ in range(rank)]
        return Case("Resize", [Given(x), none, Known(np.array(scales, np.float32))], attributes, version=19)
    sizes = [*x.shape[:2], *r.extents(rank, 1, 12)]
    return Case("Resize", [Given(x), none, none, Known(np.array(sizes, np.int64))], attributes, version=19)


def grid_sample(r):
    mode = r.one("linear", "nearest", "cubic")
    rank = 2 if mode == "cubic" else r.one(2, 2, 3)
    x = r.floats(r.integer(1, 2), r.integer(1, 3), *r.extents(rank, 2, 6))
    grid = r.numbers.uniform(-1.7, 1.7, (x.shape[0], *r.extents(rank, 2, 4), rank)).astype(np.float32)
    attributes = {"mode": mode, "padding_mode": r.one("zeros", "border", "reflection"), "align_corners": r.integer(0, 1)}
    return Case("GridSample", [Given(x), Given(grid)], attributes, tolerance=3e-4)


def roi_align(r):
    x, count, ratio = r.floats(2, 3, r.integer(5, 9), r.integer(5, 9)), r.integer(1, 4), r.integer(0, 3)
    rois = np.sort(r.numbers.uniform(-1, 9, (count, 2, 2)), axis=1).reshape(count, 4).astype(np.float32)
    attributes = {"mode": r.one("avg", "max"), "output_height": r.integer(1, 3), "output_width": r.integer(1, 3),
                  "sampling_ratio": ratio, "spatial_scale": r.one(1.0, 0.5),
                  "coordinate_transformation_mode": r.one("half_pixel", "output_half_pixel")}
    images = r.numbers.integers(0, 2, count).astype(np.int64)
    return Case("RoiAlign", [Given(x), (Given if ratio else Known)(rois), Given(images)], attributes, version=16)


def recurrent(r):
    kind, gates, per_direction = r.one(("RNN", 1, 1), ("GRU", 3, 2), ("LSTM", 4, 3))
    steps, batch, inputs, hidden = r.integer(1, 5), r.integer(1, 3), r.integer(1, 4), r.integer(1, 4)
    direction = r.one("forward", "reverse", "bidirectional")
    directions = 2 if direction == "bidirectional" else 1
    operands = [Given(r.floats(steps, batch, inputs)), Known(r.floats(directions, gates * hidden, inputs)),
                Known(r.floats(directions, gates * hidden, hidden))]
    operands.append(Known(r.floats(directions, 2 * gates * hidden)) if r.chance(0.7) else None)
    lengths = r.numbers.integers(1, steps + 1, batch).astype(np.int32)
    lengths[r.integer(0, batch - 1)] = steps
    operands.append(r.operand(lengths) if r.chance(0.5) else None)
    operands.append(Given(r.floats(directions, batch, hidden)) if r.chance(0.5) else None)
    attributes = {"hidden_size": hidden, "direction": direction}
    if kind == "LSTM":
        operands.append(Given(r.floats(directions, batch, hidden)) if r.chance(0.5) else None)
        operands.append(Known(r.floats(directions, 3 * hidden)) if r.chance(0.4) else None)
        attributes["input_forget"] = int(r.chance(0.2))
    if kind == "GRU":
        attributes["linear_before_reset"] = r.integer(0, 1)
    if r.chance(0.3):
        attributes["clip"] = 0.5
    if r.chance(0.3):
        attributes["activations"] = [r.one("Relu", "Tanh", "Sigmoid", "Softsign") for _ in range(per_direction * directions)]
    return Case(kind, operands, attributes, results=3 if kind == "LSTM" else 2, version=14)


def quantise(r):
    kind = r.one(np.uint8, np.int8, np.int16, np.uint16)
    x, axis, limits = r.floats(r.integer(1, 3), r.integer(2, 4), r.integer(2, 5)), r.integer(0, 2), np.iinfo(kind)
    scale = np.abs(r.floats(*((x.shape[axis],) if r.chance(0.5) else ()))).astype(np.float32) + np.float32(0.01)
    zero = r.numbers.integers(limits.min // 2, limits.max // 2 + 1, scale.shape).astype(kind)
    if r.chance(0.5):
        return Case("DequantizeLinear", [Given(r.bytes(kind, *x.shape)), r.operand(scale), Known(zero)], {"axis": axis}, version=21)
    spread = 50 if kind in (np.int16, np.uint16) else 1
    return Case("QuantizeLinear", [Given(x * spread), r.operand(scale), Known(zero)], {"axis": axis}, version=21)


def quantise_ties(r):
    """Numbers that a product with the reciprocal of the scale rounds to another integer than the division."""
    scale = np.float32(np.exp(r.numbers.uniform(-8, 2)))
    x = (np.float64(scale) * (np.arange(-300, 300) + 0.5)).astype(np.float32)
    x = np.concatenate([x, np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(-np.inf))])
    kind = r.one(np.uint8, np.int8)
    return Case("QuantizeLinear", [Given(x), r.operand(scale), Known(kind(r.integer(0, 100)))], version=13)


def quantise_dynamic(r):
    return Case("DynamicQuantizeLinear", [Given(r.floats(r.integer(2, 40), r.integer(1, 6)) * r.one(1, 10, 0.1))], results=3, version=11)


def quantised_convolution(r):
    rank = r.one(2, 2, 1)
    groups, inputs, outputs, kernel = convolution_operands(r, rank)
    attributes = {"group": groups, **window_attributes(r, kernel)}
    kind = r.one(np.uint8, np.int8)
    of_weights = r.one(kind, np.int8)
    x = r.bytes(kind, r.integer(1, 2), inputs, *r.extents(rank, 6, 9))
    weights = r.bytes(of_weights, outputs, inputs // groups, *kernel)
    scales = (np.abs(r.floats(*((outputs,) if r.chance(0.5) else ()))) * 0.01 + 0.002).astype(np.float32)
    zeros = np.full(scales.shape, 128 if of_weights is np.uint8 else 0, of_weights)
    operands = [Given(x), Known(np.float32(0.02)), Known(kind(3)), Known(weights), Known(scales), Known(zeros),
                Known(np.float32(0.05)), Known(kind(7))]
    if r.chance(0.5):
        operands.append(Known(r.numbers.integers(-1000, 1000, outputs).astype(np.int32)))
    return Case("QLinearConv", operands, attributes, version=10)


def quantised_matmul(r):
    m, k, n, kind = *r.extents(3, 1, 8), r.one(np.uint8, np.int8)
    of_weights = r.one(kind, np.int8)
    weights = Known(r.bytes(of_weights, k, n))
    if r.chance(0.4):
        return Case("MatMulInteger", [Given(r.bytes(np.uint8, m, k)), weights, Known(np.uint8(5)), Known(of_weights(9))], version=10)
    return Case("QLinearMatMul", [Given(r.bytes(kind, m, k)), Known(np.float32(0.02)), Known(kind(5)), weights,
                                  Known(np.float32(0.013)), Known(of_weights(9)), Known(np.float32(0.1)), Known(kind(11))], version=10)


def attention(r):
    batch, heads, keys_heads = r.integer(1, 2), r.one(2, 4), r.one(1, 2)
    past, depth, columns, queries = r.one(0, 0, 2), r.integer(2, 5), r.integer(2, 5), r.integer(1, 4)
    causal = r.chance(0.4)
    keys = queries if causal else r.integer(1, 5)
    operands = [r.floats(batch, heads, queries, depth), r.floats(batch, keys_heads, keys, depth), r.floats(batch, keys_heads, keys, columns)]
    attributes = {"is_causal": 1} if causal else {}
    if r.chance(0.4):
        operands = [x.transpose(0, 2, 1, 3).reshape(batch, x.shape[2], -1) for x in operands]
        attributes.update(q_num_heads=heads, kv_num_heads=keys_heads)
    operands = [Given(x) for x in operands]
    shape = r.one((queries, keys + past), (batch, 1, queries, keys + past), (batch, heads, queries, keys + past))
    mask = r.one(None, r.floats(*shape), (r.numbers.random(shape) < 0.8) | (np.arange(keys + past) == 0))
    operands.append(None if mask is None else Given(mask))
    if past:
        operands += [Given(r.floats(batch, keys_heads, past, depth)), Given(r.floats(batch, keys_heads, past, columns))]
    if r.chance(0.3):
        attributes["scale"] = 0.3
    return Case("Attention", operands, attributes, results=3 if past else 1, version=23)


def rotary(r):
    batch, steps, heads, depth = r.integer(1, 2), r.integer(1, 4), r.integer(1, 3), 2 * r.integer(1, 4)
    dimensions = depth if r.chance(0.6) else 2 * r.integer(1, depth // 2)
    attributes = {"interleaved": r.integer(0, 1), "num_heads": heads}
    if dimensions != depth:
        attributes["rotary_embedding_dim"] = dimensions
    x = r.floats(batch, steps, heads * depth) if r.chance(0.5) else r.floats(batch, heads, steps, depth)
    positions = r.numbers.integers(0, 10, (batch, steps)).astype(np.int64)
    tables = [Known(r.floats(10, dimensions // 2)) for _ in range(2)]
    return Case("RotaryEmbedding", [Given(x), *tables, Given(positions)], attributes, version=23)


MICROSOFT = "com.microsoft"


def fused_product(r):
    m, k, n, batch, a, b = *r.extents(4, 1, 4), r.integer(0, 1), r.integer(0, 1)
    left, right = r.floats(*((batch, k, m) if a else (batch, m, k))), r.floats(*((batch, n, k) if b else (batch, k, n)))
    attributes = {"transA": a, "transB": b, "alpha": r.one(1.0, 0.25)}
    if r.chance(0.3):
        left, attributes["transBatchA"] = left.transpose(1, 0, 2).copy(), 1
    return Case("FusedMatMul", [Given(left), r.operand(right)], attributes, domain=MICROSOFT)


def fused_convolution(r):
    case = conv(r)
    if case.operands[0].array.ndim != 4:
        return None
    name, parameters = r.one(("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.1]), ("Clip", [-0.5, 0.5]),
                             ("HardSigmoid", [0.3, 0.4]))
    case.kind, case.domain = "FusedConv", MICROSOFT
    case.attributes["activation"] = name
    if parameters:
        case.attributes["activation_params"] = parameters
    return case


def gelu(r):
    kind = r.one("Gelu", "QuickGelu", "FastGelu", "BiasGelu")
    operands = [Given(r.floats(2, 3, 8) * 2)]
    if kind == "BiasGelu" or (kind == "FastGelu" and r.chance(0.5)):
        operands.append(Known(r.floats(8)))
    return Case(kind, operands, domain=MICROSOFT)


def skip_normalisation(r):
    width = r.integer(2, 8)
    if r.chance(0.2):
        return Case("SimplifiedLayerNormalization", [Given(r.floats(2, 3, width)), Known(r.floats(width))], {"stash_type": 1}, version=17)
    kind = r.one("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
    operands = [Given(r.floats(2, 3, width)), Given(r.floats(2, 3, width)), Known(r.floats(width))]
    if kind == "SkipLayerNormalization":
        operands.append(Known(r.floats(width)) if r.chance(0.7) else None)
    operands.append(Known(r.floats(width)) if r.chance(0.5) else None)
    case = Case(kind, operands, {"epsilon": 1e-5}, results=r.one(1, 4), domain=MICROSOFT)
    case.unused = [1, 2]
    return case


def embedding(r):
    batch, steps, width = 2, 3, 8
    operands = [Given(r.numbers.integers(0, 10, (batch, steps)).astype(np.int32)),
                Given(r.numbers.integers(0, 2, (batch, steps)).astype(np.int32)), Known(r.floats(10, width)),
                Known(r.floats(6, width)), Known(r.floats(2, width)), Known(r.floats(width)), Known(r.floats(width))]
    if r.chance(0.5):
        operands.append(Given((np.arange(steps)[None] < r.numbers.integers(1, steps + 1, (batch, 1))).astype(np.int32)))
    return Case("EmbedLayerNormalization", operands, {"epsilon": 1e-5}, results=2, domain=MICROSOFT)


def key_mask(r, batch, keys):
    if r.chance(0.5):
        return None
    return Given(r.one((r.numbers.random((batch, keys)) < 0.7).astype(np.int32), r.numbers.integers(1, keys + 1, batch).astype(np.int32)))


def multi_head_attention(r):
    batch, heads, queries, keys, depth, columns = r.integer(1, 2), r.integer(1, 3), r.integer(1, 4), r.integer(1, 5), *r.extents(2, 2, 4)
    operands = [Given(r.floats(batch, queries, heads * depth)), Given(r.floats(batch, keys, heads * depth)),
                Given(r.floats(batch, keys, heads * columns)), Known(r.floats(heads * (2 * depth + columns))) if r.chance(0.4) else None,
                key_mask(r, batch, keys),
                Given(r.floats(r.one(1, batch), r.one(1, heads), queries, keys)) if r.chance(0.4) else None]
    attributes = {"num_heads": heads, **({"scale": 0.4} if r.chance(0.3) else {})}
    return Case("MultiHeadAttention", operands, attributes, domain=MICROSOFT)


def projected_attention(r):
    batch, heads, steps, depth, width = r.integer(1, 2), r.integer(1, 3), r.integer(1, 5), r.integer(2, 4), r.integer(2, 6)
    hidden, mask = heads * depth, key_mask(r, batch, steps)
    operands = [Given(r.floats(batch, steps, width)), Known(r.floats(width, 3 * hidden)), Known(r.floats(3 * hidden)), mask]
    past = mask is None and r.chance(0.5)
    if past:
        operands.append(Given(r.floats(2, batch, heads, r.integer(1, 3), depth)))
    attributes = {"num_heads": heads, "unidirectional": r.integer(0, 1)}
    return Case("Attention", operands, attributes, results=2 if past else 1, domain=MICROSOFT)


def packed_weights(r):
    block, outputs, bits = r.one(16, 32), r.integer(1, 5), 4
    inputs = block * r.integer(1, 3) - r.one(0, 0, 3)
    blocks = -(-inputs // block)
    operands = [Given(r.floats(2, inputs)), Known(r.bytes(np.uint8, outputs, blocks, block * bits // 8)), Known(r.floats(outputs * blocks))]
    if r.chance(0.5):
        operands.append(Known(r.bytes(np.uint8, outputs * ((blocks * bits + 7) // 8))))
    return Case("MatMulNBits", operands, {"K": inputs, "N": outputs, "bits": bits, "block_size": block}, domain=MICROSOFT)


def quantised_sum(r):
    kind = r.one(np.uint8, np.int8)
    scales = [Known(np.float32(x)) for x in (0.02, 0.013, 0.03)]
    a, b = Given(r.bytes(kind, 2, 3, 4)), Given(r.bytes(kind, *r.one((2, 3, 4), (4,), (3, 1))))
    operands = [a, scales[0], Known(kind(3)), b, scales[1], Known(kind(7)), scales[2], Known(kind(9))]
    return Case(r.one("QLinearAdd", "QLinearMul"), operands, domain=MICROSOFT, off_by=1)


def quantised_function(r):
    kind = r.one(np.uint8, np.int8)
    name = r.one("QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "QLinearAveragePool", "QLinearGlobalAveragePool")
    attributes, version = {}, 20
    scales = [r.operand(np.float32(0.05)), Known(np.float32(1 / 255 if name in ("QLinearSigmoid", "QLinearSoftmax") else 0.06))]
    if name == "QLinearSoftmax":
        attributes = {"axis": r.integer(0, 3), "opset": r.one(12, 13)}
    if name == "QLinearAveragePool":
        attributes = {"kernel_shape": [2, 3], "strides": [1, 2], "ceil_mode": r.integer(0, 1)}
    if name.endswith("AveragePool"):
        attributes["channels_last"] = r.integer(0, 1)
    operands = [Given(r.bytes(kind, 2, 6, 5, 7)), scales[0], Known(kind(3)), scales[1], Known(kind(np.iinfo(kind).min))]
    return Case(name, operands, attributes, version=version, domain=MICROSOFT, off_by=1)


def quantised_joint(r):
    kind, name = r.one(np.uint8, np.int8), r.one("QLinearConcat", "QLinearWhere")
    a = [Given(r.bytes(kind, 2, 3)), Known(np.float32(0.02)), Known(kind(3))]
    b = [Given(r.bytes(kind, 2, 3)), Known(np.float32(0.013)), Known(kind(7))]
    result = [Known(np.float32(0.03)), Known(kind(9))]
    if name == "QLinearWhere":
        return Case(name, [Given(r.numbers.random((2, 3)) < 0.5), *a, *b, *result], domain=MICROSOFT, off_by=1)
    return Case(name, [*result, *a, *b], {"axis": r.integer(-2, 1)}, domain=MICROSOFT, off_by=1)


def dynamic_product(r):
    m, k, n = r.extents(3, 1, 6)
    of_weights = r.one(np.uint8, np.int8)
    weights, scale = Known(r.bytes(of_weights, k, n)), Known(np.float32(0.013))
    zero, bias = r.one(None, Known(of_weights(9))), r.one(None, Known(r.floats(n)))
    if r.chance(0.5):
        return Case("DynamicQuantizeMatMul", [Given(r.floats(m, k)), weights, scale, zero, bias], domain=MICROSOFT)
    operands = [Given(r.bytes(np.uint8, m, k)), weights, Given(np.float32(0.02)), scale, Known(np.uint8(4)), zero, bias]
    return Case("MatMulIntegerToFloat", operands, domain=MICROSOFT)


def rotary_microsoft(r):
    batch, steps, heads, depth = r.integer(1, 2), r.integer(1, 4), r.integer(1, 3), 2 * r.integer(1, 4)
    positions = r.one(np.array([r.integer(0, 5)]), r.numbers.integers(0, 10, (batch, steps))).astype(np.int64)
    x = r.floats(batch, steps, heads * depth) if r.chance(0.5) else r.floats(batch, heads, steps, depth)
    operands = [Given(x), Given(positions), Known(r.floats(10, depth // 2)), Known(r.floats(10, depth // 2))]
    return Case("RotaryEmbedding", operands, {"interleaved": r.integer(0, 1)}, domain=MICROSOFT)


def quantised_gemm(r):
    kind, swapped, (m, k, n) = r.one(np.uint8, np.int8), r.integer(0, 1), r.extents(3, 1, 5)
    operands = [Given(r.bytes(kind, m, k)), Known(np.float32(0.02)), Known(kind(3)), Known(r.bytes(kind, *((n, k) if swapped else (k, n)))),
                Known(np.float32(0.013)), Known(kind(7)), Known(r.numbers.integers(-500, 500, n).astype(np.int32))]
    if r.chance(0.7):
        operands += [Known(np.float32(0.08)), Known(kind(9))]
    return Case("QGemm", operands, {"transB": swapped}, domain=MICROSOFT, off_by=1)


def half_floats(r):
    case = r.one(conv, gemm, matmul, normalisation, activation)(r)
    for operand in case.operands:
        operand.array = operand.array.astype(np.float16)
    case.tolerance = 5e-3
    return case


GROUPS = [conv, conv_transpose, pool, global_pool, gemm, matmul, einsum, normalisation, activation, resize, grid_sample, roi_align,
          recurrent, quantise, quantise_ties, quantise_dynamic, quantised_convolution, quantised_matmul, attention, rotary,
          fused_product, fused_convolution, gelu, skip_normalisation, embedding, multi_head_attention, projected_attention,
          packed_weights, quantised_sum, quantised_function, quantised_joint, dynamic_product, rotary_microsoft, quantised_gemm,
          half_floats]


def model_of(case):
    while case.operands[-1] is None:
        case.operands.pop()
    inputs, constants, names, given = [], [], [], {}
    for i, operand in enumerate(case.operands):
        names.append("" if operand is None else f"i{i}")
        if isinstance(operand, Known):
            constants.append(numpy_helper.from_array(operand.array, names[-1]))
        elif operand is not None:
            kind = helper.np_dtype_to_tensor_dtype(operand.array.dtype)
            inputs.append(helper.make_tensor_value_info(names[-1], kind, operand.array.shape))
            given[names[-1]] = operand.array
    named = ["" if i in case.unused else f"o{i}" for i in range(case.results)]
    node = helper.make_node(case.kind, names, named, domain=case.domain, **case.attributes)
    results = [name for name in named if name]
    graph = helper.make_graph([node], "g", inputs, [helper.make_empty_tensor_value_info(name) for name in results], constants)
    sets = [helper.make_opsetid("", case.version)] + ([helper.make_opsetid(case.domain, 1)] if case.domain else [])
    return helper.make_model(graph, opset_imports=sets, ir_version=10), given, results


def differences(actual, expected, case):
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{actual.dtype}{actual.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "biu":
        wrong = np.abs(actual.astype(np.int64) - expected.astype(np.int64)) > case.off_by
    else:
        finite = np.where(np.isfinite(expected), np.abs(expected), 0).astype(np.float64)
        largest = max(1e-3, finite.max()) if finite.size else 1
        wrong = ~np.isclose(actual.astype(np.float64), expected.astype(np.float64), rtol=case.tolerance,
                            atol=case.tolerance * largest, equal_nan=True)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements differ, {list(at)} is {actual[at]} instead of {expected[at]}"


def run_case(arguments, case):
    """Why the case fails; None if ONNX Runtime has no kernel for it."""
    model, given, results = model_of(case)
    try:
        expected = session(model).run(results, given)
    except Exception:
        return None
    try:
        made = run_slipway(arguments, model, given)
    except RuntimeError as error:
        return str(error)
    for name, array in zip(results, expected):
        why = differences(made[name], np.asarray(array), case)
        if why:
            return f"{name}: {why}"
    return ""


def main():
    arguments = options(count=4).parse_args()
    passed, failed, skipped = 0, 0, 0
    for group in GROUPS:
        if arguments.filter not in group.__name__:
            continue
        for i in range(arguments.count):
            case = group(Random([arguments.seed, i, sum(group.__name__.encode())]))
            why = None if case is None else run_case(arguments, case)
            if why is None:
                skipped += 1
            elif why:
                failed += 1
                shapes = [None if x is None else (x.array.dtype.name, x.array.shape) for x in case.operands]
                print(f"{group.__name__} {i}: {case.kind} {case.attributes} of {shapes}: {why}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
