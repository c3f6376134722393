#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how CPU time and memory grow with inputs: cost.py --build BUILD [--only TEXT] [--jobs N] [--list]

Each case makes an input of n, 2n, 4n and 8n elements and starts the verb that reads or writes it. The exponents of the CPU time, without
that of an input of one element, and of the growth of the peak memory from one size to the next are fitted. A case fails above 1.2, if KNOWN has no reason for it, and if
it takes more memory for each element than LIMITS allows. An input that is refused, where that is not what the case is about, ends the
run. After that come small inputs that name something large, which must cost little. CPU time counts the processes that the program
waits for, those of its sandbox only while it waits. The exit status is 1 if a case fails.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

MAX_EXPONENT = 1.2
MIN_GROWTH = 48 << 20  # bytes: less growth is not fitted, because the first step is a seventh of it
MIN_TIME = 0.04  # seconds at 8n: less is not fitted
STEPS = (1, 2, 4, 8)

# Cases above the exponent: which exponent they may have, and why.
KNOWN = {
    "zebin: kernels, check": (1.35, "its tables of names outgrow the caches of the CPU"),
    "ONNX: chain, convert": (1.35, "its tables of names outgrow the caches of the CPU"),
    "TOSA FlatBuffers: chain, inspect": (1.35, "its tables of names outgrow the caches of the CPU"),
    "graph text: CONCAT of results, explain": (1.9, "the plan of memory compares each result with all that live at the same time"),
    "npz: arrays, run": (1.3, "each group of operators looks for its result among the outputs of the graph"),
    "RPL: flags, all variants refused": (1.4, "800 walks over the program, which outgrows the caches of the CPU"),
}

# Bytes of peak memory for each element, with its text.
LIMITS = {
    "scenario: dispatches, check": 650,
    "scenario: dispatches, explain": 650,
}


def text(value):
    return json.dumps(value)


