#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures memory and time of whole models: processes of `slipway run model.vgf`.

The goals hold with kernels in the driver's cache, as in all runs but the first. Peak memory may be the weights once, the arena,
the memory of the driver (measured with a scenario of one small shader), and 80 MB. The arena may be 15 % larger than the
maximum of the bytes that are alive at the same time. The models are those of the example classifier, and the VGF files in a
directory (--models).
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from process import Process


def plan_of(slipway, model, environment):
    """The megabytes of weights and arenas, and the lower bound of the arenas."""
    text = Process([slipway, "inspect", model], environment).text
    weights = sum(float(mb) for mb in re.findall(r"parameters in ([\d.]+) MB", text))
    arenas = [(int(size), int(least)) for size, least in re.findall(r"arena (\d+) bytes \(at least (\d+)\)", text)]
    return weights, sum(size for size, _ in arenas) / 1e6, sum(least for _, least in arenas) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path(__file__).parent / "../tests/data/models")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    slipway = options.build / "bin/slipway"
    failed = False
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        models = []
        for label, arguments in (("classifier", []), ("classifier 224", ["224"]), ("classifier 224 wide", ["224", "192"])):
            path = directory / (label.replace(" ", "_") + ".vgf")
            subprocess.run([options.build / "bin/make_classifier", path, "1", *arguments], check=True)
            models.append((label, path))
        if options.models.is_dir():
            models += [(path.stem, path) for path in sorted(options.models.glob("*.vgf"))]
        hello = pathlib.Path(__file__).parent / "../examples/hello/scenario.json"
        driver = Process([slipway, "run", hello], dict(os.environ, XDG_CACHE_HOME=str(directory / "cache"))).peak_mb * 1.048576
        print(f"megabytes; the driver takes {driver:.1f}")
        print(f"{'model':28} {'weights':>8} {'arena':>8} {'peak':>8} {'other':>8} {'arena/least':>11} {'cold peak':>9} {'cold ms':>8} {'warm ms':>8}")
        for label, path in models:
            cache = directory / ("cache_" + path.stem)
            environment = dict(os.environ, XDG_CACHE_HOME=str(cache))
            weights, arena, least = plan_of(slipway, path, environment)
            cold = Process([slipway, "run", path], environment)
            warm = [Process([slipway, "run", path], environment) for _ in range(options.runs)]
            peak = max(run.peak_mb * 1.048576 for run in warm)
            other = peak - weights - arena - driver
            ratio = arena / least if least else 1
            print(f"{label:28} {weights:8.2f} {arena:8.2f} {peak:8.1f} {other:8.1f} {ratio:11.3f} {cold.peak_mb * 1.048576:9.1f} {cold.ms:8.0f} "
                  f"{min(run.ms for run in warm):8.0f}")
            if other > 80 or ratio > 1.15:
                failed = True
                print(f"  {'memory beside weights and arena is above 80 MB' if other > 80 else 'the arena is 15 % too large'}")
    sys.exit(1 if failed else 0)


main()
