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

from networks import Ours, difference, make_inputs, median_and_spread, run_in_turns

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


class OursInBf16(Ours):
    def __init__(self, slipway, path, arrays, environment, threads):
        directory = path.with_suffix(".inputs")
        super().__init__(slipway, path.with_suffix(".onnx"), directory, environment, "cpu", threads)
        named = []
        for name, array in arrays.items():
            np.save(directory / f"{name}.npy", array.transpose(0, 3, 1, 2) if array.ndim == 4 else array)
            named += ["--input", f"{name}={directory / name}.npy"]
        self.command = [slipway, "run", path.with_suffix(".onnx"), *named, "--device", "cpu", "--threads", str(threads)]

    def result(self):
        out = self.directory / "out"
        subprocess.run([*map(str, self.command), "--output", out], check=True, env=self.environment, stdout=subprocess.DEVNULL)
        return np.load(next(out.glob("*.npy")))


class TorchInBf16:
    def __init__(self, path, arrays, threads):
        torch.set_num_threads(threads)
        self.network = Layers(path, torch.bfloat16)
        [x] = arrays.values()
        self.x = torch.tensor(x.transpose(0, 3, 1, 2) if x.ndim == 4 else x)
        if x.ndim == 4:
            self.x = self.x.contiguous(memory_format=torch.channels_last)
        with torch.inference_mode():
            traced = torch.jit.trace(self.network, self.x.bfloat16())
            self.traced = torch.jit.freeze(traced.eval())
        self.times = []

    def run(self, repeat):
        from time import perf_counter

        with torch.inference_mode():
            for i in range(repeat):
                start = perf_counter()
                self.traced(self.x.bfloat16()).float()
                if i >= 2:
                    self.times.append((perf_counter() - start) * 1e3)

    def result(self):
        with torch.inference_mode():
            return self.traced(self.x.bfloat16()).float().numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=400, help="the approximate time of each in a round")
    parser.add_argument("--threads", default="1,2", help="counts of threads (1,2)")
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
    with tempfile.TemporaryDirectory() as name:
        whole = pathlib.Path(name)
        environment = dict(os.environ, XDG_CACHE_HOME=str(whole / "cache"))
        subprocess.run([options.build / "bin/make_networks", whole, "1"], check=True, stdout=subprocess.DEVNULL)
        networks = sorted(whole.glob("*.fp32.json"))
        here = pathlib.Path(__file__).parent
        subprocess.run([sys.executable, here / "onnx_networks.py", *networks], check=True, stderr=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-c", CONVERT, *(path.with_suffix(".onnx") for path in networks)], check=True)
        print(f"PyTorch {torch.__version__}; medians in ms")
        print(f"{'network':20} {'threads':>7} {'ours':>10} {'spread':>6} {'theirs':>10} {'spread':>6} {'ratio':>6} {'must':>5} {'difference':>10}")
        for path in networks:
            directory = path.with_suffix(".inputs")
            directory.mkdir()
            arrays = make_inputs(json.loads(path.read_text()), directory, 1)
            for threads in map(int, options.threads.split(",")):
                both = [OursInBf16(slipway, path, arrays, environment, threads), TorchInBf16(path, arrays, threads)]
                results = [one.result() for one in both]
                run_in_turns(both, options, 3, 2)
                (ours, our_spread), (theirs, their_spread) = (median_and_spread(one.times) for one in both)
                ok = theirs / ours >= MUST
                missed |= not ok
                print(f"{path.stem.replace('fp32', 'bf16'):20} {threads:7} {ours:10.2f} {our_spread:6.0%} {theirs:10.2f} {their_spread:6.0%} "
                      f"{theirs / ours:6.2f} {MUST:5.2f} {difference(*results):10.2g} {'ok' if ok else 'MISSED'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
