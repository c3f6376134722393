#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ifm.bin and wts.bin, the inputs, and ofm.bin, the expected output, which is computed without Slipway."""
import pathlib
import struct

directory = pathlib.Path(__file__).parent
channels, height, width = 8, 4, 8
ifm = [[[(7 * c + 3 * y * y + x) % 31 for x in range(width)] for y in range(height)] for c in range(channels)]
wts = [1.0, 0.5, 2.0, -1.0]
pooled = [[[sum(ifm[c][2 * y + dy][2 * x + dx] for dy in (0, 1) for dx in (0, 1)) * 0.25 * wts[c % 4] for x in range(width // 2)]
           for y in range(height // 2)] for c in range(channels)]
ofm = pooled[4:] + pooled[:4]  # each of the two runs of the kernel writes its half of the channels to the other half of the output


def write(name, numbers):
    (directory / name).write_bytes(struct.pack(f"<{len(numbers)}f", *numbers))


def flat(tensor):
    return [x for plane in tensor for row in plane for x in row]


write("ifm.bin", flat(ifm))
write("wts.bin", wts)
write("ofm.bin", flat(ofm))
