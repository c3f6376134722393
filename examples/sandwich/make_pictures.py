#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws input.png and computes expected.png, without a GPU and without libraries: make_pictures.py"""
import struct
import zlib

WIDTH, HEIGHT = 96, 64
ACROSS = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
DOWN = [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]


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


def edges(pixels):
    def grey(x, y):
        if not (0 <= x < WIDTH and 0 <= y < HEIGHT):
            return 0
        r, g, b, _ = pixels[y][x]
        return (77 * r + 150 * g + 29 * b) >> 8

    def strength(x, y, weights):
        return sum(weights[j][i] * grey(x + i - 1, y + j - 1) for j in range(3) for i in range(3))

    def edge(x, y):
        total = abs(strength(x, y, ACROSS)) + abs(strength(x, y, DOWN))
        value = min((total + 2) // 4, 255)
        return (value, value, value, 255)

    return [[edge(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]


pixels = [[picture(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
write_png("input.png", pixels)
write_png("expected.png", edges(pixels))
