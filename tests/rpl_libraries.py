#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The libraries `rpl` and `rpl_runtime` as programs of C use them: rpl_libraries.py TOP LIBRPL_SO LIBRPL_A RUNTIME_SO RUNTIME_A SOURCE...

They are small, need the C library only, export what their headers declare, and work in programs that are linked by a compiler of C:
tests/rpl_client.c compiles SOURCE with memory and files of its own, writes a pack, and reads it with the other library. CC, CXX, STRIP,
NM and READELF are the tools, which may be those of another architecture.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

top = pathlib.Path(sys.argv[1])
rpl_so, rpl_a, runtime_so, runtime_a = map(pathlib.Path, sys.argv[2:6])
sources = sys.argv[6:]
MAX_BYTES = {rpl_so: 2_500_000, runtime_so: 150_000}
RUNTIME = ("rpl_json.h", "rpl_pack.h", "rpl_watch.h")
HEADERS = {rpl_so: ("rpl.h",), rpl_a: ("rpl.h",), runtime_so: RUNTIME, runtime_a: RUNTIME}
CC, CXX, STRIP, NM, READELF = (os.environ.get(name) or name.lower().replace("cxx", "c++") for name in ("CC", "CXX", "STRIP", "NM", "READELF"))
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


def output(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def declared(headers):
    text = "".join((top / "include/slipway" / header).read_text() for header in headers)
    return set(re.findall(r"^RPL_API .*?\b(rpl_\w+)\(", text, re.M))


with tempfile.TemporaryDirectory() as name:
    directory = pathlib.Path(name)
    for library, limit in MAX_BYTES.items():
        stripped = directory / library.name
        output(STRIP, library, "-o", stripped)
        size = stripped.stat().st_size
        print(f"{library.name}: {size} bytes stripped")
        assert size <= limit, f"{library.name} has {size} bytes, more than {limit}"
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", output(READELF, "-d", library)))
        assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, f"{library.name} needs {needed}"
    for library, headers in HEADERS.items():
        flags = ("-D", "--defined-only") if library.suffix == ".so" else ("-g", "--defined-only")
        symbols = {line.split()[2] for line in output(NM, *flags, library).splitlines() if len(line.split()) == 3}
        names = declared(headers)
        assert names and symbols == names, f"{library.name}: declared alone {names - symbols}, exported alone {sorted(symbols - names)[:10]}"

    include = f"-I{top / 'include'}"
    client = top / "tests/rpl_client.c"
    expected = None
    for kind, libraries in {"shared": (rpl_so, runtime_so), "static": (rpl_a, runtime_a)}.items():
        program = directory / f"client_{kind}"
        output(CC, "-std=c99", *WARNINGS, include, client, "-o", program, *libraries, "-lm",
               *(f"-Wl,-rpath,{library.parent}" for library in libraries))
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", output(READELF, "-d", program)))
        assert not any("stdc++" in each for each in needed), needed
        shown = output(program, directory / "client.rplpack", *sources)
        print(f"{kind}: {shown}", end="")
        assert expected in (None, shown), "the libraries differ"
        expected = shown
    # Headers in C99 and in C++ without exceptions and type information.
    headers = "".join(f"#include <slipway/{each}>\n" for each in ("rpl.h", "rpl_json.h", "rpl_pack.h", "rpl_watch.h", "rpl_vulkan.h"))
    (directory / "headers.c").write_text(headers + "int main(void) { return 0; }\n")
    output(CC, "-std=c99", *WARNINGS, "-fsyntax-only", include, directory / "headers.c")
    (directory / "headers.cpp").write_text(headers + "#include <slipway/rpl.hpp>\n#include <slipway/rpl_vulkan.hpp>\nint main() {}\n")
    for standard in ("17", "20", "23"):
        output(CXX, f"-std=c++{standard}", *WARNINGS, "-fno-exceptions", "-fno-rtti", "-fsyntax-only", include, directory / "headers.cpp")
