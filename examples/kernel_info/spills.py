#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that spill registers, of all zebins and texts of ZE Info in a directory: spills.py DIRECTORY

Prints a table, the most bytes first. The status is 1 if a kernel spills, so that a build can stop.
"""
import pathlib
import sys
import typing

import slipway


class Row(typing.NamedTuple):
    file: str
    kernel: str
    simd: int
    registers: int
    spill_bytes: int


def spills(directory):
    """A table with a row for each kernel that spills; other files are skipped."""
    rows = []
    for path in sorted(directory.rglob("*")):
        if not path.is_file():
            continue
        try:
            binary = slipway.KernelBinary.load(path)
        except slipway.Error as error:
            print(f"skipped: {error.problems[0].text}", end="", file=sys.stderr)
            continue
        rows += [Row(str(path.relative_to(directory)), kernel.name, kernel.simd, kernel.registers, kernel.spill_bytes)
                 for kernel in binary.kernels if kernel.spill_bytes]
    return slipway.Table(sorted(rows, key=lambda row: -row.spill_bytes), Row._fields)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    table = spills(pathlib.Path(sys.argv[1]))
    print(table)
    sys.exit(1 if table else 0)
