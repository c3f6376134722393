# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes files at random: bytes of any file, and what files of a structure consist of, so that more mutants pass the first checks.

  mutate(random.Random(1), data, others, "json")
"""
import json
import re
import struct

INTERESTING = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 31, (1 << 63) - 1, (1 << 64) - 1]
TOKENS = [b"-1", b"0", b"4294967296", b"18446744073709551616", b"1e999", b"null", b"[", b"{", b"\"", b"(", b"<", b"%0", b"#include \"x\"\n", b"\0", b"\xff\xfe", b"//", b"/*"]


def change_bytes(random_, data, others):
    """One change without regard to the structure."""
    at = random_.randrange(len(data) + 1) if data else 0
    choice = random_.randrange(9)
    if choice == 0 and data:
        data[at % len(data)] ^= 1 << random_.randrange(8)
    elif choice == 1 and data:
        data[at % len(data)] = random_.randrange(256)
    elif choice == 2:
        del data[at:at + random_.choice((1, 4, 16, 256))]
    elif choice == 3:
        begin = random_.randrange(len(data) + 1)
        data[at:at] = data[begin:begin + random_.choice((4, 16, 64, 1024))]
    elif choice == 4:
        del data[at:]
    elif choice == 5:
        size = random_.choice((1, 2, 4, 8))
        data[at:at + size] = (random_.choice(INTERESTING) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    elif choice == 6:
        data[at:at] = random_.choice(TOKENS) * random_.choice((1, 1, 1, 3, 2000))
    elif choice == 7:
        other = random_.choice(others)
        begin = random_.randrange(len(other) + 1)
        data[at:at] = other[begin:begin + random_.choice((8, 64, 512))]
    else:
        numbers = list(re.finditer(rb"\d+", bytes(data[:20000])))
        if numbers:
            number = random_.choice(numbers)
            data[number.start():number.end()] = str(random_.choice(INTERESTING)).encode()


# --- JSON ---

VALUES = [None, True, False, 0, 1, -1, 2, 7, 0.5, 1e300, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 64, "", "x", "a/../../b", "\u202e", [], {}]


def places(value, into):
    """Each (container, key) of a value."""
    for key in range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ():
        into.append((value, key))
        places(value[key], into)
    return into


def change_json(random_, root, others):
    found = places(root, [])
    if not found:
        return
    container, key = random_.choice(found)
    choice = random_.randrange(8)
    old = container[key]
    if choice == 0:
        del container[key]
    elif choice == 1:
        container[key] = random_.choice(VALUES)
    elif choice == 2:  # a value of another place
        other, name = random_.choice(found)
        if not places(other[name], []):
            container[key] = other[name]
    elif choice == 3 and isinstance(container, list):
        container.extend([old] * random_.choice((1, 2, 40)))
    elif choice == 4 and isinstance(container, dict):
        container[random_.choice(found)[1] if random_.random() < 0.7 else "unknown"] = old
    elif choice == 5 and isinstance(old, (int, float)) and not isinstance(old, bool):
        container[key] = random_.choice((old + 1, old - 1, old * 2, -old, old * 1000))
    elif choice == 6 and isinstance(old, str):
        container[key] = random_.choice((old + "x", old[:-1], old.upper(), old * 50))
    elif others:  # a part of another file
        more = places(random_.choice(others), [])
        if more:
            other, name = random_.choice(more)
            container[key] = json.loads(json.dumps(other[name]))


def mutate_json(random_, data, others):
    def parsed(text):
        try:
            return json.loads(re.sub(rb"^\s*//.*$", b"", text, flags=re.MULTILINE))
        except (ValueError, RecursionError):
            return None
    root = parsed(bytes(data))
    if root is None:
        return None
    trees = [tree for tree in map(parsed, others[:20]) if tree is not None]
    for _ in range(random_.choice((1, 1, 2, 3))):
        change_json(random_, root, trees)
    return json.dumps(root).encode()


def mutate_json_lines(random_, data, others):
    lines = bytes(data).split(b"\n")
    for _ in range(random_.choice((1, 1, 2))):
        at = random_.randrange(len(lines))
        choice = random_.randrange(4)
        if choice == 0:
            lines[at:at] = [lines[at]] * random_.choice((1, 5))
        elif choice == 1:
            del lines[at]
            lines = lines or [b""]
        else:
            lines[at] = mutate_json(random_, lines[at], [line for line in lines if line]) or lines[at]
    return b"\n".join(lines)


# --- binary formats ---

def put(data, at, letter, value):
    mask = (1 << 8 * struct.calcsize("<" + letter)) - 1
    struct.pack_into("<" + letter, data, at, value & mask)


def mutate_flatbuffer(random_, data, _):
    """Offsets, lengths of vectors, fields of vtables."""
    if len(data) < 16:
        return None
    for _ in range(random_.choice((1, 1, 2))):
        at = 4 * random_.randrange(len(data) // 4)
        if at + 4 > len(data):
            continue
        value = struct.unpack_from("<I", data, at)[0]
        near = [place for place in range(max(0, at - 64) // 4 * 4, min(len(data) - 4, at + 64), 4)
                if 0 < struct.unpack_from("<I", data, place)[0] < len(data)]
        place = random_.choice(near or [at])
        value = struct.unpack_from("<I", data, place)[0]
        put(data, place, "I", random_.choice((value + 4, value - 4, value + 1, 0, random_.randrange(len(data)), value * 2, 0xFFFFFFFF, 0x7FFFFFF0)))
    return bytes(data)


def mutate_elf(random_, data, _):
    """The header, and the fields of section headers."""
    if data[:4] != b"\x7fELF" or len(data) < 64:
        return None
    wide = data[4] == 2
    table, size, count = (struct.unpack_from("<Q", data, 40)[0], 64, struct.unpack_from("<H", data, 60)[0]) if wide else \
        (struct.unpack_from("<I", data, 32)[0], 40, struct.unpack_from("<H", data, 48)[0])
    letters = "IIQQQQIIQQ" if wide else "I" * 10
    for _ in range(random_.choice((1, 1, 2))):
        if count and random_.random() < 0.8:
            field = random_.randrange(10)
            at = table + size * random_.randrange(count) + struct.calcsize("<" + letters[:field])
            letter = letters[field]
        else:
            at, letter = random_.randrange(16, 64 if wide else 52, 2), "H"
        if at + struct.calcsize("<" + letter) <= len(data):
            old = struct.unpack_from("<" + letter, data, at)[0]
            put(data, at, letter, random_.choice((old + 1, old - 1, old + 8, 0, len(data), 2 * old, random_.choice(INTERESTING))))
    return bytes(data)


def mutate_spirv(random_, data, others):
    """Instructions are removed, repeated, moved; operands become other identifiers."""
    words = list(struct.unpack(f"<{len(data) // 4}I", bytes(data[:len(data) // 4 * 4])))
    if len(words) < 6 or words[0] != 0x07230203:
        return None
    begins, at = [], 5
    while at < len(words) and words[at] >> 16:
        begins.append(at)
        at += words[at] >> 16
    for _ in range(random_.choice((1, 1, 2))):
        if not begins:
            break
        begin = random_.choice(begins)
        size = words[begin] >> 16
        choice = random_.randrange(6)
        if choice == 0:
            del words[begin:begin + size]
        elif choice == 1:
            words[begin:begin] = words[begin:begin + size]
        elif choice == 2:
            other = random_.choice(begins)
            words[begin:begin] = words[other:other + (words[other] >> 16)]
        elif choice == 3:
            words[begin] = words[begin] & 0xFFFF0000 | random_.choice((random_.randrange(400), words[random_.choice(begins)] & 0xFFFF))
        elif size > 1:
            bound = max(words[3], 2)
            words[begin + random_.randrange(1, size)] = random_.choice((random_.randrange(bound), bound, 0, random_.choice(INTERESTING) & 0xFFFFFFFF))
        break
    return struct.pack(f"<{len(words)}I", *words)


def read_varint(data, at):
    value = shift = 0
    while at < len(data) and shift < 70:
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
        shift += 7
    return None, at


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def fields_of(data):
    """The fields of a protobuf message as [number, wire type, value], or None."""
    fields, at = [], 0
    while at < len(data):
        key, at = read_varint(data, at)
        if not key or key >> 3 == 0:
            return None
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = read_varint(data, at)
            if value is None:
                return None
        elif kind == 2:
            size, at = read_varint(data, at)
            if size is None or at + size > len(data):
                return None
            value, at = data[at:at + size], at + size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
            if len(value) < size:
                return None
        else:
            return None
        fields.append([number, kind, value])
    return fields


def mutate_message(random_, data, depth=0):
    fields = fields_of(data)
    if not fields:
        return bytes(data)
    at = random_.randrange(len(fields))
    number, kind, value = fields[at]
    inner = fields_of(value) if kind == 2 and depth < 12 else None
    choice = random_.randrange(8)
    if inner and choice < 5:
        fields[at][2] = mutate_message(random_, value, depth + 1)
    elif choice == 5:
        del fields[at]
    elif choice == 6:
        fields[at:at] = [fields[at]] * random_.choice((1, 1, 30))
    elif kind == 0:
        fields[at][2] = random_.choice((value + 1, max(value - 1, 0), 0, random_.choice(INTERESTING)))
    elif kind == 2:
        changed = bytearray(value)
        change_bytes(random_, changed, [bytes(value)])
        fields[at][2] = bytes(changed)
    else:
        fields[at][0] = random_.randrange(1, 20)
    out = b""
    for number, kind, value in fields:
        out += varint(number << 3 | kind)
        out += varint(value) if kind == 0 else varint(len(value)) + value if kind == 2 else value
    return out


def mutate_protobuf(random_, data, _):
    data = bytes(data)
    for _ in range(random_.choice((1, 1, 2))):
        data = mutate_message(random_, data)
    return data


def mutate_mlir(random_, data, _):
    """MLIR bytecode: sections (docs of MLIR, "Bytecode format"): an identifier, a length of one byte and more, the contents."""
    if data[:4] != b"ML\xefR":
        return None
    sections, scan = [], 5
    while scan < len(data):  # the producer is a text that ends in zero; sections follow
        if data[scan] == 0:
            scan += 1
            break
        scan += 1
    while scan + 2 <= len(data):
        head, size, begin = data[scan], data[scan + 1], scan + 2
        length = size >> 1
        if not size & 1:
            more = (size & -size).bit_length() if size else 9
            raw = bytes(data[scan + 1:scan + 1 + more])
            length, begin = int.from_bytes(raw, "little") >> more, scan + 1 + more
        if head & 0x80:
            begin += 1
        if begin + length > len(data):
            break
        sections.append((begin, length))
        scan = begin + length
    sections = [section for section in sections if section[1]]
    if not sections:
        return None
    for _ in range(random_.choice((1, 2, 3))):
        begin, length = random_.choice(sections)
        place = begin + random_.randrange(length)
        data[place] = random_.choice((data[place] + 2, data[place] - 2, data[place] ^ 2, random_.randrange(256))) & 0xFF
    return bytes(data)


STRUCTURES = {"json": mutate_json, "json lines": mutate_json_lines, "flatbuffer": mutate_flatbuffer, "elf": mutate_elf, "spirv": mutate_spirv,
              "protobuf": mutate_protobuf, "mlir": mutate_mlir}


def mutate(random_, data, others, structure=None):
    """A changed file. One of three keeps no structure."""
    if structure and random_.random() < 0.67:
        made = STRUCTURES[structure](random_, bytearray(data), others)
        if made is not None:
            return made
    data = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 4, 8))):
        change_bytes(random_, data, others)
    return bytes(data)
