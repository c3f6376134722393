#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files of this example: python3 make_detector.py [DIRECTORY]

  detector.onnx   a network that finds red, green and blue rectangles: `boxes` [6, 4], `scores` [6], `classes` [6]
  inputs.npz      a noisy picture with six of them, `image` [1, 3, 64, 64]
  expected.npz    what the network makes of it, computed here
  boxes.png       the picture with its boxes

A window of 24 x 24 pixels is at each point of a grid of 16 x 16. The mass of a colour in the window, its mean and its variance are one
convolution; they are a box. Of neighbouring windows the best one stays.
"""
import math
import pathlib
import random
import struct
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent / "onnx_strokes"), str(here.parent / "tflite")]

import formats  # noqa: E402
from make_model import FLOAT, INT64, field, node, npy, npz, tensor, value  # noqa: E402

SIZE, WINDOW, STRIDE, GRID, FOUND = 64, 24, 4, 16, 6
PAD = (WINDOW - STRIDE) // 2
COLOURS = ("red", "green", "blue")
# Of a window: mass, first moments, second moments, and the mass at its edge.
MIDDLE = (WINDOW - 1) / 2
MOMENTS = (
    lambda y, x: 1.0,
    lambda y, x: x - MIDDLE,
    lambda y, x: y - MIDDLE,
    lambda y, x: (x - MIDDLE) ** 2,
    lambda y, x: (y - MIDDLE) ** 2,
    lambda y, x: float(min(y, x, WINDOW - 1 - y, WINDOW - 1 - x) < 2),
)
# Colour, first row, first column, rows, columns.
RECTANGLES = ((0, 6, 5, 12, 16), (1, 10, 38, 16, 10), (2, 28, 22, 9, 9), (0, 42, 6, 14, 11), (2, 44, 40, 10, 18),
              (1, 51, 22, 8, 12))


# --- the network -------------------------------------------------------------------------------------------------------


def integers(name, numbers):  # TensorProto of int64
    return field(1, len(numbers)) + field(2, INT64) + field(8, name) + field(9, struct.pack(f"<{len(numbers)}q", *numbers))


def model():
    nodes, constants = [], []

    def add(kind, *inputs, to, **attributes):
        results = to if isinstance(to, list) else [to]
        nodes.append(node(kind, inputs, results, **attributes) + field(3, f"/{results[0]}"))  # of two names the last one is read
        return to

    def constant(name, numbers, shape=()):
        constants.append(tensor(name, list(shape), numbers))
        return name

    def shape(name, *extents):
        constants.append(integers(name, extents))
        return name

    # A colour is 1 where it is more than the mean of the others, and 0 elsewhere.
    paint = [10.0 if i == j else -5.0 for i in range(3) for j in range(3)]
    zero, one = constant("zero", [0.0]), constant("one", [1.0])
    add("Conv", "image", constant("paint", paint, (3, 3, 1, 1)), constant("threshold", [-4.0] * 3, (3,)), to="difference")
    add("Clip", "difference", zero, one, to="colours")
    windows = [moment(y, x) for _ in COLOURS for moment in MOMENTS for y in range(WINDOW) for x in range(WINDOW)]
    constant("windows", windows, (3 * len(MOMENTS), 1, WINDOW, WINDOW))
    add("Conv", "colours", "windows", to="sums", group=3, strides=[STRIDE] * 2, pads=[PAD] * 4, kernel_shape=[WINDOW] * 2)
    add("Reshape", "sums", shape("by_colour", 1, 3, len(MOMENTS), GRID, GRID), to="moments")
    parts = ["mass", "sum_x", "sum_y", "square_x", "square_y", "edge"]
    add("Split", "moments", shape("ones", *[1] * len(MOMENTS)), to=parts, axis=2)
    add("Max", "mass", one, to="weight")
    twelve, half = constant("twelve", [12.0]), constant("half", [0.5])
    centres = [STRIDE * i - PAD + MIDDLE + 0.5 for i in range(GRID)]
    constant("grid_x", centres, (1, 1, 1, 1, GRID))
    constant("grid_y", centres, (1, 1, 1, GRID, 1))
    for axis in "xy":
        # The variance of n pixels in a row is (n^2 - 1) / 12.
        add("Div", f"sum_{axis}", "weight", to=f"mean_{axis}")
        add("Div", f"square_{axis}", "weight", to=f"mean_square_{axis}")
        add("Mul", f"mean_{axis}", f"mean_{axis}", to=f"square_mean_{axis}")
        add("Sub", f"mean_square_{axis}", f"square_mean_{axis}", to=f"variance_{axis}")
        add("Mul", add("Max", f"variance_{axis}", zero, to=f"spread_{axis}"), twelve, to=f"spread_12_{axis}")
        add("Sqrt", add("Add", f"spread_12_{axis}", one, to=f"square_size_{axis}"), to=f"size_{axis}")
        add("Mul", f"size_{axis}", half, to=f"half_{axis}")
        add("Add", f"grid_{axis}", f"mean_{axis}", to=f"centre_{axis}")
        add("Sub", f"centre_{axis}", f"half_{axis}", to=f"low_{axis}")
        add("Add", f"centre_{axis}", f"half_{axis}", to=f"high_{axis}")
        add("Abs", f"mean_{axis}", to=f"off_{axis}")
    # A window is good if its colour fills the box, is in its middle, and not at its edge.
    filled = add("Div", "mass", add("Mul", "size_x", "size_y", to="area"), to="filled")
    off = add("Mul", add("Add", "off_x", "off_y", to="off"), constant("eighth", [0.125]), to="far")
    edge = add("Mul", add("Div", "edge", "weight", to="part_at_edge"), constant("four", [4.0]), to="cut")
    quality = add("Sub", add("Sub", filled, off, to="centred"), edge, to="quality")
    large = add("Clip", add("Mul", "mass", constant("sixteenth", [0.0625]), to="size"), zero, one, to="large")
    # Neighbours that are equal have an order.
    order = constant("order", [-1e-4 * i for i in range(GRID * GRID)], (1, 1, 1, GRID, GRID))
    add("Mul", add("Add", quality, order, to="ordered"), large, to="score")
    add("Reshape", "score", shape("as_picture", 1, 3, GRID, GRID), to="heat")
    add("MaxPool", "heat", to="best", kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1])
    peaks = add("Where", add("Equal", "heat", "best", to="is_best"), "heat", zero, to="peaks")
    add("TopK", add("Reshape", peaks, shape("flat", -1), to="list"), shape("found", FOUND), to=["scores", "places"], axis=0)
    corners = [add("Reshape", name, shape(f"column_{name}", -1, 1), to=f"list_{name}") for name in ("low_y", "low_x", "high_y", "high_x")]
    add("Gather", add("Concat", *corners, to="all_boxes", axis=1), "places", to="boxes", axis=0)
    add("Div", "places", shape("per_colour", GRID * GRID), to="classes")

    graph = b"".join(field(1, one) for one in nodes) + field(2, "detector") + b"".join(field(5, one) for one in constants)
    graph += field(11, value("image", FLOAT, [1, 3, SIZE, SIZE])) + field(12, value("boxes", FLOAT, [FOUND, 4]))
    graph += field(12, value("scores", FLOAT, [FOUND])) + field(12, value("classes", INT64, [FOUND]))
    head = field(1, 8) + field(2, "make_detector.py") + field(3, "1")
    return head + field(7, graph) + field(8, field(2, 17)) + field(14, field(1, "task") + field(2, "red, green and blue rectangles"))


# --- the picture, and what the network makes of it ---------------------------------------------------------------------


def picture():
    """[3][SIZE][SIZE] of multiples of 1/256."""
    numbers = random.Random(5)
    image = [[[0.5 + (0.02 * (y + x) / SIZE) for x in range(SIZE)] for y in range(SIZE)] for _ in COLOURS]
    for colour, top, left, rows, columns in RECTANGLES:
        for channel in range(3):
            for y in range(top, top + rows):
                for x in range(left, left + columns):
                    image[channel][y][x] = 0.85 if channel == colour else 0.15
    return [[[round(256 * (each + numbers.uniform(-0.08, 0.08))) / 256 for each in row] for row in channel] for channel in image]


def detections(image):
    """The six best of (score, class, box)."""
    def clip(number):
        return min(max(number, 0.0), 1.0)

    heat, boxes = {}, {}
    for colour in range(3):
        others = [channel for channel in range(3) if channel != colour]
        mask = [[clip(10 * image[colour][y][x] - 5 * (image[others[0]][y][x] + image[others[1]][y][x]) - 4) for x in range(SIZE)] for y in range(SIZE)]
        for row in range(GRID):
            for column in range(GRID):
                top, left, sums = STRIDE * row - PAD, STRIDE * column - PAD, [0.0] * len(MOMENTS)
                for y in range(max(top, 0), min(top + WINDOW, SIZE)):
                    for x in range(max(left, 0), min(left + WINDOW, SIZE)):
                        if mask[y][x]:
                            for i, moment in enumerate(MOMENTS):
                                sums[i] += mask[y][x] * moment(y - top, x - left)
                mass, edge, weight = sums[0], sums[5], max(sums[0], 1.0)
                means = [sums[1] / weight, sums[2] / weight]
                sizes = [math.sqrt(12 * max(sums[3 + i] / weight - means[i] ** 2, 0.0) + 1) for i in range(2)]
                centre = [left + MIDDLE + 0.5 + means[0], top + MIDDLE + 0.5 + means[1]]
                quality = mass / (sizes[0] * sizes[1]) - (abs(means[0]) + abs(means[1])) / 8 - 4 * edge / weight
                at = (colour, row, column)
                heat[at] = (quality - 1e-4 * (row * GRID + column)) * clip(mass / 16)
                boxes[at] = [centre[1] - sizes[1] / 2, centre[0] - sizes[0] / 2, centre[1] + sizes[1] / 2, centre[0] + sizes[0] / 2]
    peaks = []
    for (colour, row, column), score in heat.items():
        around = [heat.get((colour, row + y, column + x), -math.inf) for y in range(-2, 3) for x in range(-2, 3)]
        peaks.append((score if score == max(around) else 0.0, -len(peaks), colour, boxes[colour, row, column]))
    return [(score, colour, box) for score, _, colour, box in sorted(peaks, reverse=True)[:FOUND]]


# --- the drawing -------------------------------------------------------------------------------------------------------

ZOOM, MARGIN = 4, 1
LETTERS = {"r": ("110", "101", "110", "101", "101"), "g": ("111", "100", "101", "101", "111"), "b": ("110", "101", "110", "101", "110")}


def drawn(image, boxes, scores, classes):
    """A PNG: the picture, and the boxes with a score above one half, each with the letter of its class."""
    size = SIZE * ZOOM
    pixels = [[tuple(min(255, int(256 * image[c][y // ZOOM][x // ZOOM])) for c in range(3)) for x in range(size)] for y in range(size)]

    def fill(top, left, bottom, right, colour):
        for y in range(max(top, 0), min(bottom, size)):
            for x in range(max(left, 0), min(right, size)):
                pixels[y][x] = colour

    for box, score, kind in zip(boxes, scores, classes):
        if score <= 0.5:
            continue
        top, left, bottom, right = (round(ZOOM * each) + (-MARGIN if i < 2 else MARGIN) for i, each in enumerate(box))
        for i, colour in ((0, (0, 0, 0)), (1, (255, 255, 255))):
            for edge in ((top - 3 + i, left - 3 + i, top, right + 3 - i), (bottom, left - 3 + i, bottom + 3 - i, right + 3 - i),
                         (top - 3 + i, left - 3 + i, bottom + 3 - i, left), (top - 3 + i, right, bottom + 3 - i, right + 3 - i)):
                fill(*edge, colour)
        fill(top - 16, left - 3, top - 2, left + 6, (0, 0, 0))
        for y, row in enumerate(LETTERS[COLOURS[kind][0]]):
            for x, is_set in enumerate(row):
                if is_set == "1":
                    fill(top - 14 + 2 * y, left - 1 + 2 * x, top - 12 + 2 * y, left + 1 + 2 * x, (255, 255, 255))
    return formats.png(size, [[number for pixel in row for number in pixel] for row in pixels])


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else here)
    image = picture()
    flat = [each for channel in image for row in channel for each in row]
    found = detections(image)
    boxes, scores, classes = [box for _, _, box in found], [score for score, _, _ in found], [kind for _, kind, _ in found]
    (directory / "detector.onnx").write_bytes(model())
    (directory / "inputs.npz").write_bytes(npz({"image": npy("<f4", "f", (1, 3, SIZE, SIZE), flat)}))
    (directory / "expected.npz").write_bytes(npz({
        "boxes": npy("<f4", "f", (FOUND, 4), [each for box in boxes for each in box]),
        "scores": npy("<f4", "f", (FOUND,), scores), "classes": npy("<i8", "q", (FOUND,), classes)}))
    (directory / "boxes.png").write_bytes(drawn(image, boxes, scores, classes))


if __name__ == "__main__":
    main()
