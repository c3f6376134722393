#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares bench_rpl of two revisions in one run: rpl_revisions.py REFERENCE NEW [--runs N] [--seconds S] [--bytes B] [--code C]

REFERENCE and NEW are programs `bench_rpl`, each built from its revision. Each part of the compilation of a program is repeated in
both, in turn; by default that of 4.5 KB, mostly declarations. Prints the best time and the CPU time of a repetition in microseconds,
medians over the runs, and the median of the ratios of NEW to REFERENCE. The CPU time contains the start of the program.
"""
import argparse
import os
import re
import statistics
import subprocess

PARTS = ("parse", "resolve", "metadata", "spirv", "anew", "variant", "setting", "full")


def measure(program, part, options):
    """Microseconds of a repetition: the best, and of the CPU on average."""
    command = [program, "--only", part, str(options.bytes), str(options.code), str(options.seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    found = re.search(r"best ([\d.]+), .* us of (\d+)", text)
    if status != 0 or not found:
        raise SystemExit(f"{' '.join(command)} printed {text}")
    return float(found[1]), (used.ru_utime + used.ru_stime) * 1e6 / int(found[2])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("reference")
    options.add_argument("new")
    options.add_argument("--runs", type=int, default=15)
    options.add_argument("--seconds", type=float, default=0.3)
    options.add_argument("--bytes", type=int, default=4500)
    options.add_argument("--code", type=float, default=0.1)
    options.add_argument("--part", choices=PARTS, action="append")
    given = options.parse_args()
    print(f"{'':9} {'best':>15} {'ratio':>6} {'CPU':>15} {'ratio':>6}")
    for part in given.part or PARTS:
        runs = [(measure(given.reference, part, given), measure(given.new, part, given)) for _ in range(given.runs)]
        line = f"{part:9}"
        for kind in range(2):
            before, after = (statistics.median(run[i][kind] for run in runs) for i in range(2))
            ratio = statistics.median(run[1][kind] / run[0][kind] for run in runs)
            line += f" {before:7.2f} {after:7.2f} {ratio:6.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
