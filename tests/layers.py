#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every #include of src/ against layers.txt: layers.py TOP

A line `module: a b ~c` lists what a module uses. A module may also use what the modules in its line pass on: all that they
use, except what has `~`. A module may be a directory of another one (`a/b`): a file belongs to the longest name that its path
begins with. The line `tests: a` lists what tests and fuzzers of every module may use, besides src/testing.
"""
import pathlib
import re
import sys


class Layers:
    """What layers.txt says."""

    def __init__(self, text):
        self.lines = {}  # module -> what its line lists, with `~`
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if line:
                module, uses = line.split(":")
                self.lines[module.strip()] = uses.split()
        self.for_tests = self.lines.pop("tests", [])
        self.direct = {module: [used.removeprefix("~") for used in uses] for module, uses in self.lines.items()}

    def problems(self):
        unknown = [f"layers.txt: module `{used}` is named but has no line"
                   for uses in self.direct.values() for used in uses if used not in self.direct]
        return unknown or self._cycle()

    def _cycle(self):
        done = set()

        def visit(module, path):
            if module in path:
                return [f"layers.txt: a cycle: {' -> '.join((*path[path.index(module):], module))}"]
            if module not in done:
                for used in self.direct[module]:
                    if found := visit(used, (*path, module)):
                        return found
                done.add(module)
            return []

        return next((found for module in self.direct if (found := visit(module, ()))), [])

    def visible(self, module):
        """The modules that a module may include, with itself."""
        found = {module}
        todo = list(self.direct[module])
        while todo:
            used = todo.pop()
            if used not in found:
                found.add(used)
                todo += [further for further in self.lines[used] if not further.startswith("~")]
        return found

    def module_of(self, path):
        """The module of a path below src/, or None."""
        parts = path.split("/")[:-1]
        return next((name for count in range(len(parts), 0, -1) if (name := "/".join(parts[:count])) in self.direct), None)


def check(top):
    """(problems, the count of modules) of a tree."""
    layers = Layers((top / "layers.txt").read_text())
    problems = layers.problems()
    directories = {directory.name for directory in (top / "src").iterdir() if directory.is_dir()} - {"testing"}
    tops = {module.split("/")[0] for module in layers.direct}
    problems += [f"src/{name}: the module has no line in layers.txt" for name in sorted(directories - tops)]
    problems += [f"layers.txt: there is no directory src/{name}" for name in layers.direct if not (top / "src" / name).is_dir()]
    if problems:
        return problems, 0
    visible = {module: layers.visible(module) for module in layers.direct}
    for path in sorted((top / "src").rglob("*.[ch]pp")):
        below = path.relative_to(top / "src").as_posix()
        if below.startswith("testing/"):
            continue
        module = layers.module_of(below)
        if module is None:
            problems.append(f"src/{below}: its directory is not a module of layers.txt")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not match:
                continue
            name = match[1]
            other = layers.module_of(name)
            where = f"src/{below}:{number}"
            is_test = re.search(r"_(test|fuzz)\.cpp$", path.name)
            if other and other not in visible[module] and not (is_test and other in layers.for_tests):
                problems.append(f"{where}: `{module}` may not include `{name}` (see layers.txt)")
            if name.startswith("testing/") and not is_test:
                problems.append(f"{where}: only tests may include `{name}`")
            if re.match(r"(volk|vk_mem_alloc|vulkan/)", name) and module not in ("gpu", "layer", "conformance/vulkan"):
                problems.append(f"{where}: only `gpu`, `layer` and `conformance/vulkan` may include `{name}`")
    return problems, len(layers.direct)


def main():
    problems, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"{count} modules, no forbidden arrow")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
