#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the import of ONNX models: import.py --build DIRECTORY

The time and the peak memory of importing a large model, compared with reading its file, and the times of runs of MobileNetV2 and
ResNet-50 from ONNX, compared with the same networks as graphs that were written for Slipway. Each alternates with what it is compared
with; times of imports are the minimum, times of runs the median.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from process import Process

# Of the time of reading the file; MB beyond its size; of the time of the other graph.
MOST_TIME, MOST_MEMORY, MOST_RUN = 1.3, 60, 1.03

MAKE_LARGE = """
import sys
import numpy, onnx
from onnx import helper, numpy_helper
kind, megabytes, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
width = 1024
shape = {"matrices": (width, width), "convolutions": (width, width, 3, 3)}[kind]
count = megabytes * 2**20 // (4 * int(numpy.prod(shape)))
names = ["x"] + [f"t{i}" for i in range(count)]
nodes, weights = [], []
numbers = numpy.random.default_rng(1)
for i in range(count):
    array = numbers.random(shape, numpy.float32)
    weights.append(numpy_helper.from_array(array, f"w{i}"))
    options = {"pads": [1, 1, 1, 1]} if kind == "convolutions" else {}
    nodes.append(helper.make_node("Conv" if options else "MatMul", [names[i], f"w{i}"], [names[i + 1]], **options))
sides = [1, width, 8, 8] if kind == "convolutions" else [1, width]
value = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, sides)
graph = helper.make_graph(nodes, "large", [value("x")], [value(names[-1])], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
"""
READ = "import sys\nfile = open(sys.argv[1], 'rb', 0)\nbuffer = bytearray(1 << 20)\nwhile file.readinto(buffer): pass"


def quietly(*command):
    done = subprocess.run([str(word) for word in command], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)


class Rows:
    def __init__(self):
        self.missed = False

    def add(self, name, value, limit, unit):
        ok = value <= limit
        self.missed |= not ok
        print(f"{name:60} {value:8.2f} {unit:3} limit {limit:.6g} {'ok' if ok else 'TOO MUCH'}", flush=True)


def large_models(slipway, directory, options, rows):
    environment = dict(os.environ)
    for kind in ("matrices", "convolutions"):
        path = directory / f"{kind}.onnx"
        quietly(sys.executable, "-c", MAKE_LARGE, kind, options.megabytes, path)
        size = path.stat().st_size / 2**20
        start = Process([sys.executable, "-c", "pass"], environment).ms
        ours, reads = [], []
        for _ in range(options.runs):
            ours.append(Process([slipway, "check", path], environment))
            reads.append(Process([sys.executable, "-c", READ, path], environment).ms - start)
        best, read, peak = min(run.ms for run in ours), min(reads), max(run.peak_mb for run in ours)
        print(f"{kind}: {size:.0f} MB, import {best:.0f} ms, reading {read:.0f} ms, peak {peak:.0f} MB")
        rows.add(f"{kind}: import / reading", best / read, MOST_TIME, "x")
        rows.add(f"{kind}: peak memory beyond the file", peak - size, MOST_MEMORY, "MB")
        path.unlink()


class Runs:
    def __init__(self, slipway, model, input_name, array, environment, directory):
        self.directory, self.times, self.environment = directory, [], environment
        directory.mkdir()
        np.save(directory / "input.npy", array)
        self.command = [slipway, "run", model, "--input", f"{input_name}={directory / 'input.npy'}", "--device", "cpu", "--threads", "1"]

    def run(self, repeat):
        counters = self.directory / "counters.json"
        Process([*self.command, "--repeat", repeat, "--perf-counters-dump-path", counters], self.environment)
        iterations = {}
        for counter in json.loads(counters.read_text())["Run Scenario"]["counters"]:
            what, _, iteration = counter["name"].partition(" Iteration: ")
            if what in ("Submit Commands.", "Wait for Fence."):
                iterations[iteration] = iterations.get(iteration, 0) + counter["value"] / 1e3
        self.times += list(iterations.values())[2:]  # the first two warm up

    def result(self):
        Process([*self.command, "--output", self.directory / "out"], self.environment)
        return np.load(next((self.directory / "out").glob("*.npy")))


def network(build, directory, options, rows):
    for name in ("mobilenet_v2.fp32", "mobilenet_v2.int8", "resnet_50.fp32", "resnet_50.int8"):
        precision = name.rpartition(".")[2]
        quietly(build / "bin/make_networks", directory, 1, name)
        path = directory / f"{name}.json"
        quietly(sys.executable, pathlib.Path(__file__).parent / "onnx_networks.py", path)
        layer = json.loads(path.read_text())["layers"][0]
        random = np.random.default_rng(1)
        image = (random.integers(-127, 128, layer["shape"], np.int8) if precision == "int8"
                 else random.uniform(-1, 1, layer["shape"]).astype(np.float32))
        environment = dict(os.environ, XDG_CACHE_HOME=str(directory / "cache"))
        slipway = build / "bin/slipway"
        both = [Runs(slipway, path.with_suffix(".vgf"), layer["name"], image, environment, directory / f"{name}.vgf_run"),
                Runs(slipway, path.with_suffix(".onnx"), layer["name"], np.ascontiguousarray(image.transpose(0, 3, 1, 2)), environment,
                     directory / f"{name}.onnx_run")]
        written, imported = (one.result().astype(np.float64).reshape(-1) for one in both)
        for _ in range(options.rounds):
            for one in both:
                one.run(options.repeat)
        times = [statistics.median(one.times) for one in both]
        difference = np.abs(written - imported).max() / np.abs(written).max()
        print(f"{name}: written graph {times[0]:.2f} ms, from ONNX {times[1]:.2f} ms, results differ by {difference:.2g} of the largest")
        rows.add(f"{name}: from ONNX / written graph", times[1] / times[0], MOST_RUN, "x")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=7, help="imports of each large model")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of runs of the network")
    parser.add_argument("--repeat", type=int, default=40, help="runs in each round")
    parser.add_argument("--megabytes", type=int, default=500, help="of weights of a large model")
    options = parser.parse_args()
    rows = Rows()
    with tempfile.TemporaryDirectory() as name:
        large_models(options.build / "bin/slipway", pathlib.Path(name), options, rows)
        network(options.build, pathlib.Path(name), options, rows)
    return 1 if rows.missed else 0


if __name__ == "__main__":
    sys.exit(main())