def npy(shape, data):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (118 - len(header) - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def write(directory, name, contents):
    path = directory / name
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return path


# --- scenarios and recipes ---

SHADER = {"shader": {"uid": "s", "type": "GLSL", "source": "#version 460\nlayout(set = 0, binding = 0) buffer B { uint b[]; };\n"
                                                          "layout(local_size_x = 1) in;\nvoid main() { b[0] += 1u; }\n"}}


def buffer(uid, **more):
    return {"buffer": {"uid": uid, "size": 64, "shader_access": "readwrite", **more}}


def dispatch(uid="b"):
    return {"dispatch_compute": {"shader_ref": "s", "rangeND": [1], "bindings": [{"set": 0, "id": 0, "resource_ref": uid}]}}


def scenario(directory, resources, commands):
    return write(directory, "s.json", text({"resources": resources, "commands": commands}))


def many_buffers(directory, n):
    return scenario(directory, [SHADER] + [buffer(f"b{i}") for i in range(n)], [dispatch(f"b{i}") for i in range(n)])


def many_dispatches(directory, n):
    return scenario(directory, [SHADER, buffer("b")], [dispatch()] * n)


def many_bindings(directory, n):
    shader = {"shader": {"uid": "s", "type": "GLSL", "source": "#version 460\nlayout(set = 0, binding = 0) buffer B { uint b[]; } all[%d];\n"
                         "layout(local_size_x = 1) in;\nvoid main() { all[0].b[0] += 1u; }\n" % n}}
    command = {"dispatch_compute": {"shader_ref": "s", "rangeND": [1], "bindings": [
        {"set": 0, "id": 0, "resource_refs": [f"b{i}" for i in range(n)]}]}}
    return scenario(directory, [shader] + [buffer(f"b{i}") for i in range(n)], [command])


def many_barriers(directory, n):
    barriers = [{"memory_barrier": {"uid": f"m{i}", "src_access": "compute_shader_write", "dst_access": "compute_shader_read"}} for i in range(n)]
    return scenario(directory, barriers, [{"dispatch_barrier": {"memory_barrier_refs": [f"m{i}"]}} for i in range(n)])


def unknown_references(directory, n):
    return scenario(directory, [SHADER] + [buffer(f"buffer{i}") for i in range(n)], [dispatch(f"bufer{i}") for i in range(n)])


def unknown_keys(directory, n):
    return scenario(directory, [buffer("b", **{f"k{i}": 0 for i in range(n)})], [])


def inline_data(directory, n):
    return scenario(directory, [buffer("b") | {"buffer": {"uid": "b", "size": 4 * n, "shader_access": "readonly",
                                                          "data": {"type": "u32", "values": [1] * n}}}], [])


def many_groups(directory, n):
    return scenario(directory, [SHADER] + [buffer(f"b{i}", memory_group={"id": f"g{i // 2}"}) for i in range(n)], [])


def many_shaders(directory, n):
    one = SHADER["shader"]
    return scenario(directory, [buffer("b")] + [{"shader": {**one, "uid": f"s{i}"}} for i in range(n)],
                    [{"dispatch_compute": {**dispatch()["dispatch_compute"], "shader_ref": f"s{i}"}} for i in range(n)])


def recipe(directory, n):
    write(directory, "k.comp", SHADER["shader"]["source"])
    return write(directory, "r.json", text({
        "version": "1.0", "header": {"module": "k.comp"},
        "resources": {"buffers": [{"name": f"b{i}", "type": "inout", "size": 64} for i in range(n)],
                      "kernels": [{"name": "k", "grid": [1, 1, 1], "parameters": [{"argidx": 0, "name": "B"}]}]},
        "execution": {"runs": [{"name": "k", "arguments": [{"name": f"b{i}", "argidx": 0}]} for i in range(n)]}}))


def unknown_buffers(directory, n):
    path = recipe(directory, n)
    path.write_text(path.read_text().replace('"arguments": [{"name": "b', '"arguments": [{"name": "bu'))
    return path


def profile(directory, n):
    return write(directory, "p.json", text({
        "version": "1.0", "executions": [{"mode": "default", "iterations": 1}],
        "bindings": [{"name": f"b{i}", "size": 64, "init": {"random": True}} for i in range(n)]}))


# --- models ---

def graph(lines, outputs):
    return "graph main {\n" + "\n".join("  " + line for line in lines) + f"\n  output {outputs}\n}}\n"


def chain(directory, n):
    lines = ['%v0 = input f32[1, 4] "x"'] + [f"%v{i + 1} = TANH(%v{i}) f32[1, 4]" for i in range(n)]
    return write(directory, "m.graph", graph(lines, f"%v{n}"))


def concat(directory, n):
    lines = [f'%x{i} = input f32[1, 4] "x{i}"' for i in range(n)]
    lines += ["%y = CONCAT(" + ", ".join(f"%x{i}" for i in range(n)) + f") f32[{n}, 4] axis=0"]
    return write(directory, "m.graph", graph(lines, "%y"))


def concat_of_results(directory, n):
    lines = ['%x = input f32[1, 4] "x"'] + [f"%v{i} = TANH(%x) f32[1, 4]" for i in range(n)]
    lines += ["%y = CONCAT(" + ", ".join(f"%v{i}" for i in range(n)) + f") f32[{n}, 4] axis=0"]
    return write(directory, "m.graph", graph(lines, "%y"))


def constants(directory, n):
    lines = ['%v0 = input f32[1, 4] "x"']
    for i in range(n):
        lines += [f"%c{i} = const f32[1, 4] splat {i}", f"%v{i + 1} = ADD(%v{i}, %c{i}) f32[1, 4]"]
    return write(directory, "m.graph", graph(lines, f"%v{n}"))


def converted(make, name):
    """A file that the program itself writes from a graph."""
    def run(directory, n):
        path = directory / name
        made = start(["convert", make(directory, n), "-o", path, *(["--emit", "tosa"] if name.endswith(".tosa") else [])], directory)
        if made.status != 0:
            sys.exit(f"{name}: status {made.status}\n{made.text}")
        return path
    return run


def mlir(directory, n):
    lines = ["func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {"]
    lines += [f"  %v{i + 1} = tosa.tanh %v{i} : (tensor<4xf32>) -> tensor<4xf32>" for i in range(n)]
    return write(directory, "m.mlir", "\n".join(lines) + f"\n  return %v{n} : tensor<4xf32>\n}}\n")


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """A field of a protobuf message: an integer, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx_value(name):
    shape = field(1, field(1, 1)) + field(1, field(1, 4))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def onnx(directory, n):
    nodes = b"".join(field(1, field(1, f"v{i}") + field(2, f"v{i + 1}") + field(4, "Tanh")) for i in range(n))
    body = nodes + field(2, "g") + field(11, onnx_value("v0")) + field(12, onnx_value(f"v{n}"))
    return write(directory, "m.onnx", field(1, 8) + field(7, body) + field(8, field(1, "") + field(2, 17)))


class FlatBuffer:
    """Writes a FlatBuffers file from its end: objects are written before those that refer to them."""

    def __init__(self):
        self.parts, self.size = [], 0  # from the end

    def add(self, data, align=4):
        padding = -(self.size + len(data)) % align
        self.parts += [b"\0" * padding, data]
        self.size += padding + len(data)
        return self.size  # the distance of its begin from the end of the file

    def string(self, value):
        return self.add(struct.pack("<I", len(value)) + value.encode() + b"\0" * (4 - len(value) % 4))

    def numbers(self, letter, values):
        data = struct.pack(f"<{len(values)}{letter}", *values)
        return self.add(struct.pack("<I", len(values)) + data + b"\0" * (-len(data) % 4))

    def offsets(self, targets):
        begin = self.size + 4 + 4 * len(targets) + -(self.size + 4 + 4 * len(targets)) % 4
        return self.add(struct.pack(f"<{len(targets) + 1}I", len(targets), *(begin - 4 - 4 * i - target for i, target in enumerate(targets))))

    def table(self, fields):
        """By index: ("offset", target), or (letter, number) with four bytes each."""
        count = max(fields, default=-1) + 1
        vtable = [4 + 2 * count, 4 + 4 * len(fields)] + [0] * count
        body, begin = b"", self.size + 4 + 4 * len(fields)
        for position, (index, (kind, value)) in enumerate(sorted(fields.items())):
            vtable[2 + index] = 4 + 4 * position
            body += struct.pack("<I", begin - 4 - 4 * position - value) if kind == "offset" else struct.pack("<" + kind, value).ljust(4, b"\0")
        table = self.add(struct.pack("<i", 0) + body)
        data = struct.pack(f"<{len(vtable)}H", *vtable)
        place = self.add(data + b"\0" * (-len(data) % 4))
        # The distance from the table to its vtable, which is before it.
        self.parts[-3] = struct.pack("<i", place - table) + body
        return table

    def finish(self, root, identifier):
        self.add(struct.pack("<I", self.size + 8 - root) + identifier)
        return b"".join(reversed(self.parts))


def tflite(directory, n):
    file = FlatBuffer()
    shape = file.numbers("i", [1, 4])
    tensors = [file.table({0: ("offset", shape), 2: ("I", 0), 3: ("offset", file.string(f"v{i}"))}) for i in range(n + 1)]
    operators = [file.table({0: ("I", 0), 1: ("offset", file.numbers("i", [i])), 2: ("offset", file.numbers("i", [i + 1]))}) for i in range(n)]
    subgraph = file.table({0: ("offset", file.offsets(tensors)), 1: ("offset", file.numbers("i", [0])), 2: ("offset", file.numbers("i", [n])),
                           3: ("offset", file.offsets(operators))})
    tanh = 28
    code = file.table({0: ("b", tanh), 3: ("i", tanh)})
    none = file.table({})
    root = file.table({0: ("I", 3), 1: ("offset", file.offsets([code])), 2: ("offset", file.offsets([subgraph])), 4: ("offset", file.offsets([none]))})
    return write(directory, "m.tflite", file.finish(root, b"TFL3"))


# --- programs and kernels ---

def rpl(directory, n):
    lines = [f"constant c{i} = {i}u;\nset_pass uniform_buffer b{i} {{ f4 a; }};\nf1 add{i} (in f1 x) {{ return x + 1.0; }}" for i in range(n)]
    return write(directory, "p.rpl", "\n".join(lines) + "\n")


def rpl_body(directory, n):
    lines = [f"    x = x + {i}.5;" for i in range(n)]
    return write(directory, "p.rpl", "f1 f (in f1 y)\n{\n    f1 x = y;\n" + "\n".join(lines) + "\n    return x;\n}\n")


def rpl_unknown(directory, n):
    lines = [f"constant cc{i} = {i}u; constant d{i} = cd{i};" for i in range(n)]
    return write(directory, "p.rpl", "\n".join(lines) + "\n")


def rpl_flags(directory, n):
    lines = [f"instance is{i}: flag off;\nconditional (is{i}) setting depth_max = {i}.5;" for i in range(n)]
    return write(directory, "p.rpl", "\n".join(lines) + "\n")


def project(directory, n):
    write(directory, "a.rpl", "constant a = 1u;\n")
    return write(directory, "a.rplproject.json", text({
        "passes": [{"name": f"p{i}", "sources": ["a.rpl"], "materials": []} for i in range(n)]}))


def zeinfo_text(n):
    kernels = "".join(f"""  - name: k{i}
    execution_env:
      grf_count: 128
      simd_size: 16
    payload_arguments:
      - arg_type: global_id_offset
        offset: 0
        size: 12
""" for i in range(n))
    return f"version: '1.39'\nkernels:\n{kernels}"


def zeinfo(directory, n):
    return write(directory, "k.ze_info", zeinfo_text(n))


def elf(sections, machine):
    """A 64-bit ELF file with (name, type, contents)."""
    names, headers, body = b"\0", [struct.pack("<IIQQQQIIQQ", *[0] * 10)], b""
    sections = sections + [(".shstrtab", 3, None)]
    for name, kind, contents in sections:
        begin = len(names)
        names += name.encode() + b"\0"
        contents = names if contents is None else contents
        headers.append(struct.pack("<IIQQQQIIQQ", begin, kind, 0, 0, 64 + len(body), len(contents), 0, 0, 1, 0))
        body += contents
    header = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 0xFF12, machine, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64,
                                                            len(headers), len(headers) - 1)
    return header + body + b"".join(headers)


def zebin(directory, n):
    n = min(n, 60000)  # section indices of an ELF file have 16 bits
    text_sections = [(f".text.k{i}", 1, b"\0" * 16) for i in range(n)]
    return write(directory, "k.zebin", elf(text_sections + [(".ze_info", 0xFF000011, zeinfo_text(n).encode())], 205))


def spirv(directory, n):
    def word(opcode, *operands):
        return struct.pack(f"<{len(operands) + 1}I", (len(operands) + 1) << 16 | opcode, *operands)
    code = word(17, 1) + word(14, 0, 1)  # Shader, GLSL450
    code += word(15, 5, 1, 0x6E69616D, 0) + word(16, 1, 17, 1, 1, 1)  # an entry point `main`
    code += word(19, 2) + word(33, 3, 2) + word(21, 4, 32, 0) + word(43, 4, 5, 7)
    body = word(54, 2, 1, 0, 3) + word(248, 6) + b"".join(word(128, 4, 7 + i, 5, 5) for i in range(n)) + word(253) + word(56)
    return write(directory, "s.spv", struct.pack("<5I", 0x07230203, 0x10300, 0, 7 + n, 0) + code + body)


def spirv_text(directory, n):
    lines = ["OpCapability Shader", "OpMemoryModel Logical GLSL450", 'OpEntryPoint GLCompute %main "main"', "OpExecutionMode %main LocalSize 1 1 1",
             "%void = OpTypeVoid", "%f = OpTypeFunction %void", "%u = OpTypeInt 32 0", "%c = OpConstant %u 7", "%main = OpFunction %void None %f", "%l = OpLabel"]
    return write(directory, "s.spvasm", "\n".join(lines + [f"%a{i} = OpIAdd %u %c %c" for i in range(n)] + ["OpReturn", "OpFunctionEnd"]) + "\n")


def glsl(directory, n):
    lines = "".join(f"  b[{i % 16}] += {i}u;\n" for i in range(n))
    return write(directory, "s.comp", "#version 460\nlayout(set = 0, binding = 0) buffer B { uint b[]; };\nvoid main() {\n" + lines + "}\n")


# --- arrays and images ---

def npy_input(directory, n):
    write(directory, "a.npy", npy([n], bytes(4 * n)))
    return scenario(directory, [{"buffer": {"uid": "b", "size": 4 * n, "shader_access": "readwrite", "src": "a.npy", "dst": "o.npy"}}], [])


def npz(members):
    data, entries = b"", b""
    for name, contents in members:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(contents) + packer.flush()
        common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, zlib.crc32(contents), len(packed), len(contents), len(name), 0)
        entries += b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(data)) + name.encode()
        data += b"PK\x03\x04" + common + name.encode() + packed
    return data + entries + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(entries), len(data), 0)


def npz_members(directory, n):
    lines = []
    for i in range(n):
        lines.append(f'%x{i} = input f32[4] "x{i}"')
    lines += [f"%y{i} = TANH(%x{i}) f32[4]" for i in range(n)]
    write(directory, "in.npz", npz([(f"x{i}.npy", npy([4], bytes(16))) for i in range(n)]))
    return write(directory, "m.graph", graph(lines, "\n  output ".join(f"%y{i}" for i in range(n))))


def image(directory, name, form, n, contents):
    write(directory, name, contents)
    return scenario(directory, [{"image": {"uid": "i", "format": form, "dims": [1, 1024, n, 1], "shader_access": "readonly", "src": name}}], [])


def png(directory, n):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packed = zlib.compress((b"\0" + bytes(range(256)) * 16) * n, 1)
    return image(directory, "i.png", "VK_FORMAT_R8G8B8A8_UNORM", n, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1024, n, 8, 6, 0, 0, 0)) +
                 chunk(b"IDAT", packed) + chunk(b"IEND", b""))


def dds(directory, n):
    header = struct.pack("<7I", 124, 0x100F, n, 1024, 4096, 0, 1) + bytes(44) + struct.pack("<II4s5I", 32, 4, b"DX10", 0, 0, 0, 0, 0)
    header += struct.pack("<5I", 0x1000, 0, 0, 0, 0) + struct.pack("<5I", 28, 3, 0, 1, 0)
    return image(directory, "i.dds", "VK_FORMAT_R8G8B8A8_UNORM", n, b"DDS " + header + bytes(4096 * n))


def exr(directory, n):
    def attribute(name, kind, data):
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(data)) + data
    channels = b"".join(name + b"\0" + struct.pack("<IIII", 2, 0, 1, 1) for name in (b"A", b"B", b"G", b"R")) + b"\0"
    window = struct.pack("<4i", 0, 0, 1023, n - 1)
    header = b"\x76\x2f\x31\x01\x02\0\0\0" + attribute("channels", "chlist", channels) + attribute("compression", "compression", b"\0")
    header += attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window) + attribute("lineOrder", "lineOrder", b"\0")
    header += attribute("pixelAspectRatio", "float", struct.pack("<f", 1)) + attribute("screenWindowCenter", "v2f", bytes(8))
    header += attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    line = 8 + 1024 * 16
    offsets = struct.pack(f"<{n}Q", *(len(header) + 8 * n + line * i for i in range(n)))
    body = b"".join(struct.pack("<iI", i, 1024 * 16) + bytes(1024 * 16) for i in range(n))
    return image(directory, "i.exr", "VK_FORMAT_R32G32B32A32_SFLOAT", n, header + offsets + body)


def ktx2(directory, n):
    descriptor = struct.pack("<IIHHBBBBBBBBBBBBBBBB", 92, 0, 2, 88, 1, 1, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0)
    for i in range(4):
        descriptor += struct.pack("<HBBIII", 8 * i, 7, 15 if i == 3 else i, 0, 0, 255)
    begin = 80 + 24 + len(descriptor)
    begin += -begin % 4
    head = b"\xabKTX 20\xbb\r\n\x1a\n" + struct.pack("<9I", 37, 1, 1024, n, 0, 0, 1, 1, 0) + struct.pack("<4IQQ", 104, len(descriptor), 0, 0, 0, 0)
    level = struct.pack("<QQQ", begin, 4096 * n, 4096 * n)
    return image(directory, "i.ktx2", "VK_FORMAT_R8G8B8A8_UNORM", n, (head + level + descriptor).ljust(begin, b"\0") + bytes(4096 * n))


# --- results ---

def results_text(n):
    run = {"run": {"id": "1", "slipway": "0", "started": "2026-01-01T00:00:00Z", "host": "h", "directory": "/", "command": ["slipway"]}}
    lines = [text(run)]
    for i in range(n):
        lines.append(text({"case": {"run": "1", "file": f"c/{i}.json", "format": "scenario", "verdict": "failed" if i % 7 == 0 else "passed",
                                    "exit_status": 1 if i % 7 == 0 else 0, "started": "2026-01-01T00:00:00Z", "at": 0.1, "seconds": 0.1, "worker": 0,
                                    "device": {"name": "d", "driver": "v"}, "ok": i % 7 != 0,
                                    "files": [{"file": f"c/{i}.json", "status": "passed", "exit_status": 0, "skipped": [], "diagnostics": [],
                                               "expectations": []}]}}))
    return "\n".join(lines) + "\n"


def results(directory, n):
    return write(directory, "r.jsonl", results_text(n))


def two_results(directory, n):
    write(directory, "before.jsonl", results_text(n))
    return write(directory, "r.jsonl", results_text(n))


# --- the language server ---

def messages(bodies):
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in (text({"jsonrpc": "2.0", **one}).encode() for one in bodies))


def session(directory, bodies):
    return write(directory, "lsp.in", messages([{"id": 1, "method": "initialize", "params": {"capabilities": {}}}, *bodies,
                                                {"id": 2, "method": "shutdown"}, {"method": "exit"}]))


def opened(uri, source):
    return {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "languageId": "rpl", "version": 1, "text": source}}}


def lsp_documents(directory, n):
    return session(directory, [opened(f"file:///d/a{i}.rpl", f"constant a = {i}u;\nf1 f (in f1 x) {{ return x + 1.0; }}\n") for i in range(n)])


def lsp_scenarios(directory, n):
    one = text({"resources": [buffer("b")], "commands": []})
    return session(directory, [opened(f"file:///d/a{i}.json", one) for i in range(n)])


def lsp_edits(directory, n):
    change = [{"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///d/a.rpl", "version": i}, "contentChanges": [
        {"range": {"start": {"line": 0, "character": 13}, "end": {"line": 0, "character": 14}}, "text": str(i % 10)}]}} for i in range(n)]
    return session(directory, [opened("file:///d/a.rpl", "constant a = 1u;\n"), *change])


# Name, function, first n, words of the command line, and the largest first n where the usual one is too large; `{}` is the input, after `<`
# it is standard input.
CASES = [
    ("scenario: buffers, check", many_buffers, 500, "check {}"),
    ("scenario: buffers, explain", many_buffers, 500, "run --explain {}"),
    ("scenario: dispatches, check", many_dispatches, 2000, "check {}"),
    ("scenario: dispatches, explain", many_dispatches, 2000, "run --explain {}"),
    ("scenario: bindings of an array, check", many_bindings, 500, "check {}"),
    ("scenario: barriers, check", many_barriers, 1000, "check {}"),
    ("scenario: unknown references, check", unknown_references, 500, "check {}"),
    ("scenario: unknown keys, check", unknown_keys, 5000, "check {}"),
    ("scenario: inline values, check", inline_data, 50000, "check {}"),
    ("scenario: memory groups, check", many_groups, 500, "check {}"),
    ("scenario: shaders, check", many_shaders, 16, "check {}"),
    ("recipe: buffers and runs, check", recipe, 500, "check {}"),
    ("recipe: buffers and runs, explain", recipe, 500, "run --explain --device cpu {}"),
    ("recipe: unknown buffers, check", unknown_buffers, 500, "check {}"),
    ("profile: bindings, check", profile, 1000, "check {}"),
    ("graph text: chain, inspect", chain, 500, "inspect {}"),
    ("graph text: chain, convert", chain, 200, "convert {} -o o.vgf"),
    ("graph text: chain, explain", chain, 200, "run --explain --device cpu {}"),
    # An instruction of SPIR-V has at most 65,535 words.
    ("graph text: CONCAT of inputs, explain", concat, 100, "run --explain --device cpu {}", 8000),
    ("graph text: CONCAT of results, explain", concat_of_results, 100, "run --explain --device cpu {}", 8000),
    ("graph text: CONCAT of inputs, run", concat, 100, "run --device cpu -q {}", 8000),
    ("graph text: constants, explain", constants, 200, "run --explain --device cpu {}"),
    ("VGF: chain, check", converted(chain, "m.vgf"), 200, "check {}"),
    ("VGF: chain, inspect", converted(chain, "m.vgf"), 200, "inspect {}"),
    ("TOSA FlatBuffers: chain, inspect", converted(chain, "m.tosa"), 200, "inspect {}", 12800),
    ("MLIR text: chain, inspect", mlir, 200, "inspect {}"),
    ("ONNX: chain, convert", onnx, 200, "convert {} -o o.vgf"),
    ("TFLite: chain, convert", tflite, 200, "convert {} -o o.vgf"),
    ("RPL: definitions, check", rpl, 500, "check {}", 8000),
    ("RPL: one body, check", rpl_body, 1000, "check {}"),
    ("RPL: definitions, format", rpl, 500, "format --check {}", 8000),
    ("RPL: unknown names, check", rpl_unknown, 500, "check {}"),
    ("RPL: flags, all variants refused", rpl_flags, 24, "check --variants all {}", 1500),
    ("project: passes, check", project, 50, "check {}"),
    ("zebin: kernels, check", zebin, 200, "check {}", 7500),
    ("ZE Info: kernels, check", zeinfo, 500, "check {}"),
    ("ZE Info: kernels, convert", zeinfo, 500, "convert {} --to 1.5 -o o.ze_info"),
    ("SPIR-V: instructions, inspect", spirv, 2000, "inspect {}"),
    ("SPIR-V assembly: instructions, inspect", spirv_text, 1000, "inspect {}"),
    ("GLSL: statements, inspect", glsl, 200, "inspect {}", 12800),
    ("npy: elements, run", npy_input, 100000, "run --device cpu -q {}"),
    ("npz: arrays, run", npz_members, 50, "run --explain --device cpu {} --inputs in.npz", 5000),
    ("PNG: rows, run", png, 50, "run -q {}", 1000),
    ("DDS: rows, run", dds, 50, "run -q {}", 1600),
    ("OpenEXR: rows, run", exr, 50, "run -q {}", 1600),
    ("KTX2: rows, run", ktx2, 50, "run -q {}", 1600),
    ("results: lines, summary", results, 500, "results summary {}"),
    ("results: lines, junit", results, 500, "results junit {} -o o.xml"),
    ("results: lines, page", results, 500, "results html {} -o o.html"),
    ("results: lines, compare", two_results, 500, "results compare before.jsonl {}"),
    ("language server: documents", lsp_documents, 50, "< lsp"),
    ("language server: scenarios", lsp_scenarios, 50, "< lsp"),
    ("language server: edits", lsp_edits, 200, "< lsp"),
]

options = None

# Starts a command. The peak memory of a process counts that of the one that started it, so that this one must be small.
STARTER = """import os, subprocess, sys
child = subprocess.Popen(sys.argv[2:], stdout=int(sys.argv[1]), stderr=subprocess.STDOUT)
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


class Cost:
    def __init__(self, seconds, memory, status, text):
        self.seconds, self.memory, self.status, self.text = seconds, memory, status, text


def start(words, directory, standard_input=None):
    """Runs the program; its CPU time and peak memory."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(directory / "cache"), "NODEVICE_SELECT": "1"}
    environment.setdefault("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/lvp_icd.json")
    with tempfile.TemporaryFile() as out, open(standard_input or os.devnull, "rb") as given:
        made = subprocess.run([sys.executable, "-c", STARTER, str(out.fileno()), str(options.build / "bin/slipway"), *map(str, words)],
                              cwd=directory, env=environment, stdin=given, stdout=subprocess.PIPE, pass_fds=[out.fileno()], check=True)
        status, seconds, memory = made.stdout.split()
        out.seek(0)
        return Cost(float(seconds), int(memory) * 1024, int(status), out.read(4000).decode(errors="replace"))


def measure(directory, name, make, n, words):
    path = make(directory, n)
    is_input = words.startswith("< ")
    command = [str(path) if word == "{}" else word for word in words.removeprefix("< ").split()]
    costs = [start(command, directory, path if is_input else None) for _ in range(2)]
    # What refuses its input otherwise does not show what reading it costs.
    refuses = "unknown" in name or "refused" in name
    if costs[0].status not in ((3,) if refuses and n > 1 else (0, 1, 3) if refuses else (0, 1)):
        sys.exit(f"{name}: {command}: status {costs[0].status}\n{costs[0].text}")
    return Cost(min(cost.seconds for cost in costs), min(cost.memory for cost in costs), costs[0].status, costs[0].text)


def exponent(values):
    """The slope of the logarithms over those of the first STEPS; None if there is no growth to fit."""
    if min(values) <= 0:
        return None
    x, y = [math.log(step) for step in STEPS[:len(values)]], [math.log(value) for value in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def run_case(directory, name, make, n, words, most=None):
    """Whether it fails, and its line of the table."""
    most = most or options.most
    least = measure(directory, name, make, 1, words)
    while True:
        first = measure(directory, name, make, n, words)
        if first.seconds - least.seconds >= options.enough or n >= most:
            break
        n = min(n * (2 if first.seconds - least.seconds > options.enough / 4 else 4), most)
    costs = [first] + [measure(directory, name, make, step * n, words) for step in STEPS[1:]]
    times, memories = [cost.seconds - least.seconds for cost in costs], [cost.memory - least.memory for cost in costs]
    # From each size to the next: these grow by the same exponent. The peak of an input of one element may be that of the process that
    # started the program, and what is subtracted would be too much.
    growth = [after.memory - before.memory for before, after in zip(costs, costs[1:])]
    time = exponent(times) if times[-1] >= MIN_TIME else None
    # Lists that double make steps, of which the fit of one or the other shows too much.
    fits = [fit for fit in (exponent(growth), exponent(memories)) if fit is not None]
    memory = min(fits) if fits and memories[-1] >= MIN_GROWTH else None
    allowed, reason = KNOWN.get(name, (MAX_EXPONENT, ""))
    each = memories[-1] / (STEPS[-1] * n)
    faults = []
    if len({cost.status for cost in costs}) > 1:
        faults.append(f"status {costs[-1].status} for large ones: {costs[-1].text[:200]}")
    if (time or 0) > allowed:
        faults.append("time")
    if (memory or 0) > allowed:
        faults.append("memory")
    if each > LIMITS.get(name, math.inf):
        faults.append(f"more than {LIMITS[name]} bytes each")
    shown = [f"{value:.2f}" if value is not None else "-" for value in (time, memory)]
    return bool(faults), (
        f"| {name:42} | {n:8} | {times[0]:6.2f} | {times[-1]:7.2f} | {shown[0]:>5} | {memories[-1] / 1e6:7.0f} | {shown[1]:>6} | {each:9.0f} | "
        f"{'FAILS: ' + ', '.join(faults) if faults else reason or 'ok'} |")


# --- small inputs that name something large ---

def endless(directory):
    spellings = ["/dev/zero", "/dev/./zero", "/dev/././zero", "/dev/../dev/zero", "link", "/dev/full", "/dev/urandom"]
    (directory / "link").symlink_to("/dev/zero")
    return scenario(directory, [{"buffer": {"uid": f"b{i}", "size": 64, "shader_access": "readonly", "src": name}} for i, name in enumerate(spellings)], [])


def bomb(array):
    def make(directory):
        write(directory, "in.npz", npz([("x.npy", array())]))
        return six(directory)
    return make


def six(directory):
    return write(directory, "m.graph", graph(['%x = input f32[6] "x"', "%y = TANH(%x) f32[6]"], "%y"))


def lsp_endless(directory):
    write(directory, "a.rpl", "constant a = 1u;\n")
    os.mkfifo(directory / "pipe")
    made = {"passes": [{"name": "p", "sources": ["a.rpl", "/dev/zero", "pipe"]}]}
    write(directory, "a.rplproject.json", text(made))
    return session(directory, [opened(f"file://{directory}/a.rpl", "constant a = 1u;\n"), opened(f"file://{directory}/a.rplproject.json", text(made))])


def huge_numbers(directory):
    top = (1 << 64) - 1
    resources = [{"buffer": {"uid": "b", "size": top, "shader_access": "readonly"}},
                 {"image": {"uid": "i", "format": "VK_FORMAT_R8G8B8A8_UNORM", "dims": [1, 4294967295, 4294967295, 1], "shader_access": "readonly"}},
                 {"tensor": {"uid": "t", "format": "VK_FORMAT_R8_SINT", "dims": [1 << 40, 1 << 40], "shader_access": "readonly"}},
                 {"buffer": {"uid": "f", "size": 1 << 50, "shader_access": "readonly", "fill": {"type": "u8", "value": 1}}}]
    return scenario(directory, resources, [])


def huge_graph(directory):
    return write(directory, "m.graph", graph(['%x = input f32[1] "x"', "%y = TILE(%x) f32[1099511627776] multiples=[1099511627776]"], "%y"))


# Name, function, words, seconds of CPU, bytes.
SMALL = [
    ("scenario that names endless devices, check", endless, "check {}", 0.5, 100 << 20),
    ("scenario that names endless devices, explain", endless, "run --explain {}", 0.5, 100 << 20),
    ("npz of 1 GB of elements for an input of 24 bytes, run", bomb(lambda: npy([1 << 28], bytes(1 << 30))), "run --explain --device cpu {} --inputs in.npz", 1.5, 150 << 20),
    ("npz of 24 bytes and 1 GB after them, run", bomb(lambda: npy([6], bytes(24)) + bytes(1 << 30)), "run --explain --device cpu {} --inputs in.npz", 1.5,
     150 << 20),
    ("project that names an endless device, language server", lsp_endless, "< lsp", 0.5, 100 << 20),
    ("scenario with huge numbers, check", huge_numbers, "check {}", 0.5, 100 << 20),
    ("scenario with huge numbers, explain", huge_numbers, "run --explain {}", 0.5, 100 << 20),
    ("graph with a huge tensor, explain", huge_graph, "run --explain --device cpu {}", 0.5, 150 << 20),
    ("endless device as a scenario, check", lambda _: "/dev/./zero", "check {}", 0.5, 100 << 20),
    ("endless device as an array, run", lambda directory: npz_members(directory, 1), "run --explain --device cpu {} --input x0=/dev/zero", 0.5, 100 << 20),
]


def run_small(directory, name, make, words, seconds, memory):
    path = make(directory)
    is_input = words.startswith("< ")
    command = [str(path) if word == "{}" else word for word in words.removeprefix("< ").split()]
    cost = start(command, directory, path if is_input else None)
    bad = cost.seconds > seconds or cost.memory > memory or cost.status not in (0, 3, 4, 5)
    return bad, (f"| {name:53} | {cost.seconds:5.2f} | {cost.memory / 1e6:6.0f} | {cost.status:6} | {'FAILS' if bad else 'ok'} |"
                 + (f"\n{cost.text[:1000]}" if bad else ""))


def run_all(run, cases):
    """Runs cases at the same time, and prints their lines in order; how many fail."""
    def one(case):
        with tempfile.TemporaryDirectory(prefix="slipway-cost-") as name:
            return run(pathlib.Path(name), *case)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(one, case) for case in cases]
        try:
            for done in waiting:
                bad, line = done.result()
                print(line, flush=True)
                failed += bad
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return failed


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--only", default="", help="cases whose names have this text")
    parser.add_argument("--most", type=int, default=200_000, help="the largest first n")
    parser.add_argument("--enough", type=float, default=0.06, help="seconds of CPU at the first n: noise is small beside that of 8n")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at the same time")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    failed = 0
    cases = [case for case in CASES if options.only in case[0]]
    if options.list:
        print("\n".join(case[0] for case in cases))
        return 0
    if cases:
        print(f"| {'input':42} | {'n':>8} | s at n | s at 8n | power | MB at 8n | power | bytes each | |\n|---|--:|--:|--:|--:|--:|--:|--:|---|")
    failed += run_all(run_case, cases)
    small = [case for case in SMALL if options.only in case[0]]
    if small:
        print(f"\n| {'small input':53} | s | MB | status | |\n|---|--:|--:|--:|---|")
    failed += run_all(run_small, small)
    print(f"{failed} of {len(cases) + len(small)} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
