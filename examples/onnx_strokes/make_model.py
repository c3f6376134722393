#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files of this example: python3 make_model.py [DIRECTORY]

  strokes.onnx    a network that says which way a stroke runs: along a row, along a column, or along a diagonal
  inputs.npz      four pictures, `image` [4, 1, 8, 8]
  expected.npz    what the network makes of them, `probabilities` [4, 4] and `direction` [4], computed here

It needs the standard library only: an ONNX file is a protocol buffer, which `field` writes.
"""
import io
import math
import pathlib
import struct
import sys
import zipfile

FLOAT, INT64 = 1, 7  # TensorProto.DataType
SIZE = 8
DIRECTIONS = ("row", "column", "falling", "rising")


# --- protocol buffers: a field is a key, and a number or bytes with their length ---------------------------------------


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(key, value):
    if isinstance(value, int):
        return varint(key << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(key << 3 | 2) + varint(len(data)) + data


def attribute(name, value):  # AttributeProto: name 1, f 2, i 3, ints 8, type 20
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, each) for each in value) + field(20, 7)
    return field(1, name) + field(3, value) + field(20, 2)


def node(kind, inputs, outputs, **attributes):  # NodeProto: input 1, output 2, name 3, op_type 4, attribute 5
    fields = [field(1, name) for name in inputs] + [field(2, name) for name in outputs]
    fields += [field(3, f"/{kind.lower()}"), field(4, kind)]
    return b"".join(fields + [field(5, attribute(name, value)) for name, value in attributes.items()])


def tensor(name, shape, values):  # TensorProto: dims 1, data_type 2, name 8, raw_data 9
    fields = [field(1, extent) for extent in shape] + [field(2, FLOAT), field(8, name)]
    return b"".join(fields) + field(9, struct.pack(f"<{len(values)}f", *values))


def value(name, kind, shape):  # ValueInfoProto; a dimension is a number (1) or a symbol (2)
    dimensions = b"".join(field(1, field(2 if isinstance(extent, str) else 1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dimensions)))


# --- the network -------------------------------------------------------------------------------------------------------


def filters():
    """Four filters of 3 x 3, each of which answers to one direction."""
    lines = {"row": lambda y, x: y == 1, "column": lambda y, x: x == 1, "falling": lambda y, x: y == x, "rising": lambda y, x: y + x == 2}
    return [[[2.0 if lines[name](y, x) else -1.0 for x in range(3)] for y in range(3)] for name in DIRECTIONS]


def model():
    flat = [number for one in filters() for row in one for number in row]
    identity = [float(i == j) for i in range(4) for j in range(4)]
    nodes = [
        node("Conv", ["image", "filters"], ["answers"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", ["answers"], ["positive"]),
        node("GlobalAveragePool", ["positive"], ["strength"]),
        node("Flatten", ["strength"], ["rows"], axis=1),
        node("Gemm", ["rows", "weights", "bias"], ["scores"], transB=1),
        node("Softmax", ["scores"], ["probabilities"], axis=-1),
        node("ArgMax", ["scores"], ["direction"], axis=1, keepdims=0),
    ]
    graph = b"".join(field(1, one) for one in nodes) + field(2, "strokes")  # GraphProto: node 1, name 2, initializer 5
    graph += field(5, tensor("filters", [4, 1, 3, 3], flat))
    graph += field(5, tensor("weights", [4, 4], [4 * each for each in identity])) + field(5, tensor("bias", [4], [0.0] * 4))
    graph += field(11, value("image", FLOAT, ["batch", 1, SIZE, SIZE]))
    graph += field(12, value("probabilities", FLOAT, ["batch", 4])) + field(12, value("direction", INT64, ["batch"]))
    # ModelProto: ir_version 1, producer_name 2, producer_version 3, graph 7, opset_import 8 (version 2), metadata_props 14
    head = field(1, 8) + field(2, "make_model.py") + field(3, "1")
    return head + field(7, graph) + field(8, field(2, 17)) + field(14, field(1, "task") + field(2, "direction of a stroke"))


# --- pictures, and what the network makes of them ----------------------------------------------------------------------


def picture(direction):
    def is_stroke(y, x):
        return {"row": y == 3, "column": x == 5, "falling": y == x, "rising": y + x == SIZE - 1}[direction]

    return [[1.0 if is_stroke(y, x) else 0.0 for x in range(SIZE)] for y in range(SIZE)]


def scores(image):
    def at(y, x):
        return image[y][x] if 0 <= y < SIZE and 0 <= x < SIZE else 0.0

    result = []
    for one in filters():
        total = 0.0
        for y in range(SIZE):
            for x in range(SIZE):
                total += max(0.0, sum(one[i][j] * at(y + i - 1, x + j - 1) for i in range(3) for j in range(3)))
        result.append(4 * total / (SIZE * SIZE))
    return result


def softmax(numbers):
    powers = [math.exp(number - max(numbers)) for number in numbers]
    return [power / sum(powers) for power in powers]


def npy(descr, code, shape, numbers):
    shape = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}{code}", *numbers)


def npz(arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data)  # the date is that of ZipInfo: the same bytes each time
    return out.getvalue()


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    pictures = [picture(direction) for direction in DIRECTIONS]
    all_scores = [scores(each) for each in pictures]
    pixels = [pixel for each in pictures for row in each for pixel in row]
    probabilities = [number for each in all_scores for number in softmax(each)]
    directions = [each.index(max(each)) for each in all_scores]
    (directory / "strokes.onnx").write_bytes(model())
    (directory / "inputs.npz").write_bytes(npz({"image": npy("<f4", "f", (4, 1, SIZE, SIZE), pixels)}))
    (directory / "expected.npz").write_bytes(npz({"probabilities": npy("<f4", "f", (4, 4), probabilities),
                                                  "direction": npy("<i8", "q", (4,), directions)}))


if __name__ == "__main__":
    main()
