# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of random ONNX models share: random numbers, and runs of a model in ONNX Runtime and in Slipway."""
import argparse
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError:
    print("the packages numpy, onnx and onnxruntime are missing")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

onnxruntime.set_default_logger_severity(4)


class Random:
    def __init__(self, seed):
        self.numbers = np.random.default_rng(seed)

    def integer(self, low, high):
        return int(self.numbers.integers(low, high + 1))

    def chance(self, share):
        return self.numbers.random() < share

    def one(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def floats(self, *shape):
        return self.numbers.standard_normal(shape).astype(np.float32)

    def bytes(self, kind, *shape):
        limits = np.iinfo(kind)
        return self.numbers.integers(limits.min, limits.max + 1, shape).astype(kind)


def options(count):
    """`count`: of cases, without --count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("slipway")
    parser.add_argument("--filter", default="")
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--device", default="cpu")
    return parser


def session(model):
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])


def run_slipway(arguments, model, inputs):
    """The results by name. Raises RuntimeError if the run fails."""
    with tempfile.TemporaryDirectory() as directory:
        file, archive, output = (os.path.join(directory, name) for name in ("model.onnx", "in.npz", "out.npz"))
        onnx.save(model, file)
        np.savez(archive, **inputs)
        done = subprocess.run([arguments.slipway, "run", file, "--inputs", archive, "--output", output, "--engine", arguments.engine,
                               "--device", arguments.device, "--no-cache"], capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode}: {done.stderr[-400:]}")
        return dict(np.load(output))
