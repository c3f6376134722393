#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws input.png and computes expected.png, without a GPU and without libraries: make_pictures.py"""
import struct
import zlib

WIDTH, HEIGHT = 96, 64
WEIGHTS = [1, 6, 15, 20, 15, 6, 1]


def write_png(name, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(v for pixel in row for v in pixel) for row in pixels)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 6, 0, 0, 0)
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def picture(x, y):
    if (x - 30) ** 2 + (y - 32) ** 2 < 20**2:
        return (230, 60, 40, 255)
    if (x // 8 + y // 8) % 2 == 0 and x > 52:
        return (30, 60, 140, 255)
    return (255, 250, 235, 255) if x > 52 else (40 + x * 2, 120 + y, 90, 255)


def blurred(pixels, dx, dy):
    def texel(x, y):
        return pixels[min(max(y, 0), HEIGHT - 1)][min(max(x, 0), WIDTH - 1)]

    def sum_at(x, y):
        taps = [texel(x + i * dx, y + i * dy) for i in range(-3, 4)]
        return tuple(int(sum(w * tap[c] for w, tap in zip(WEIGHTS, taps)) / 64 + 0.5) for c in range(4))

    return [[sum_at(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]


pixels = [[picture(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
write_png("input.png", pixels)
write_png("expected.png", blurred(blurred(pixels, 1, 0), 0, 1))
