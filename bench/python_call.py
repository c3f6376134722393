#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call of a model costs in Python beyond the same call in C++: python_call.py --build BUILD [--wheel FILE] [--runs N]

Runs `Model.run` of a trivial graph on one thread of the CPU from the wheel that `./dev wheel` made, and bench_model_call of BUILD, in
turn. Prints medians in microseconds of a call, and the difference; exit status 1 if Python needs more than 15 us of CPU time beyond
C++.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

MUST = 15  # microseconds
NET = """graph net {
  %0 = input f32[2, 3] "a"
  %1 = input f32[2, 3] "b"
  %2 = ADD(%0, %1) f32[2, 3]
  output %2
}
"""


def of_python(call, count=2000):
    """Microseconds of one call: of the clock, and of the CPU."""
    begin, used = time.perf_counter(), time.thread_time()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count * 1e6, (time.thread_time() - used) / count * 1e6


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", required=True, type=pathlib.Path)
    options.add_argument("--wheel", type=pathlib.Path)
    options.add_argument("--runs", type=int, default=15)
    given = options.parse_args()
    wheels = [given.wheel] if given.wheel else sorted((given.build.parent / "wheel").glob("slipway-*.whl"))
    if not wheels:
        print("python_call: skipped, because there is no wheel; ./dev wheel makes one")
        return 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        zipfile.ZipFile(wheels[-1]).extractall(directory)
        sys.path.insert(0, name)
        import numpy
        import slipway

        (directory / "net.txt").write_text(NET)
        model = slipway.Model.load(directory / "net.txt")
        inputs = {"a": numpy.zeros((2, 3), numpy.float32), "b": numpy.zeros((2, 3), numpy.float32)}
        of_python(lambda: model.run(inputs, threads=1), 500)
        python, cpp = [], []
        for _ in range(given.runs):
            python.append(of_python(lambda: model.run(inputs, threads=1)))
            printed = subprocess.run([given.build / "bin/bench_model_call", directory / "net.txt"], check=True, capture_output=True, text=True)
            cpp.append(tuple(map(float, printed.stdout.split())))
    columns = [statistics.median(values) for values in (*zip(*python), *zip(*cpp))]
    beyond = statistics.median(a[1] - b[1] for a, b in zip(python, cpp))
    print("us of a call, medians of {}: Model.run in Python {:.2f} (CPU {:.2f}), C++ {:.2f} (CPU {:.2f})".format(given.runs, *columns))
    print(f"CPU time of Python beyond C++: {beyond:.2f} us, at most {MUST}")
    return int(beyond > MUST)


if __name__ == "__main__":
    sys.exit(main())
