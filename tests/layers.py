#!/usr/bin/env python3
"""Checks every #include of src/ against layers.txt: layers.py TOP"""
import pathlib
import re
import sys

top = pathlib.Path(sys.argv[1])
direct = {}
for line in (top / "layers.txt").read_text().splitlines():
    line = line.split("#")[0].strip()
    if line:
        room, uses = line.split(":")
        direct[room] = uses.split()


def reach(room, path=()):
    if room in path:
        sys.exit(f"layers.txt: a cycle: {' -> '.join(path + (room,))}")
    return {room}.union(*(reach(used, path + (room,)) for used in direct[room]))


problems = [f"layers.txt: room `{used}` is named but has no line" for uses in direct.values() for used in uses if used not in direct]
folders = {folder.name for folder in (top / "src").iterdir() if folder.is_dir()} - {"testing"}
problems += [f"src/{name}: the room has no line in layers.txt" for name in sorted(folders - set(direct))]
if not problems:
    for path in sorted((top / "src").rglob("*.[ch]pp")):
        room = path.relative_to(top / "src").parts[0]
        if room == "testing":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not match:
                continue
            name = match[1]
            other = name.split("/")[0]
            where = f"{path.relative_to(top)}:{number}"
            if other in direct and other not in reach(room) and "/" in name:
                problems.append(f"{where}: `{room}` may not include `{name}` (see layers.txt)")
            if other == "testing" and not re.search(r"_(test|fuzz)\.cpp$", path.name):
                problems.append(f"{where}: only tests may include `{name}`")
            if re.match(r"(volk|vk_mem_alloc|vulkan/)", name) and room != "gpu":
                problems.append(f"{where}: only `gpu` may include `{name}`")
print("\n".join(problems) or f"{len(direct)} rooms, no forbidden arrow")
sys.exit(bool(problems))
