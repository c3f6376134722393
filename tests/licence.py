#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each source file begins with its SPDX line, after `#!` if there is one: licence.py TOP"""
import pathlib
import sys

LICENCE = "Apache-2.0 WITH LLVM-exception"
COMMENTS = {
    "//": ".cpp .hpp .c .h .def .inc .fbs .comp .frag .vert .rpl .graph .cl .hpp.in .js",
    "#": ".py .sh .cmake .supp CMakeLists.txt Dockerfile Dockerfile.run dev run",
    ";": ".spvasm.in",
    "--": ".lua",
    '"': ".vim",
}
DIRECTORIES = (".ci", "bench", "cmake", "docs", "editors", "env", "examples", "include", "src", "tests")
# Fixtures: tests depend on their bytes or line numbers.
EXCLUDED = ("tests/corpus/", "tests/data/", "tests/fuzz/corpus/")


def comment_of(path):
    for comment, suffixes in COMMENTS.items():
        for suffix in suffixes.split():
            if path.name == suffix or (suffix.startswith(".") and path.name.endswith(suffix)):
                return comment
    return None


def sources(top):
    """Yields (path, comment sign) of each source file."""
    found = [*top.glob("*")]
    for directory in DIRECTORIES:
        found += (top / directory).rglob("*")
    for path in sorted(found):
        name = path.relative_to(top).as_posix()
        comment = comment_of(path)
        if comment and path.is_file() and not path.is_symlink() and not name.startswith(EXCLUDED):
            yield path, comment


def main():
    top = pathlib.Path(sys.argv[1])
    found = list(sources(top))
    assert found, "no source files"
    missing = 0
    for path, comment in found:
        lines = path.read_text().splitlines() or [""]
        line = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if line != f"{comment} SPDX-License-Identifier: {LICENCE}":
            print(f"{path.relative_to(top)}:1: the SPDX line is missing")
            missing += 1
    print(f"{len(found)} files, {missing} without the SPDX line")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
