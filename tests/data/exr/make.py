#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the EXR files of this directory with OpenEXR's own programs (Debian's package openexr): make.py

Each has the texels that `picture` and `ids` say; src/tensor/files/exr_test.cpp has the same formulas.
"""
import pathlib
import struct
import subprocess
import tempfile

here = pathlib.Path(__file__).parent


def attribute(name, kind, value):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(value)) + value


def exr(width, height, left, top, channels, sample):
    """A file without compression. `channels`: name and type; `sample(name, x, y)`."""
    codes = {0: "I", 1: "e", 2: "f"}
    listed = b"".join(name.encode() + b"\0" + struct.pack("<IIii", kind, 0, 1, 1) for name, kind in channels) + b"\0"
    window = struct.pack("<iiii", left, top, left + width - 1, top + height - 1)
    header = struct.pack("<II", 20000630, 2)
    header += attribute("channels", "chlist", listed) + attribute("compression", "compression", b"\0")
    header += attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window)
    header += attribute("lineOrder", "lineOrder", b"\0") + attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
    header += attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0, 0))
    header += attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    chunks = []
    for y in range(height):
        line = b"".join(struct.pack("<" + codes[kind], sample(name, x, y)) for name, kind in channels for x in range(width))
        chunks.append(struct.pack("<iI", top + y, len(line)) + line)
    offset = len(header) + 8 * height
    table = b"".join(struct.pack("<Q", offset + i * len(chunks[0])) for i in range(height))
    return header + table + b"".join(chunks)


def picture(name, x, y):
    return {"R": x / 8 - 2, "G": (x * 7 + y * 13) % 32 / 4, "B": x * y / 3, "A": (x + y) % 2}[name]


def ids(name, x, y):
    return y * 600 + x


with tempfile.TemporaryDirectory() as directory:
    source = pathlib.Path(directory) / "source.exr"
    source.write_bytes(exr(37, 41, -3, 5, [("A", 1), ("B", 2), ("G", 1), ("R", 1)], picture))
    for compression in ("none", "rle", "zips", "zip", "piz", "pxr24"):
        subprocess.run(["exrmetrics", "--convert", "-z", compression, source, "-o", here / f"{compression}.exr"], check=True)
    for compression in ("piz", "zip"):
        subprocess.run(["exrmaketiled", "-m", "-t", "16", "8", "-z", compression, source, here / f"tiled_{compression}.exr"], check=True)
    # More than 2^14 values in 32 lines, for which PIZ has another wavelet.
    source.write_bytes(exr(600, 40, 0, 0, [("id", 0)], ids))
    subprocess.run(["exrmetrics", "--convert", "-z", "piz", source, "-o", here / "ids_piz.exr"], check=True)
