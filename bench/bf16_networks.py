# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares networks in bfloat16 on the CPU engine and in PyTorch (oneDNN): bf16_networks.py --build DIRECTORY

MobileNetV2, ResNet-50 and a block of a transformer, with the same weights. The engine reads the networks of make_networks in 32-bit
floats as ONNX with all types changed to bfloat16, between a conversion of the inputs and one of the result; PyTorch converts them,
too. Where the CPU has no products of bfloat16 in tiles (AMX-BF16), neither is fast, and nothing is measured without --any-cpu.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from networks import RATIO_HEADER, Theirs, add_options, difference, make_inputs, print_ratio
from onnx_models import OursOfFile
from process import Process

try:
    import torch

    from torch_networks import Layers
except ImportError:
    torch = None

MUST = 1.0  # of PyTorch's speed

CONVERT = """
import sys, onnx
from onnx import TensorProto, helper, numpy_helper
for path in sys.argv[1:]:
    model = onnx.load(path)
    graph = model.graph
    narrow = lambda name: name + "_narrow"
    inputs, result = {one.name for one in graph.input}, graph.output[0].name
    for one in graph.initializer:
        if one.data_type == TensorProto.FLOAT:
            numbers = numpy_helper.to_array(one)
            one.CopyFrom(helper.make_tensor(one.name, TensorProto.BFLOAT16, numbers.shape, numbers.flatten()))
    for node in graph.node:
        node.input[:] = [narrow(name) if name in inputs else name for name in node.input]
        node.output[:] = [narrow(name) if name == result else name for name in node.output]
    before = [helper.make_node("Cast", [name], [narrow(name)], to=TensorProto.BFLOAT16) for name in sorted(inputs)]
    nodes = before + list(graph.node) + [helper.make_node("Cast", [narrow(result)], [result], to=TensorProto.FLOAT)]
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    onnx.save(model, path)
"""


class OursInBf16(OursOfFile):
    def result(self):
        out = self.directory / "out"
        Process([*self.command, "--output", out], self.environment)
        return np.load(next(out.glob("*.npy")))


class TorchInBf16(Theirs):
    def __init__(self, path, array, threads):
        torch.set_num_threads(threads)
        self.input = torch.tensor(array)
        if array.ndim == 4:
            self.input = self.input.contiguous(memory_format=torch.channels_last)
        with torch.inference_mode():
            self.network = torch.jit.freeze(torch.jit.trace(Layers(path, torch.bfloat16), self.input.bfloat16()).eval())
        self.times = []

    def once(self):
        with torch.inference_mode():
            return self.network(self.input.bfloat16()).float()

    def result(self):
        return self.once().numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 400)
    parser.add_argument("--any-cpu", action="store_true", help="also without AMX-BF16")
    options, _ = parser.parse_known_args()
    if not options.any_cpu and " amx_bf16" not in pathlib.Path("/proc/cpuinfo").read_text():
        print("bf16_networks: skipped, because this CPU has no AMX-BF16")
        return 0
    if not torch:
        print("bf16_networks: skipped, because PyTorch was not found")
        return 0
    slipway = options.build / "bin/slipway"
    missed = False
    with tempfile.TemporaryDirectory() as scratch:
        whole = pathlib.Path(scratch)
        environment = dict(os.environ, XDG_CACHE_HOME=str(whole / "cache"))
        subprocess.run([options.build / "bin/make_networks", whole, "1"], check=True, stdout=subprocess.DEVNULL)
        networks = sorted(whole.glob("*.fp32.json"))
        here = pathlib.Path(__file__).parent
        subprocess.run([sys.executable, here / "onnx_networks.py", *networks], check=True, stderr=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-c", CONVERT, *(path.with_suffix(".onnx") for path in networks)], check=True)
        print(f"PyTorch {torch.__version__}; medians in ms")
        print(f"{RATIO_HEADER}        difference")
        for path in networks:
            directory = path.with_suffix(".inputs")
            directory.mkdir()
            [(name, x)] = make_inputs(json.loads(path.read_text()), directory, 1).items()
            x = np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4 else x
            np.save(directory / f"{name}.npy", x)
            for threads in map(int, options.threads.split(",")):
                both = [OursInBf16(slipway, path.with_suffix(".onnx"), {name: f"{name}.npy"}, directory, environment, threads), TorchInBf16(path, x, threads)]
                differs = difference(*(one.result() for one in both))
                missed |= not print_ratio(path.stem.replace("fp32", "bf16"), threads, both, options, MUST, f" {differs:10.2g}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
