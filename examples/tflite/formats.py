# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of TensorFlow Lite, NumPy and PNG, and the arithmetic of quantised integers, with the standard library of Python."""
import io
import math
import struct
import zipfile
import zlib

FLOAT32, INT32, UINT8, INT64, INT8 = 0, 2, 3, 4, 9  # Tensor.type
ADD, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, MUL, RESHAPE, ARG_MAX = 0, 3, 4, 9, 18, 22, 56  # BuiltinOperator


class Buffer:
    """A FlatBuffer, from its end to its beginning; an object is known by its distance from the end."""

    def __init__(self):
        self.data = b""

    def put(self, data):
        self.data = data + b"\0" * (-(len(self.data) + len(data)) % 4) + self.data
        return len(self.data)

    def vector(self, code, values, alignment=4):
        data = struct.pack(f"<{len(values)}{code}", *values)
        self.data = b"\0" * (-(len(self.data) + len(data)) % max(alignment, 4)) + self.data
        return self.put(struct.pack("<I", len(values)) + data)

    def text(self, text):
        data = text.encode() + b"\0"
        return self.put(struct.pack("<I", len(text)) + data + b"\0" * (-len(data) % 4))

    def offsets(self, objects):
        end = len(self.data) + 4 * len(objects)
        return self.vector("I", [end - 4 * i - each for i, each in enumerate(objects)])

    def table(self, **fields):
        """Fields by number: f0=("i", 3), f1=object. Codes are those of struct."""
        numbers = {int(name[1:]): value for name, value in fields.items() if value is not None}
        place, body = {}, 4
        for number, value in sorted(numbers.items(), key=lambda item: -struct.calcsize(item[1][0]) if isinstance(item[1], tuple) else -4):
            size = struct.calcsize(value[0]) if isinstance(value, tuple) else 4
            place[number], body = body, body + size
        body += -body % 4
        made = bytearray(body)
        start = len(self.data) + body  # of the table, from the end: what is before it has a size of a multiple of 4
        for number, value in numbers.items():
            at = place[number]
            if isinstance(value, tuple):
                struct.pack_into("<" + value[0], made, at, value[1])
            else:
                struct.pack_into("<I", made, at, start - at - value)
        entries = [place.get(number, 0) for number in range(max(numbers, default=-1) + 1)]
        head = struct.pack(f"<{len(entries) + 2}H", 2 * len(entries) + 4, body, *entries)
        head += b"\0" * (-len(head) % 4)
        struct.pack_into("<i", made, 0, len(head))
        self.put(bytes(made))
        self.put(head)
        return start

    def finish(self, root):
        self.data = b"\0" * (-(len(self.data) + 8) % 16) + self.data
        return struct.pack("<I", len(self.data) + 8 - root) + b"TFL3" + self.data


class Model:
    def __init__(self):
        self.tensors, self.operators, self.codes, self.buffers = [], [], [], [b""]

    def tensor(self, name, kind, shape, scale=None, zero=0, values=None):
        buffer = 0
        if values is not None:
            code = {FLOAT32: "f", INT32: "i", UINT8: "B", INT64: "q", INT8: "b"}[kind]
            self.buffers.append(struct.pack(f"<{len(values)}{code}", *values))
            buffer = len(self.buffers) - 1
        self.tensors.append((name, kind, shape, scale, zero, buffer))
        return len(self.tensors) - 1

    def add(self, code, inputs, outputs, union=0, **options):
        if code not in self.codes:
            self.codes.append(code)
        self.operators.append((self.codes.index(code), inputs, outputs, union, options))

    def file(self, inputs, outputs):
        b = Buffer()
        tensors, operators = [], []
        for name, kind, shape, scale, zero, buffer in self.tensors:
            by = scale and b.table(f2=b.vector("f", [scale]), f3=b.vector("q", [zero], 8))
            tensors.append(b.table(f0=b.vector("i", shape), f1=("b", kind), f2=("I", buffer), f3=b.text(name), f4=by or None))
        for code, given, made, union, options in self.operators:
            table = b.table(**options) if union else None
            operators.append(b.table(f0=("I", code), f1=b.vector("i", given), f2=b.vector("i", made), f3=("B", union), f4=table))
        codes = [b.table(f0=("b", code), f2=("i", 1), f3=("i", code)) for code in self.codes]
        buffers = [b.table(f0=b.vector("B", data, 16)) if data else b.table() for data in self.buffers]
        graph = b.table(f0=b.offsets(tensors), f1=b.vector("i", inputs), f2=b.vector("i", outputs), f3=b.offsets(operators))
        return b.finish(b.table(f0=("I", 3), f1=b.offsets(codes), f2=b.offsets([graph]), f4=b.offsets(buffers)))


# --- the arithmetic of the reference kernels ---------------------------------------------------------------------------


def rescaled(value, scale):
    """value * scale, rounded twice to integers, halves away from 0."""
    fraction, exponent = math.frexp(scale)
    product = ((value << max(exponent, 0)) * math.floor(fraction * 2**31 + 0.5) + 2**30) >> 31
    half = 1 << (-exponent - 1) if exponent < 0 else 0
    size = (abs(product) + half) >> max(-exponent, 0)
    return size if product >= 0 else -size


def clamped(value, low, high):
    return max(low, min(high, value))


def f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


# --- arrays ------------------------------------------------------------------------------------------------------------


def npy(descr, code, shape, numbers):
    shape = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}{code}", *numbers)


def npz(**arrays):
    """NAME=(type of NumPy, code of struct, shape, numbers)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), npy(*array))  # the date is that of ZipInfo: the same bytes each time
    return out.getvalue()


# --- pictures ----------------------------------------------------------------------------------------------------------


def png(width, rows):
    """A picture of bytes red, green, blue; it is not compressed, so that it has the same bytes everywhere."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + bytes(row) for row in rows)
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 0)) + chunk(b"IEND", b"")
