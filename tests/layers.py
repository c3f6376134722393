#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every #include of src/ against layers.txt: layers.py TOP"""
import pathlib
import re
import sys

top = pathlib.Path(sys.argv[1])
direct = {}
for line in (top / "layers.txt").read_text().splitlines():
    line = line.split("#")[0].strip()
    if line:
        module, uses = line.split(":")
        direct[module] = uses.split()


def reach(module, path=()):
    if module in path:
        sys.exit(f"layers.txt: a cycle: {' -> '.join(path + (module,))}")
    return {module}.union(*(reach(used, path + (module,)) for used in direct[module]))


problems = [f"layers.txt: module `{used}` is named but has no line" for uses in direct.values() for used in uses if used not in direct]
directories = {directory.name for directory in (top / "src").iterdir() if directory.is_dir()} - {"testing"}
problems += [f"src/{name}: the module has no line in layers.txt" for name in sorted(directories - set(direct))]
if not problems:
    for path in sorted((top / "src").rglob("*.[ch]pp")):
        module = path.relative_to(top / "src").parts[0]
        if module == "testing":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not match:
                continue
            name = match[1]
            other = name.split("/")[0]
            where = f"{path.relative_to(top)}:{number}"
            if other in direct and other not in reach(module) and "/" in name:
                problems.append(f"{where}: `{module}` may not include `{name}` (see layers.txt)")
            if other == "testing" and not re.search(r"_(test|fuzz)\.cpp$", path.name):
                problems.append(f"{where}: only tests may include `{name}`")
            if re.match(r"(volk|vk_mem_alloc|vulkan/)", name) and module not in ("gpu", "layer"):
                problems.append(f"{where}: only `gpu` and `layer` may include `{name}`")
print("\n".join(problems) or f"{len(direct)} modules, no forbidden arrow")
sys.exit(bool(problems))
