# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of make_networks in PyTorch, built from their lists of layers; floats only."""
import json

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Layers(nn.Module):
    """Activations are NCHW in shape and channels-last in memory, the fastest order for cuDNN."""

    def __init__(self, path, type=None):
        """`type`: another type than that of the network."""
        super().__init__()
        network = json.loads(path.read_text())
        self.layers = network["layers"]
        self.type = type or (torch.float16 if network["precision"] == "fp16" else torch.float32)
        data = path.with_suffix(".weights").read_bytes()
        for i, layer in enumerate(self.layers):
            if "weights" not in layer:
                continue
            numbers = self.array(data, layer["weights"], np.int8, layer["weights_shape"])
            axis = 0
            if layer.get("depthwise"):
                numbers = numbers.transpose(2, 3, 0, 1)
            elif layer["kind"] == "convolution":
                numbers = numbers.transpose(0, 3, 1, 2)
            else:
                axis = 1
            scales = self.array(data, layer["scales"], np.float32, [numbers.shape[axis]])
            weights = numbers * scales.reshape([-1 if d == axis else 1 for d in range(numbers.ndim)])
            if axis:
                weights = weights.T
            bias = self.array(data, layer["bias"], np.float32, [len(scales)])
            self.register_parameter(f"weights{i}", self.parameter(weights))
            self.register_parameter(f"bias{i}", self.parameter(bias))

    @staticmethod
    def array(data, at, type, shape):
        return np.frombuffer(data, type, int(np.prod(shape)), at).reshape(shape)

    def parameter(self, array):
        value = torch.tensor(np.ascontiguousarray(array), dtype=self.type)
        if value.ndim == 4:
            value = value.contiguous(memory_format=torch.channels_last)
        return nn.Parameter(value, requires_grad=False)

    def forward(self, x):
        values = []
        for i, layer in enumerate(self.layers):
            kind = layer["kind"]
            if kind != "input":
                source = [values[k] for k in layer["inputs"]]
                x = getattr(self, kind)(i, layer, *source)
            values.append(x)
        return values[-1]

    # --- layers ---

    @staticmethod
    def activated(layer, x):
        activation = layer.get("activation", "none")
        if activation == "relu":
            return functional.relu(x)
        return functional.relu6(x) if activation == "relu6" else x

    def convolution(self, i, layer, x):
        top, left, bottom, right = layer["pads"]
        if (top, left) != (bottom, right):
            x = functional.pad(x, (left, right, top, bottom))
            top = left = 0
        bias = getattr(self, f"bias{i}")
        groups = bias.numel() if layer["depthwise"] else 1
        x = functional.conv2d(x, getattr(self, f"weights{i}"), bias, layer["stride"], (top, left), 1, groups)
        return self.activated(layer, x)

    def sum(self, _, layer, x, y):
        return self.activated(layer, x + y)

    def max_pool(self, _, layer, x):
        top, left, bottom, right = layer["pads"]
        if (top, left) != (bottom, right):
            x = functional.pad(x, (left, right, top, bottom), value=float("-inf"))
            top = left = 0
        return functional.max_pool2d(x, layer["kernel"], layer["stride"], (top, left))

    def average(self, _, layer, x):
        return functional.adaptive_avg_pool2d(x, 1)

    def linear(self, i, layer, x):
        return functional.linear(x, getattr(self, f"weights{i}"), getattr(self, f"bias{i}"))

    def layer_norm(self, _, layer, x):
        return functional.layer_norm(x, [layer["shape"][-1]], eps=1e-5)

    def gelu(self, _, layer, x):
        return functional.gelu(x)

    def attention(self, _, layer, x):
        batch, length, channels = layer["shape"]
        heads = layer["heads"]
        q, k, v = x.reshape(batch, length, 3, heads, channels // heads).permute(2, 0, 3, 1, 4)
        return functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, channels)
