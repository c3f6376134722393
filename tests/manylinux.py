#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a wheel by the rules of its tag manylinux_2_N (PEP 600), as auditwheel does: manylinux.py WHEEL

Each shared object and program in it links libraries that are in the wheel, or that the rules allow to be the system's; it needs no
newer symbols of the C library than the tag says, and no others of versioned libraries of the system; it does not link libpython.
manylinux.py --self-test shows that each rule can fail.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# The libraries of manylinux's policies that programs without a display use.
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|util|nsl|resolv)\.so\.\d+|ld-linux[\w-]*\.so\.\d+")


def problems_of(name, needed, symbols, inside, glibc):
    """Of one file: the libraries that it names, its undefined symbols `name@VERSION`, the names in the wheel, N of the tag."""
    problems = []
    for library in needed:
        if library.startswith("libpython"):
            problems.append(f"{name} links {library}")
        elif library not in inside and not SYSTEM.fullmatch(library):
            problems.append(f"{name} links {library}, which is neither in the wheel nor among the system's")
    for version in sorted(set(re.findall(r"@(GLIBC_2\.\d+)", symbols))):
        if int(version.removeprefix("GLIBC_2.")) > glibc:
            problems.append(f"{name} needs {version}, newer than the tag")
    return problems


def check(wheel):
    tag = re.search(r"manylinux_2_(\d+)_(\w+)\.whl$", wheel.name)
    if not tag:
        return [f"{wheel.name} has no tag manylinux_2_N"]
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as directory:
        zipfile.ZipFile(wheel).extractall(directory)
        files = [path for path in pathlib.Path(directory).rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]
        inside = {path.name for path in files}
        for path in files:
            def readelf(option, path=path):
                return subprocess.run(["readelf", "-W", option, path], capture_output=True, text=True, check=True).stdout
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d"))
            problems += problems_of(path.name, needed, readelf("--dyn-syms"), inside, int(tag[1]))
            count += 1
    if count == 0:
        problems.append("the wheel has no shared objects")
    print(f"{wheel.name}: {count} files with code, {len(problems)} problems")
    return problems


def self_test():
    assert problems_of("a", ["libc.so.6", "libb.so"], "x@GLIBC_2.34", {"libb.so"}, 34) == []
    assert problems_of("a", ["libpython3.14.so.1.0"], "", set(), 34)
    assert problems_of("a", ["libX11.so.6"], "", set(), 34)
    assert problems_of("a", [], "x@GLIBC_2.38", set(), 34)
    print("each rule can fail")


if sys.argv[1:] == ["--self-test"]:
    self_test()
else:
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
