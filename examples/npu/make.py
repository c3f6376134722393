#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the NPU files of this example: make.py DIRECTORY

design.xclbin is a design with one kernel, `DPU`, control.elf its control code, and config.elf a configuration ELF with the
kernels `CONV` (instances `a` and `b`) and `POOL`. They have every structure that such files have and no code: their images
are zeros and must not be sent to hardware. The files are the same every time.
"""
import pathlib
import struct
import sys
import uuid

IMAGE = bytes(64)


def align(data, to):
    return data + bytes(-len(data) % to)


# --- xclbin ----------------------------------------------------------------------------------------------------------

METADATA = """<?xml version="1.0" encoding="utf-8"?>
<project><platform><device><core>
  <kernel name="DPU" language="c" type="dpu">
    <extended-data subtype="1" functional="0" dpu_kernel_id="0x901"/>
    <arg name="opcode" addressQualifier="0" id="0" size="0x8" offset="0x00" hostOffset="0x0" hostSize="0x8" type="uint64_t"/>
    <arg name="instr" addressQualifier="1" id="1" size="0x8" offset="0x08" hostOffset="0x0" hostSize="0x8" type="char *"/>
    <arg name="ninstr" addressQualifier="0" id="2" size="0x4" offset="0x10" hostOffset="0x0" hostSize="0x4" type="uint32_t"/>
    <arg name="bo0" addressQualifier="1" id="3" size="0x8" offset="0x14" hostOffset="0x0" hostSize="0x8" type="void*"/>
    <arg name="bo1" addressQualifier="1" id="4" size="0x8" offset="0x1c" hostOffset="0x0" hostSize="0x8" type="void*"/>
    <arg name="bo2" addressQualifier="1" id="5" size="0x8" offset="0x24" hostOffset="0x0" hostSize="0x8" type="void*"/>
    <instance name="dpu0"/>
  </kernel>
