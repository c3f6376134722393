#!/usr/bin/env python3
"""Converting `.tosa` models: time beside a plain copy of the same bytes, peak memory, the start, many operators.

Ours and the peer run in turn; ratios are of medians. About half a minute.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def run(*command):
    """Milliseconds and peak memory in MB of a process."""
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
        print(f"{name:60} {value:8.2f} {unit:3} limit {limit} {'ok' if good else 'TOO MUCH'}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for megabytes in (35, 1000):
            path = folder / "weights.tosa"
            subprocess.run([binaries / "bench_convert", "weights", str(megabytes), path], check=True)
            size = path.stat().st_size / 2**20
            ours, copies, peaks = [], [], []
            for _ in range(options.runs if megabytes < 100 else 3):
                ms, peak = run(binaries / "slipway", "convert", path, "-o", folder / "out.vgf")
                ours.append(ms)
                peaks.append(peak)
                copies.append(run(binaries / "bench_copy", path, folder / "copy")[0])
            print(f"{megabytes} MB of weights: {statistics.median(ours):.1f} ms, plain copy {statistics.median(copies):.1f} ms, "
                  f"peak {max(peaks):.0f} MB with the mapping")
            row(f"{megabytes} MB of weights: time / plain copy", statistics.median(ours) / statistics.median(copies), 2, "x")
            row(f"{megabytes} MB of weights: peak memory", max(peaks), 1.2 * size + 64, "MB")
        tiny, chain = folder / "tiny.tosa", folder / "chain.tosa"
        subprocess.run([binaries / "bench_convert", "operators", "4", tiny], check=True)
        row("a tiny model, whole process", statistics.median(run(binaries / "slipway", "convert", tiny, "-o", folder / "t.vgf")[0]
                                                             for _ in range(options.runs * 3)), 8, "ms")
        for count, limit in ((20_000, 1000), (100_000, 1000)):
            subprocess.run([binaries / "bench_convert", "operators", str(count), chain], check=True)
            row(f"{count} operators", statistics.median(run(binaries / "slipway", "convert", chain, "-o", folder / "c.vgf")[0]
                                                        for _ in range(3)), limit, "ms")
    return status


sys.exit(main())
