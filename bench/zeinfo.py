#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures reading ZE Info, compared with ryml and yaml-cpp; checking; memory; and `slipway inspect` of a large zebin.

The readers run in turn; ratios are those of medians. Takes about a minute.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def median(values):
    return statistics.median(values)


class Process:
    def __init__(self, *command):
        start = time.perf_counter()
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.DEVNULL)
            self.status = child.wait()
            self.ms = (time.perf_counter() - start) * 1e3
            out.seek(0)
            self.text = out.read().decode(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    bench, slipway = options.build / "bin/bench_zeinfo", options.build / "bin/slipway"
    rows = []

    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        texts = {"4 MB": ("ordinary", 4), "5 MB, long names": ("long", 5), "40 MB": ("ordinary", 40)}
        for label, (kind, megabytes) in texts.items():
            path = directory / f"{kind}{megabytes}.ze_info"
            subprocess.run([bench, "text", kind, str(megabytes * 1_000_000), path], check=True)
            size = path.stat().st_size
            times, peaks = {}, {}
            ways = ["nothing", "ours", "checked", "ryml"] + (["yaml-cpp"] if megabytes < 10 else [])
            for _ in range(options.runs):
                for way in ways:
                    repeats = 1 if way == "yaml-cpp" else 3
                    process = Process(bench, "read", way, path, repeats)
                    if process.status == 4:  # the library is not installed
                        continue
                    if process.status != 0:
                        sys.exit(f"bench_zeinfo read {way} failed on {label}")
                    *milliseconds, peak_kb = (float(line) for line in process.text.split())
                    times.setdefault(way, []).extend(milliseconds)
                    peaks.setdefault(way, []).append(peak_kb / 1024)
            for way in ways[1:]:
                if way in times:
                    ms = median(times[way])
                    print(f"{label:18} {way:9} {ms:9.2f} ms ({min(times[way]):.2f} to {max(times[way]):.2f})  "
                          f"{size / ms / 1e3:8.0f} MB/s  peak {median(peaks[way]):.0f} MB")
            ours = median(times["ours"])
            for way, limit in (("ryml", 5), ("yaml-cpp", 60)):
                if way in times:
                    rows.append((f"{label}: {way} / ours", median(times[way]) / ours, limit, "x", True))
            rows.append((f"{label}: checked / read", median(times["checked"]) / ours, 2, "x", False))
            # Both processes hold the text. The memory of the one that reads nothing is subtracted, and the text added again (1).
            memory = (median(peaks["ours"]) - median(peaks["nothing"])) * 1024 * 1024 / size + 1
            rows.append((f"{label}: peak memory, text included / text", memory, 2.5, "x", False))

        text, zebin = directory / "two.ze_info", directory / "five.bin"
        subprocess.run([bench, "text", "ordinary", "2150000", text], check=True)
        subprocess.run([bench, "zebin", text, zebin], check=True)
        inspects, versions = [], []
        for _ in range(options.runs * 3):
            process = Process(slipway, "inspect", zebin)
            if process.status != 0:
                sys.exit("slipway inspect failed")
            inspects.append(process.ms)
            versions.append(Process(slipway, "--version").ms)
        print(f"inspect of a zebin of {zebin.stat().st_size / 1e6:.1f} MB with {process.text.count('kernel `')} kernels: "
              f"{median(inspects):.1f} ms; the program alone: {median(versions):.1f} ms")
        rows.append(("`slipway inspect` of a 5 MB zebin, whole process", median(inspects), 15, "ms", False))

    print()
    missed = 0
    for what, value, limit, unit, more_is_better in rows:
        holds = value >= limit if more_is_better else value <= limit
        missed += not holds
        print(f"{what:58} {value:8.2f} {unit:4} (at {'least' if more_is_better else 'most'} {limit}) {'holds' if holds else 'MISSED'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