</core></device></platform></project>
"""


def memory(tag, kib):
    return struct.pack("<BB6xQQ16s", 2, 1, kib, 0x4000000, tag)


def partition():
    """The section AIE_PARTITION: a header of 184 bytes, then the arrays to which it refers."""
    text = b"\0DPU\0"
    at = {"text": 184}
    at["columns"] = 192
    at["pdi"] = 200
    at["group"] = at["pdi"] + 96
    at["kernels"] = at["group"] + 96
    at["image"] = at["kernels"] + 8
    header = struct.pack("<B3xII4xQQH6xII72xIII52x", 1, at["text"], 2048, 23423, 12345, 4, 2, at["columns"], 1, at["pdi"],
                         at["text"])
    assert len(header) == 184
    pdi = struct.pack("<16sIIII64x", uuid.UUID(int=0x42).bytes, len(IMAGE), at["image"], 1, at["group"])
    group = struct.pack("<IB3xQIIII64x", at["text"] + 1, 1, 1, 1, at["kernels"], 0, 0)
    body = align(text, 8) + align(struct.pack("<HH", 0, 4), 8) + pdi + group + struct.pack("<Q", 0x901) + IMAGE
    return header + body


def xclbin():
    connections = [(1, 0, 1), (3, 0, 0), (4, 0, 0), (5, 0, 0)]
    sections = [
        (6, b"mem", struct.pack("<i4x", 2) + memory(b"HOST", 65536) + memory(b"SRAM", 49152)),
        (32, b"partition", partition()),
        (2, b"", METADATA.encode()),
        (8, b"", struct.pack("<i4xIIQ64s", 1, 7, 0x09010001, 2**64 - 1, b"DPU:dpu0")),
        (7, b"", struct.pack("<i", len(connections)) + b"".join(struct.pack("<iii", *one) for one in connections)),
    ]
    table, body = b"", b""
    first = 456 + 40 * len(sections)
    for kind, name, data in sections:
        body = align(body, 8)
        table += struct.pack("<I16s4xQQ", kind, name, first + len(body), len(data))
        body += data
    header = struct.pack("<QQQHBBHH16s64s16s16sI4x", first + len(body), 1_700_000_000, 0, 0, 2, 25, 0, 0, bytes(16), b"",
                         uuid.UUID("51177ab0-0000-4000-8000-000000000001").bytes, b"", len(sections))
    return struct.pack("<8si28s256sQ", b"xclbin2\0", -1, b"\xff" * 28, b"", 1_700_000_000) + header + table + body


# --- ELF -------------------------------------------------------------------------------------------------------------


class Elf:
    """Returns a 32-bit ELF file of platform aie2p without program headers."""

    def __init__(self, abi):
        self.abi, self.names, self.body, self.headers = abi, b"\0", b"", [bytes(40)]

    def add(self, name, kind, data, flags=0, link=0, info=0):
        entry_size = {2: 16, 4: 12, 11: 16, 17: 4}.get(kind, 0)
        self.body = align(self.body, 8)
        self.headers.append(struct.pack("<10I", len(self.names), kind, flags, 0, 52 + len(self.body), len(data), link, info, 4,
                                        entry_size))
        self.names += name.encode() + b"\0"
        self.body += data
        return len(self.headers) - 1

    def note(self, name, kind, data):
        self.add(name, 7, struct.pack("<III4s", 4, len(data), kind, b"XRT") + data)

    def write(self):
        names = self.add(".shstrtab", 3, b"")
        end = 52 + len(self.body) + len(self.names)
        self.headers[names] = struct.pack("<10I", self.names.index(b"\0.shstrtab\0") + 1, 3, 0, 0, 52 + len(self.body),
                                          len(self.names), 0, 0, 1, 0)
        identification = b"\x7fELF" + bytes([1, 1, 1, 69, self.abi]) + bytes(7)
        header = identification + struct.pack("<HHIIIIIHHHHHH", 2, 1, 1, 0, 0, end, 0, 52, 0, 0, 40, len(self.headers), names)
        return header + self.body + self.names + b"".join(self.headers)


def symbol(name, size, info, section):
    return struct.pack("<IIIBBH", name, 0, size, info, 0, section)


def patches(elf, code, arguments):
    """Returns `.dynstr`, `.dynsym` and `.rela.dyn`, with an address for each (argument, offset in the code, addend)."""
    strings = b"\0" + b"".join(str(argument).encode() + b"\0" for argument, _, _ in arguments)
    text = elf.add(".dynstr", 3, strings)
    symbols = bytes(16) + b"".join(symbol(strings.index(b"\0%d\0" % argument) + 1, 64, 0x11, code) for argument, _, _ in arguments)
    table = elf.add(".dynsym", 11, symbols, link=text, info=1)
    shim_dma_48 = 5
    relocations = b"".join(struct.pack("<III", offset, i + 1 << 8 | shim_dma_48, addend)
                           for i, (_, offset, addend) in enumerate(arguments))
    elf.add(".rela.dyn", 4, relocations, link=table, info=code)


def control():
    elf = Elf(abi=0x02)
    code = elf.add(".ctrltext", 1, bytes(220), flags=6)
    patches(elf, code, [(3, 28, 0), (5, 96, 64)])
    elf.note(".note.xrt.UID", 4, uuid.UUID("51177ab0-0000-4000-8000-000000000002").bytes)
    return elf.write()


def config():
    elf = Elf(abi=0x21)
    strings = b"\0_Z4CONVPcPcPcPc\0a\0b\0_Z4POOLPcPc\0p\0"
    at = lambda name: strings.index(b"\0" + name + b"\0") + 1
    text = elf.add(".strtab", 3, strings)
    function, instance = 0x12, 0x11
    table = elf.add(".symtab", 2, bytes(16) + symbol(at(b"_Z4CONVPcPcPcPc"), 0, function, 0) +
                    symbol(at(b"a"), 0, instance, 1) + symbol(at(b"b"), 0, instance, 1) +
                    symbol(at(b"_Z4POOLPcPc"), 0, function, 0) + symbol(at(b"p"), 0, instance, 4), link=text, info=1)
    elf.add(".pdi.1", 1, IMAGE, flags=6)
    for i, symbol_index in enumerate((2, 3, 5)):
        code = elf.add(f".ctrltext.{i}", 1, bytes(220 if i == 1 else 16), flags=6)
        if i == 1:
            patches(elf, code, [(0, 28, 0), (2, 96, 64)])
        elf.add(f".group.{i}", 17, struct.pack("<II", 0, code), link=table, info=symbol_index)
    elf.note(".note.xrt.configuration", 6, struct.pack("<I", 4))
    elf.note(".note.xrt.UID", 4, uuid.UUID("51177ab0-0000-4000-8000-000000000003").bytes)
    return elf.write()


directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
for name, make in (("design.xclbin", xclbin), ("control.elf", control), ("config.elf", config)):
    (directory / name).write_bytes(make())
