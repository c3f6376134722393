# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares whole networks in Slipway and in ONNX Runtime: networks.py --build DIRECTORY [--keep DIRECTORY]

MobileNetV2, ResNet-50 and a block of a transformer in 32-bit and 16-bit floats and 8-bit integers, with the same weights
and inputs, on the CPU engine and, with --vulkan, on the Vulkan driver for CPUs. 8-bit networks run in ONNX Runtime with
signed activations, as here, and with unsigned ones. In each of several rounds, first one runs a few times, then the next.
Times are those of whole runs, from submission to the end. The spread is the interquartile range, as a fraction of the
median. The variable SLIPWAY_CPU_LEVEL limits the instructions of the CPU engine, which the first line names; ONNX Runtime uses
all that the CPU has.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from process import Process


@contextlib.contextmanager
def quiet():
    """Hides what libraries write to the standard error stream; they register operators twice, with a line for each."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


try:
    with quiet():
        import onnxruntime
except ImportError:
    sys.exit("networks: ONNX Runtime is not installed; nothing to compare with")

# The minimum ratios of the CPU engine's speed to that of ONNX Runtime, in its faster form, by medians, for one image or sequence
# (docs/design/cpu_engine.md).
GOALS = {"fp32": 1.05, "fp16": 1.05, "int8": 1.0}
MOST_COLD_MS, MOST_WARM_MS = 2500, 120  # of a whole process that runs MobileNetV2 in 32-bit floats


class Ours:
    def __init__(self, slipway, model, inputs, environment, device, threads):
        self.command = [slipway, "run", model, "--inputs", inputs, "--device", device, "--threads", str(threads)]
        self.directory = inputs
        self.environment = environment
        self.times = []

    def run(self, repeat):
        counters = self.directory / "counters.json"
        Process([*self.command, "--repeat", str(repeat), "--perf-counters-dump-path", counters], self.environment)
        iterations = {}
        for counter in json.loads(counters.read_text())["Run Scenario"]["counters"]:
            what, _, iteration = counter["name"].partition(" Iteration: ")
            if what in ("Submit Commands.", "Wait for Fence."):
                iterations[iteration] = iterations.get(iteration, 0) + counter["value"] / 1e3
        # The first two runs only warm up.
        self.times += list(iterations.values())[2:]

    def result(self):
        out = self.directory / "out"
        Process([*self.command, "--output", out], self.environment)
        return np.load(out / "result.npy")


class Theirs:
    def __init__(self, path, inputs, threads, unsigned=False):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        file = path.with_suffix(".unsigned.onnx" if unsigned else ".onnx")
        with quiet():
            self.session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        if unsigned:
            inputs = {name: (x.astype(np.int16) + 128).astype(np.uint8) if x.dtype == np.int8 else x for name, x in inputs.items()}
        self.inputs = {name: np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4 else x for name, x in inputs.items()}
        self.times = []

    def once(self):
        return self.session.run(None, self.inputs)

    def run(self, repeat):
        from time import perf_counter

        for i in range(repeat):
            start = perf_counter()
            self.once()
            if i >= 2:
                self.times.append((perf_counter() - start) * 1e3)

    def result(self):
        x = self.once()[0]
        return x.transpose(0, 2, 3, 1) if x.ndim == 4 else x


def make_inputs(network, directory, seed):
    """Writes random numbers for the inputs of a network to files, and returns them as arrays by name."""
    random = np.random.default_rng(seed)
    types = {"fp32": np.float32, "fp16": np.float16}
    inputs = {}
    for layer in network["layers"]:
        if layer["kind"] != "input":
            continue
        if "scale" in layer:
            x = random.integers(-127, 128, layer["shape"], np.int8)
        else:
            x = random.uniform(-1, 1, layer["shape"]).astype(types.get(network["precision"], np.float32))
        np.save(directory / f"{layer['name']}.npy", x)
        inputs[layer["name"]] = x
    return inputs


def difference(ours, theirs):
    """The maximum difference: relative to the largest result for floats, absolute for integers."""
    if ours.dtype == np.int8:
        return float(np.abs(ours.astype(int) - theirs.astype(int)).max())
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def median_and_spread(times):
    low, median, high = np.percentile(times, [25, 50, 75])
    return median, (high - low) / median


def process_times(slipway, model, inputs, directory):
    """The minimum milliseconds of a whole process, with cold and with warm caches."""
    cold, warm = [], []
    for i in range(3):
        cache = directory / f"cache_{model.stem}_{i}"
        shutil.rmtree(cache, ignore_errors=True)
        environment = dict(os.environ, XDG_CACHE_HOME=str(cache))
        command = [slipway, "run", model, "--inputs", inputs, "--device", "cpu"]
        cold.append(Process(command, environment).ms)
        warm += [Process(command, environment).ms for _ in range(3)]
    return min(cold), min(warm)


def run_in_turns(all_of, options, first, least):
    """Runs each `first` times to choose how often it runs in a round, at least `least` times, and then the rounds."""
    counts = []
    for one in all_of:
        one.run(first)
        counts.append(int(np.clip(options.milliseconds / np.median(one.times), least, 400)) + 2)
        one.times.clear()
    for _ in range(options.rounds):
        for one, count in zip(all_of, counts):
            one.run(count)


RATIO_HEADER = f"{'model':32} {'threads':>7} {'ours':>10} {'spread':>6} {'theirs':>10} {'spread':>6} {'ratio':>6} {'must':>5}"


def print_ratio(label, threads, both, options, must, more=""):
    """Measures ours and theirs, prints a line under RATIO_HEADER that ends with `more`, and returns whether the ratio is what it must be."""
    run_in_turns(both, options, 3, 2)
    (ours, our_spread), (theirs, their_spread) = (median_and_spread(one.times) for one in both)
    ok = theirs / ours >= must
    print(f"{label:32} {threads:7} {ours:10.2f} {our_spread:6.0%} {theirs:10.2f} {their_spread:6.0%} {theirs / ours:6.2f} {must:5.2f} "
          f"{'ok' if ok else 'MISSED'}{more}", flush=True)
    return ok


def compare(label, path, inputs, slipway, environment, threads, options):
    """Measures one network, prints a line, and returns the ratio of the medians to the faster form of the peer and the difference."""
    inputs.mkdir(exist_ok=True)
    arrays = make_inputs(json.loads(path.read_text()), inputs, 1)
    model = path.with_suffix(".vgf")
    all_of = [Ours(slipway, model, inputs, environment, "cpu", threads), Theirs(path, arrays, threads)]
    if path.stem.endswith("int8"):
        all_of.append(Theirs(path, arrays, threads, unsigned=True))
    if options.vulkan:
        all_of.append(Ours(slipway, model, inputs, environment, "llvmpipe", threads))
    results = [one.result() for one in all_of[:2]]
    run_in_turns(all_of, options, 6, 4)
    best = [min(one.times) for one in all_of]
    medians = [median_and_spread(one.times) for one in all_of]
    ratio = medians[1][0] / medians[0][0]
    line = (f"{label:20} {best[0]:8.2f} {medians[0][0]:8.2f} {medians[0][1]:6.0%} {best[1]:8.2f} {medians[1][0]:8.2f} {medians[1][1]:6.0%} "
            f"{best[1] / best[0]:6.2f} {ratio:7.2f} {difference(*results):10.2g}")
    rest = list(zip(best, medians))[2:]
    if path.stem.endswith("int8"):
        least, (median, _) = rest.pop(0)
        line += f" {least:8.2f} {median:8.2f} {least / best[0]:6.2f} {median / medians[0][0]:7.2f}"
        ratio = min(ratio, median / medians[0][0])
    elif options.vulkan:
        line += " " * 33
    for least, (median, _) in rest:
        line += f" {median:8.2f} {medians[1][0] / median:7.2f}"
    print(line.rstrip(), flush=True)
    return ratio, difference(*results)


# Of all benchmarks that print ratios.
def add_options(parser, milliseconds):
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=milliseconds, help="the approximate time of each in a round")
    parser.add_argument("--threads", default="1,2", help="counts of threads (1,2)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 400)
    parser.add_argument("--networks", default="", help="only those whose names contain this")
    parser.add_argument("--batch", default="1,8", help="counts of images or sequences (1,8)")
    parser.add_argument("--vulkan", action="store_true", help="also on the Vulkan driver for CPUs")
    parser.add_argument("--keep", type=pathlib.Path, help="keep models and inputs in this directory")
    options, _ = parser.parse_known_args()
    slipway = options.build / "bin/slipway"
    listed = subprocess.run([slipway, "devices", "--device", "cpu", "--json"], check=True, capture_output=True, text=True)
    print(json.loads(listed.stdout)["cpu"]["name"])
    missed = []
    with tempfile.TemporaryDirectory() as name:
        whole = options.keep or pathlib.Path(name)
        environment = dict(os.environ, XDG_CACHE_HOME=str(whole / "cache"))
        for batch in options.batch.split(","):
            directory = whole / f"batch_{batch}"
            directory.mkdir(parents=True, exist_ok=True)
            subprocess.run([options.build / "bin/make_networks", directory, batch], check=True)
            networks = [path for path in sorted(directory.glob("*.json")) if options.networks in path.stem]
            # In a process of its own, because the module onnx and the runtime both register operators.
            command = [sys.executable, pathlib.Path(__file__).parent / "onnx_networks.py", *networks]
            made = subprocess.run(command, stderr=subprocess.PIPE, text=True)
            if made.returncode:
                sys.exit(made.stderr)
            for threads in options.threads.split(","):
                print(f"ONNX Runtime {onnxruntime.__version__}, batch {batch}, {threads} thread{'s' if threads != '1' else ''}; times in ms")
                print(f"{'network':20} {'ours':>8} {'median':>8} {'spread':>6} {'theirs':>8} {'median':>8} {'spread':>6} {'ratio':>6} {'medians':>7} {'difference':>10}"
                      f" {'unsigned':>8} {'median':>8} {'ratio':>6} {'medians':>7}" + (f" {'vulkan':>8} {'medians':>7}" if options.vulkan else ""))
                for path in networks:
                    label = path.stem
                    inputs = directory / f"{label}.inputs"
                    ratio, differs = compare(label, path, inputs, slipway, environment, int(threads), options)
                    goal = GOALS[label.rpartition(".")[2]]
                    if batch == "1" and ratio < goal:
                        missed.append(f"{label}, {threads} threads: {ratio:.2f} of ONNX Runtime's speed; at least {goal} is required")
                    if label.endswith("fp32") and differs > 1e-4:
                        missed.append(f"{label}: results differ")
                    if label == "mobilenet_v2.fp32" and batch == "1" and threads == options.threads.split(",")[0]:
                        cold, warm = process_times(slipway, path.with_suffix(".vgf"), inputs, directory)
                        print(f"  load and first run: {cold:.0f} ms with cold caches, {warm:.0f} ms with warm ones")
                        if cold > MOST_COLD_MS or warm > MOST_WARM_MS:
                            missed.append(f"{label}: load and first run take more than {MOST_COLD_MS} ms cold or {MOST_WARM_MS} ms warm")
    for line in missed:
        print("MISSED", line)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
