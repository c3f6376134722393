#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the conversion of models: the time compared with a plain copy of the same bytes, peak memory, the start, many operators.

Conversions and copies run in turn; times are the minimum of several runs. Peak memory includes the mapped input. Takes about
half a minute.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def run(*command):
    """Runs a process; returns its time in milliseconds and its peak memory in MB."""
    start = time.perf_counter()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed")
    return (time.perf_counter() - start) * 1e3, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    binaries = options.build / "bin"
    status = 0

    def row(name, value, limit, unit):
        nonlocal status
        good = value <= limit
        status |= not good
        print(f"{name:60} {value:8.2f} {unit:3} limit {limit:.6g} {'ok' if good else 'TOO MUCH'}")

    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        out, copy = directory / "out.vgf", directory / "copy"

        def convert(path):
            out.unlink(missing_ok=True)
            return run(binaries / "slipway", "convert", path, "-o", out)

        def plain_copy(path):
            copy.unlink(missing_ok=True)
            return run(binaries / "bench_copy", path, copy)[0]

        def beside_copy(label, path, runs, most):
            size = path.stat().st_size / 2**20
            ours, copies = [], []
            for _ in range(runs):
                ours.append(convert(path))
                copies.append(plain_copy(path))
            best, best_copy, peak = min(ms for ms, _ in ours), min(copies), max(mb for _, mb in ours)
            print(f"{label}: {size:.0f} MB, {best:.1f} ms, plain copy {best_copy:.1f} ms, peak {peak:.0f} MB")
            row(f"{label}: time / plain copy", best / best_copy, most, "x")
            row(f"{label}: peak memory", peak, 1.2 * size + 64, "MB")

        weights, text = directory / "weights.tosa", directory / "weights.mlir"
        for megabytes in (35, 1000):
            subprocess.run([binaries / "bench_convert", "weights", str(megabytes), weights], check=True)
            beside_copy(f"{megabytes} MB of weights", weights, options.runs if megabytes < 100 else 3, 2)
            if megabytes < 100:
                subprocess.run([binaries / "slipway", "convert", weights, "--emit", "mlir", "-o", text], check=True,
                               stdout=subprocess.DEVNULL)
                beside_copy(f"{megabytes} MB of weights, MLIR text", text, options.runs, 3)
        model = directory / "operators.tosa"

        def operators(count, runs):
            subprocess.run([binaries / "bench_convert", "operators", str(count), model], check=True)
            return min(convert(model)[0] for _ in range(runs))

        tiny = operators(4, 40)
        row("a tiny model, whole process", tiny, 8, "ms")
        some, many = operators(20_000, options.runs), operators(100_000, options.runs)
        row("20,000 operators", some, 1000, "ms")
        row("100,000 operators", many, 1000, "ms")
        # Not 1, because larger tables have more cache misses.
        row("time of an operator among 100,000 / among 20,000", (many - tiny) / (some - tiny) / 5, 1.5, "x")
    return status


sys.exit(main())
