#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes expected.npy: the result of max_pool.comp for the random image in scenario.json."""
import pathlib
import struct

HEIGHT, WIDTH, CHANNELS, SEED = 30, 21, 4, 7


def random_byte(seed, i):
    """Element i of `"random": {"seed": seed}` with all values of an int8."""
    mask = (1 << 64) - 1
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return (z ^ (z >> 31)) % 256 - 128


def pixel(y, x, c):
    inside = 0 <= y < HEIGHT and 0 <= x < WIDTH
    return random_byte(SEED, (y * WIDTH + x) * CHANNELS + c) if inside else -128


height, width = (HEIGHT + 1) // 2, (WIDTH + 1) // 2
pooled = [max(pixel(2 * y + dy - 1, 2 * x + dx - 1, c) for dy in range(3) for dx in range(3))
          for y in range(height) for x in range(width) for c in range(CHANNELS)]
header = f"{{'descr': '|i1','fortran_order': False,'shape': (1, {height}, {width}, {CHANNELS})}}"
header += " " * (16 - (10 + len(header) + 1) % 16) + "\n"
data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"{len(pooled)}b", *pooled)
pathlib.Path(__file__).with_name("expected.npy").write_bytes(data)
