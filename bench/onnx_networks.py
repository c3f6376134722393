# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""onnx_networks.py LAYERS.json...: writes networks of make_networks as ONNX, each beside its list of layers.

8-bit networks have the form that ONNX's tools write: operators on floats, each between a DequantizeLinear and a
QuantizeLinear. The runtime fuses these to operators on integers. They are written twice: NAME.onnx has the signed
activations of the network, NAME.unsigned.onnx the same numbers plus 128 as unsigned ones.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    def __init__(self, path, unsigned=False):
        self.unsigned = unsigned
        self.network = json.loads(path.read_text())
        self.data = path.with_suffix(".weights").read_bytes()
        self.integer = self.network["precision"] == "int8"
        self.type = np.float16 if self.network["precision"] == "fp16" else np.float32
        self.nodes, self.constants, self.inputs = [], [], []
        self.names = 0
        # The results of each layer: the name of the floats, and of the integers or None.
        self.floats, self.integers = [], []

    def build(self):
        for layer in self.network["layers"]:
            getattr(self, layer["kind"])(layer)
        last = self.network["layers"][-1]
        shape = nchw_shape(last["shape"])
        name, kind = (self.integers[-1], self.activations()) if "scale" in last else (self.floats[-1], float_kind(self.type))
        output = helper.make_tensor_value_info(name, kind, shape)
        graph = helper.make_graph(self.nodes, self.network["name"], self.inputs, [output], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)

    # --- parts ---

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def constant(self, array):
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def add(self, op, *inputs, **attributes):
        name = self.name()
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def array(self, at, type, shape):
        count = int(np.prod(shape))
        return np.frombuffer(self.data, type, count, at).reshape(shape)

    def activations(self):
        return TensorProto.UINT8 if self.unsigned else TensorProto.INT8

    def zero(self, number):
        return self.constant(np.uint8(number + 128) if self.unsigned else np.int8(number))

    def quantized(self, x, scale, zero):
        return self.add("QuantizeLinear", x, self.constant(np.float32(scale)), self.zero(zero))

    def dequantized(self, x, scale, zero):
        return self.add("DequantizeLinear", x, self.constant(np.float32(scale)), self.zero(zero))

    def weights(self, layer, axis):
        """The name of a layer's weights, and the scales of their channels, which are along `axis`."""
        numbers = self.array(layer["weights"], np.int8, layer["weights_shape"])
        if layer.get("depthwise"):
            numbers = numbers.transpose(2, 3, 0, 1)
        elif layer["kind"] == "convolution":
            numbers = numbers.transpose(0, 3, 1, 2)
        channels = numbers.shape[axis]
        scales = self.array(layer["scales"], np.float32, [channels])
        if self.integer:
            zeros = self.constant(np.zeros(channels, np.int8))
            return self.add("DequantizeLinear", self.constant(numbers), self.constant(scales), zeros, axis=axis), scales
        along = scales.reshape([-1 if d == axis else 1 for d in range(numbers.ndim)])
        return self.constant((numbers * along).astype(self.type)), scales

    def finish(self, layer, x):
        if "scale" in layer:
            integers = self.quantized(x, layer["scale"], layer["zero"])
            self.integers.append(integers)
            self.floats.append(self.dequantized(integers, layer["scale"], layer["zero"]))
        else:
            self.integers.append(None)
            self.floats.append(x)

    def activated(self, layer, x):
        # The range of 8-bit activations is already the range of the activation function.
        if "scale" in layer or layer["activation"] == "none":
            return x
        if layer["activation"] == "relu":
            return self.add("Relu", x)
        return self.add("Clip", x, self.constant(self.type(0)), self.constant(self.type(6)))

    def source(self, layer, i=0):
        return self.floats[layer["inputs"][i]]

    # --- layers ---

    def input(self, layer):
        kind = self.activations() if "scale" in layer else float_kind(self.type)
        self.inputs.append(helper.make_tensor_value_info(layer["name"], kind, nchw_shape(layer["shape"])))
        if "scale" in layer:
            self.integers.append(layer["name"])
            self.floats.append(self.dequantized(layer["name"], layer["scale"], layer["zero"]))
        else:
            self.integers.append(None)
            self.floats.append(layer["name"])

    def convolution(self, layer):
        weights, scales = self.weights(layer, 0)
        channels = len(scales)
        bias = self.array(layer["bias"], np.float32, [channels])
        if self.integer:
            scale = np.float32(self.network["layers"][layer["inputs"][0]]["scale"]) * scales
            numbers = self.constant(np.rint(bias / scale).astype(np.int32))
            bias = self.add("DequantizeLinear", numbers, self.constant(scale), self.constant(np.zeros(channels, np.int32)), axis=0)
        else:
            bias = self.constant(bias.astype(self.type))
        kernel, stride = [layer["kernel"]] * 2, [layer["stride"]] * 2
        group = channels if layer["depthwise"] else 1
        x = self.add("Conv", self.source(layer), weights, bias, kernel_shape=kernel, strides=stride, pads=layer["pads"], group=group)
        self.finish(layer, self.activated(layer, x))

    def sum(self, layer):
        x = self.add("Add", self.source(layer, 0), self.source(layer, 1))
        self.finish(layer, self.activated(layer, x) if "activation" in layer else x)

    def max_pool(self, layer):
        kernel, stride = [layer["kernel"]] * 2, [layer["stride"]] * 2
        self.finish(layer, self.add("MaxPool", self.source(layer), kernel_shape=kernel, strides=stride, pads=layer["pads"]))

    def average(self, layer):
        self.finish(layer, self.add("GlobalAveragePool", self.source(layer)))

    def linear(self, layer):
        x = self.source(layer)
        if self.integer:
            x = self.dequantized(self.quantized(x, layer["input_scale"], 0), layer["input_scale"], 0)
        weights, scales = self.weights(layer, 1)
        bias = self.array(layer["bias"], np.float32, [len(scales)])
        self.finish(layer, self.add("Add", self.add("MatMul", x, weights), self.constant(bias.astype(self.type))))

    def layer_norm(self, layer):
        channels = layer["shape"][-1]
        ones = self.constant(np.ones(channels, self.type))
        self.finish(layer, self.add("LayerNormalization", self.source(layer), ones, epsilon=1e-5))

    def gelu(self, layer):
        x = self.source(layer)
        erf = self.add("Erf", self.add("Mul", x, self.constant(self.type(np.sqrt(0.5)))))
        half = self.add("Mul", x, self.constant(self.type(0.5)))
        self.finish(layer, self.add("Mul", half, self.add("Add", erf, self.constant(self.type(1)))))

    def attention(self, layer):
        batch, length, channels = layer["shape"]
        heads = layer["heads"]
        width = channels // heads
        apart = self.constant(np.array([batch, length, 3, heads, width], np.int64))
        turned = self.add("Transpose", self.add("Reshape", self.source(layer), apart), perm=[2, 0, 3, 1, 4])
        q, k, v = (self.add("Gather", turned, self.constant(np.int64(i)), axis=0) for i in range(3))
        scores = self.add("MatMul", q, self.add("Transpose", k, perm=[0, 1, 3, 2]))
        shares = self.add("Softmax", self.add("Mul", scores, self.constant(self.type(1 / np.sqrt(width)))), axis=-1)
        mixed = self.add("Transpose", self.add("MatMul", shares, v), perm=[0, 2, 1, 3])
        self.finish(layer, self.add("Reshape", mixed, self.constant(np.array([batch, length, channels], np.int64))))


def float_kind(type):
    return TensorProto.FLOAT16 if type == np.float16 else TensorProto.FLOAT


def nchw_shape(shape):
    return [shape[0], shape[3], shape[1], shape[2]] if len(shape) == 4 else shape


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        path = pathlib.Path(argument)
        onnx.save(Builder(path).build(), path.with_suffix(".onnx"))
        if path.stem.endswith("int8"):
            onnx.save(Builder(path, unsigned=True).build(), path.with_suffix(".unsigned.onnx"))
