#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a network that finds red and green shapes in a picture: python3 make_segments.py [DIRECTORY]

  segments.tflite         the network: a mean of neighbours, and a score for each class; uint8 `picture` [1, 24, 24, 3]
  segments_input.npz      a picture with two shapes and noise
  segments_expected.npz   the class of each pixel, `classes` [1, 24, 24], computed here
  segments.png            the picture beside its classes
"""
import pathlib
import sys

from formats import ARG_MAX, CONV_2D, DEPTHWISE_CONV_2D, INT32, INT64, UINT8, Model, clamped, f32, npz, png, rescaled

SIZE = 24
PIXEL = f32(1 / 255)  # the scale of pixels
TAP = f32(1 / 9 / 64)  # of the weights of the mean
WEIGHT, SCORE = f32(1 / 32), f32(0.01)
# Scores by class: weights of red, green and blue, and a bias.
CLASSES = [([0, 0, 0], 0.35), ([1.5, -1.0, -0.5], 0.0), ([-1.0, 1.5, -0.5], 0.0)]
COLOURS = [(40, 40, 48), (224, 64, 64), (64, 192, 96)]


def weights():
    return [[round(w / WEIGHT) for w in one] for one, _ in CLASSES], [round(b / (PIXEL * WEIGHT)) for _, b in CLASSES]


def model():
    m = Model()
    picture = m.tensor("picture", UINT8, [1, SIZE, SIZE, 3], PIXEL)
    taps = m.tensor("taps", UINT8, [1, 3, 3, 3], TAP, 128, [192] * 27)
    none = m.tensor("none", INT32, [3], PIXEL * TAP, 0, [0] * 3)
    mean = m.tensor("mean", UINT8, [1, SIZE, SIZE, 3], PIXEL)
    by_class, biases = weights()
    colours = m.tensor("colours", UINT8, [3, 1, 1, 3], WEIGHT, 128, [w + 128 for one in by_class for w in one])
    bias = m.tensor("bias", INT32, [3], PIXEL * WEIGHT, 0, biases)
    scores = m.tensor("scores", UINT8, [1, SIZE, SIZE, 3], SCORE, 128)
    axis = m.tensor("axis", INT32, [], None, 0, [3])
    classes = m.tensor("classes", INT64, [1, SIZE, SIZE])
    # Options: padding (SAME), strides, and for depthwise convolutions the channels for each one.
    m.add(DEPTHWISE_CONV_2D, [picture, taps, none], [mean], 2, f0=("b", 0), f1=("i", 1), f2=("i", 1), f3=("i", 1))
    m.add(CONV_2D, [mean, colours, bias], [scores], 1, f0=("b", 0), f1=("i", 1), f2=("i", 1))
    m.add(ARG_MAX, [scores, axis], [classes], 40, f0=("b", INT64))
    return m.file([picture], [classes])


def picture():
    """A red disc and a green bar on grey, with noise."""
    state, rows = 1, []
    for y in range(SIZE):
        row = []
        for x in range(SIZE):
            colour = (200, 50, 60) if (x - 7) ** 2 + (y - 8) ** 2 < 26 else (60, 190, 70) if 13 <= y <= 19 and x >= 9 else (110, 110, 120)
            for each in colour:
                state = (state * 1103515245 + 12345) % 2**31
                row.append(clamped(each + (state >> 16) % 81 - 40, 0, 255))
        rows.append(row)
    return rows


def classes(rows):
    def at(y, x, c):
        return rows[y][3 * x + c] if 0 <= y < SIZE and 0 <= x < SIZE else 0

    made, (by_class, biases) = [], weights()
    for y in range(SIZE):
        for x in range(SIZE):
            mean = []
            for c in range(3):
                total = sum((192 - 128) * at(y + i, x + k, c) for i in (-1, 0, 1) for k in (-1, 0, 1))
                mean.append(clamped(rescaled(total, PIXEL * TAP / PIXEL), 0, 255))
            scores = [clamped(rescaled(sum(w * v for w, v in zip(one, mean)) + bias, PIXEL * WEIGHT / SCORE) + 128, 0, 255)
                      for one, bias in zip(by_class, biases)]
            made.append(scores.index(max(scores)))
    return made


def drawn(rows, found):
    """The picture beside its classes, each pixel as 3 x 3."""
    lines = []
    for y in range(SIZE):
        pixels = [rows[y][3 * x:3 * x + 3] for x in range(SIZE)] + [COLOURS[found[y * SIZE + x]] for x in range(SIZE)]
        lines += [[part for pixel in pixels for part in list(pixel) * 3]] * 3
    return png(6 * SIZE, lines)


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    rows = picture()
    found = classes(rows)
    (directory / "segments.tflite").write_bytes(model())
    (directory / "segments_input.npz").write_bytes(npz(picture=("|u1", "B", (1, SIZE, SIZE, 3), [v for row in rows for v in row])))
    (directory / "segments_expected.npz").write_bytes(npz(classes=("<i8", "q", (1, SIZE, SIZE), found)))
    (directory / "segments.png").write_bytes(drawn(rows, found))


if __name__ == "__main__":
    main()
