#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes copy.txn, a transaction that copies 16 bytes from argument 3 to argument 5, and copy.elf, which has it in place of
the code of patch.elf."""
import pathlib
import struct

here = pathlib.Path(__file__).parent


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


def descriptor(index, length, argument):
    """A buffer descriptor of a shim's DMA, and the patch of its address."""
    at = 0x1D000 + 0x20 * index
    return words(1, at, 12 + 32, length, 0, 0, 0, 0x80000000, 0, 0, 0x02000000) + words(0x81, 24, at + 4, argument, 0, 0)


patch = bytearray((here / "patch.elf").read_bytes())
text_at, text_size = 0x80, 0xDC
operations = [descriptor(0, 4, 0), descriptor(1, 4, 2)]
operations.append(words(0, 0x1D204, 0x80000001))  # S2MM 0: descriptor 1, with a token
operations.append(words(0, 0x1D214, 0))  # MM2S 0: descriptor 0
operations.append(words(0x80, 16, 0, 0x00010000))  # waits for the token of S2MM 0 in column 0
body = b"".join(operations)
count = 2 * len(operations[:2]) + 3
idle = (text_size - 16 - len(body)) // 4  # operations without effect
body += words(*[5] * idle)
code = bytes([1, 0, 4, 6, 4, 1, 0, 0]) + words(count + idle, 16 + len(body)) + body
assert len(code) == text_size
(here / "copy.txn").write_bytes(code)
patch[text_at:text_at + text_size] = code

sections, entry = struct.unpack_from("<I", patch, 32)[0], 40
for i in range(struct.unpack_from("<H", patch, 48)[0]):
    at = sections + entry * i
    if struct.unpack_from("<I", patch, at + 4)[0] != 4:  # SHT_RELA
        continue
    table = struct.unpack_from("<I", patch, at + 16)[0]
    struct.pack_into("<I", patch, at + 20, 24)  # two patches instead of three
    struct.pack_into("<I", patch, table + 12 + 8, 0)  # without an addend
(here / "copy.elf").write_bytes(patch)
